"""Points in time, as people write and read them (CLI-3, CLI-4)."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

__all__ = ["Moment", "iso_local", "iso_utc", "local_and_utc", "moment", "parse_time"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATE_TIME: Final = re.compile(
    r"(?P<minute>\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2})"
    r"(?:(?P<second>:\d{2})(?:[.,](?P<fraction>\d+))?)?"
    r" ?(?P<zone>[Zz]|[+-]\d{2}:?\d{2}(?::?\d{2})?)?",
    re.ASCII,
)

_CLOCK: Final = len("2026-03-01 ")
_OFFSET: Final = len("2026-03-01 14:05:07")


def parse_time(text: str, *, upper: bool) -> int:
    """Return the epoch milliseconds that `text` means as one end of an inclusive range.

    A date means the whole local day. Without a zone, a time is local. The ends are exact: what is
    below a millisecond is never rounded into the range.

    Args:
        text: `2026-03-01`, `2026-03-01T14:05`, `2026-03-01T14:05:07.123+01:00` and the like.
        upper: whether it is the upper end.

    Raises:
        ValueError: it's no such time, or it doesn't exist.
    """
    text = text.strip()
    try:
        if _DATE.fullmatch(text):
            day = date.fromisoformat(text)
            return _midnight(day) if not upper else _end_of(day)
        if parts := _DATE_TIME.fullmatch(text):
            zone = (parts["zone"] or "").upper()
            clock = parts["minute"].upper() + (parts["second"] or ":00")
            fraction = parts["fraction"] or ""
            below = int(f"{fraction:0<3}"[:3])
            inexact = not upper and fraction[3:].strip("0") != ""
            given = datetime.fromisoformat(clock + zone)
            moment = given.astimezone()
            if zone or moment.replace(tzinfo=None) == given:  # else the clocks went forward over it
                return _milliseconds(moment) + below + inexact
    except (ValueError, OverflowError, OSError):
        pass  # it has the form of a time, and is none
    raise ValueError(
        f"{text!r} is no date or time that exists; write 2026-03-01, 2026-03-01T14:05 (local"
        " time) or 2026-03-01T14:05:07Z"
    )


def _midnight(day: date) -> int:
    return _milliseconds(datetime(day.year, day.month, day.day).astimezone())


def _end_of(day: date) -> int:
    if day == date.max:
        return _midnight(day) + timedelta(days=1) // _MILLISECOND - 1
    return _midnight(day + timedelta(days=1)) - 1


def _milliseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // _MILLISECOND


class Moment(NamedTuple):
    """One point in time on both clocks."""

    local: datetime
    utc: datetime


def moment(milliseconds: int) -> Moment | None:
    """Return a point in time; None where the calendar of Python doesn't reach it."""
    try:
        utc = _EPOCH + milliseconds * _MILLISECOND
        return Moment(utc.astimezone(), utc)
    except (OverflowError, ValueError, OSError):
        return None


def local_and_utc(milliseconds: int) -> str:
    """Return `2026-03-01 14:05:07 +01:00 (13:05:07Z)`, with the UTC date where it differs."""
    found = moment(milliseconds)
    if found is None:
        return _beyond(milliseconds)
    local, utc = (clock.isoformat(" ", "seconds") for clock in found)
    shown_utc = utc[_CLOCK:_OFFSET] if local[:_CLOCK] == utc[:_CLOCK] else utc[:_OFFSET]
    return f"{local[:_OFFSET]} {local[_OFFSET:]} ({shown_utc}Z)"


def iso_local(milliseconds: int) -> str:
    """Return `2026-03-01T14:05:07.123+01:00`."""
    found = moment(milliseconds)
    return _beyond(milliseconds) if found is None else found.local.isoformat("T", "milliseconds")


def iso_utc(milliseconds: int) -> str:
    """Return `2026-03-01T13:05:07.123Z`."""
    found = moment(milliseconds)
    if found is None:
        return _beyond(milliseconds)
    return found.utc.isoformat("T", "milliseconds").replace("+00:00", "Z")


def _beyond(milliseconds: int) -> str:
    return f"{milliseconds} ms"
