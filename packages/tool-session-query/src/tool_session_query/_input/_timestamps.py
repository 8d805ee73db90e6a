"""ISO 8601 instants as exact bounds in whole milliseconds (INPUT-3)."""

from __future__ import annotations

import math
import re
from datetime import date
from fractions import Fraction
from typing import Final

__all__ = ["instant_of", "milliseconds_within"]

_INSTANT: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?"
    r"(?:([Zz])|([+-])([0-9]{2}):?([0-9]{2})?)"
)
_EPOCH: Final = date(1970, 1, 1).toordinal()
_MOST_DIGITS: Final = 4_000
"""Python refuses to read longer integers."""


def instant_of(text: str) -> Fraction:
    """Return an instant in milliseconds since the epoch, exactly as written.

    Raises:
        ValueError: the text is no date and time with an offset, or there is no such instant; the
            message says which.
    """
    found = _INSTANT.fullmatch(text)
    if found is None:
        raise ValueError(
            "expected a date and time with Z or an offset, such as 2026-01-31T09:00:00Z"
        )
    year, month, day, hour, minute = map(int, found.group(1, 2, 3, 4, 5))
    second, fraction = int(found[6] or 0), found[7] or ""
    offset_hour, offset_minute = int(found[10] or 0), int(found[11] or 0)
    try:
        days = date(year, month, day).toordinal() - _EPOCH
    except ValueError:
        raise ValueError("there is no such day") from None
    if hour > 23 or minute > 59 or second > 59:  # noqa: PLR2004 - the clock's own numbers
        raise ValueError("there is no such time of day")
    if offset_hour > 23 or offset_minute > 59:  # noqa: PLR2004 - likewise
        raise ValueError("there is no such offset")
    if len(fraction) > _MOST_DIGITS:
        raise ValueError(f"at most {_MOST_DIGITS} digits of a second are read")
    offset = (offset_hour * 60 + offset_minute) * (-1 if found[9] == "-" else 1)
    seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
    return (seconds + Fraction(int(fraction or 0), 10 ** len(fraction))) * 1000


def milliseconds_within(
    low: Fraction | None, high: Fraction | None
) -> tuple[int | None, int | None]:
    """Return the first and the last whole millisecond within two inclusive bounds.

    The first is after the last where a range holds none.
    """
    return (
        None if low is None else math.ceil(low),
        None if high is None else math.floor(high),
    )
