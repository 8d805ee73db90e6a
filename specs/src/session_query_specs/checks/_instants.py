"""What a written time means, worked out with exact fractions."""

from __future__ import annotations

from datetime import datetime, timedelta
from fractions import Fraction
from typing import Final, NamedTuple

from hypothesis import strategies as st

__all__ = ["ANYTIME", "CLOSE", "Written", "written"]

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - the offset is counted apart
_MINUTE: Final = 60_000


class Written(NamedTuple):
    """A time as text, and the milliseconds since the epoch that it stands for."""

    text: str
    exact: Fraction


def written(
    moment: datetime, fraction: str, offset: int, *, comma: bool = False, zone: str = "{}{}:{}"
) -> Written:
    """Return a time on the clock of a zone.

    Args:
        moment: what the clock shows.
        fraction: the digits of the part of a second; empty for none, which needs no seconds then.
        offset: by how many minutes the zone is ahead of UTC.
        comma: whether a comma stands before the fraction.
        zone: how sign, hours and minutes of the offset are written.
    """
    sign, (hours, minutes) = "-" if offset < 0 else "+", divmod(abs(offset), 60)
    told = zone.format(sign, f"{hours:02}", f"{minutes:02}") if offset else "Z"
    seconds = f":{moment:%S}" if fraction or moment.second else ""
    digits = f"{',' if comma else '.'}{fraction}" if fraction else ""
    text = f"{moment.year:04}-{moment:%m-%dT%H:%M}{seconds}{digits}{told}"
    whole = (moment - _EPOCH) // timedelta(milliseconds=1) - offset * _MINUTE
    return Written(text, whole + 1000 * Fraction(f"0.{fraction or 0}"))


_DIGITS: Final = "0123456789"
_OFFSETS: Final = st.integers(-23 * 60 - 59, 23 * 60 + 59)
_ZONES: Final = st.sampled_from(["{}{}:{}", "{}{}{}"])

ANYTIME: Final = st.builds(
    written,
    st.datetimes().map(lambda moment: moment.replace(microsecond=0)),
    st.one_of(st.text(_DIGITS, max_size=40), st.sampled_from(["0" * 3_000 + "1", "9" * 3_000])),
    _OFFSETS,
    comma=st.booleans(),
    zone=_ZONES,
)
"""Any time that there is, in any of its forms."""


@st.composite
def _close(draw: st.DrawFn) -> tuple[Written, Written]:
    base = draw(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)))  # noqa: DTZ001 - likewise
    base = base.replace(microsecond=0)
    digits = draw(st.text(_DIGITS, min_size=3, max_size=6))
    moments = []
    for _ in range(2):
        offset = draw(_OFFSETS)
        fraction = digits[: draw(st.integers(0, 6))] + draw(st.text("0159", max_size=8))
        moments.append(written(base + timedelta(minutes=offset), fraction, offset))
    return moments[0], moments[1]


CLOSE: Final = _close()
"""Two times that differ by at most a second, most of them by less, on different clocks."""
