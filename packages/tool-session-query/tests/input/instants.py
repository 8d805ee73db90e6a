"""What a written time means, worked out with exact fractions and nothing of the tools."""

from __future__ import annotations

from datetime import datetime, timedelta
from fractions import Fraction
from typing import NamedTuple

from hypothesis import strategies as st

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the offset is counted apart
_MINUTE = 60_000


class Written(NamedTuple):
    """A time as text, and the milliseconds since the epoch that it stands for."""

    text: str
    exact: Fraction


def written(moment: datetime, fraction: str, offset: int, comma: str = ".") -> Written:
    """A time on the clock of a zone that is `offset` minutes ahead of UTC."""
    seconds = f"{moment:%H:%M:%S}{comma + fraction if fraction else ''}"
    sign, (hours, minutes) = "-" if offset < 0 else "+", divmod(abs(offset), 60)
    zone = f"{sign}{hours:02}:{minutes:02}" if offset else "Z"
    text = f"{moment.year:04}-{moment.month:02}-{moment.day:02}T{seconds}{zone}"
    whole = (moment - _EPOCH) // timedelta(milliseconds=1) - offset * _MINUTE
    return Written(text, whole + 1000 * Fraction(f"0.{fraction or 0}"))


MOMENTS = st.datetimes().map(lambda moment: moment.replace(microsecond=0))
FRACTIONS = st.text("0123456789", max_size=40)
OFFSETS = st.integers(-23 * 60 - 59, 23 * 60 + 59)

ANYTIME = st.builds(written, MOMENTS, FRACTIONS, OFFSETS, st.sampled_from(".,"))


@st.composite
def _close(draw: st.DrawFn) -> tuple[Written, Written]:
    """Two times that differ by at most a few milliseconds, on different clocks."""
    base = draw(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)))  # noqa: DTZ001 - likewise
    base = base.replace(microsecond=0)
    digits = draw(st.text("0123456789", min_size=3, max_size=6))
    tails = st.text("0159", max_size=8)
    moments = []
    for _ in range(2):
        offset = draw(OFFSETS)
        fraction = digits[: draw(st.integers(0, 6))] + draw(tails)
        moments.append(written(base + timedelta(minutes=offset), fraction, offset))
    return moments[0], moments[1]


CLOSE = _close()
