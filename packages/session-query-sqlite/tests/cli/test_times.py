"""Times are written and read on both clocks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query_sqlite.cli._times import iso_local, iso_utc, local_and_utc, parse_time

# what the calendar of Python reaches, on the local clock too
MILLISECONDS = st.integers(-60_000_000_000_000, 250_000_000_000_000)


@pytest.mark.requirement("CLI-3", "CLI-4")
@pytest.mark.usefixtures("berlin")
@given(MILLISECONDS, st.booleans())
def test_a_time_that_was_printed_can_be_typed(milliseconds: int, upper: bool) -> None:
    """Both printed forms mean exactly the time that they were printed for."""
    for write in (iso_local, iso_utc):
        assert parse_time(write(milliseconds), upper=upper) == milliseconds


@pytest.mark.requirement("CLI-3")
@pytest.mark.usefixtures("berlin")
@given(MILLISECONDS)
def test_what_people_see_tells_one_time_only(milliseconds: int) -> None:
    """The local time has its offset, and the UTC time its own date where that is another one."""
    local, utc = re.fullmatch(
        r"(\S+ \S+ [+-][\d:]+) \(((?:\S+ )?\S+Z)\)", local_and_utc(milliseconds)
    ).groups()  # type: ignore[union-attr]  # a failed match fails the test
    date, clock, offset = local.split(" ")
    utc_date, utc_clock = utc.split(" ") if " " in utc else (date, utc)
    assert iso_utc(milliseconds)[:19] + "Z" == f"{utc_date}T{utc_clock}"
    assert iso_local(milliseconds).startswith(f"{date}T{clock}")
    assert iso_local(milliseconds).endswith(offset)


@pytest.mark.requirement("CLI-4")
@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize(
    ("typed", "first", "last"),
    [
        ("2026-03-01", "2026-02-28T23:00:00.000Z", "2026-03-01T22:59:59.999Z"),
        ("2026-03-29", "2026-03-28T23:00:00.000Z", "2026-03-29T21:59:59.999Z"),
        ("9999-12-31", "9999-12-30T23:00:00.000Z", "9999-12-31T22:59:59.999Z"),
        ("2026-07-01T12:00", "2026-07-01T10:00:00.000Z", "2026-07-01T10:00:00.000Z"),
        ("2026-07-01 12:00:05", "2026-07-01T10:00:05.000Z", "2026-07-01T10:00:05.000Z"),
        ("2026-07-01T12:00:05,5", "2026-07-01T10:00:05.500Z", "2026-07-01T10:00:05.500Z"),
        ("2026-07-01T12:00:05.1239Z", "2026-07-01T12:00:05.124Z", "2026-07-01T12:00:05.123Z"),
        ("2026-07-01T12:00+0530", "2026-07-01T06:30:00.000Z", "2026-07-01T06:30:00.000Z"),
    ],
)
def test_a_range_holds_what_was_typed(typed: str, first: str, last: str) -> None:
    """A day is the whole local day, a time without a zone is local, and nothing is rounded in."""
    ends = (parse_time(typed, upper=False), parse_time(typed, upper=True))
    assert tuple(map(iso_utc, ends)) == (first, last)


@pytest.mark.requirement("CLI-4")
@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize(
    "typed",
    ["", "2026-03-29T02:30", "yesterday", "2026-02-30", "2026-01-01T24:00",
     "2026-01-01T12:00:60", "2026-01-01T12",
     "2026-01-01T12:00.5", "1700000000000", "2026-13-01", "0000-01-01", "２０２６-01-01",
     "2026-01-01T12:00:00+25:00"],
)  # fmt: skip
def test_what_is_no_time_is_refused(typed: str) -> None:
    """What does not exist, or says less than a minute, is refused with the forms that are taken."""
    with pytest.raises(ValueError, match="2026-03-01T14:05:07Z"):
        parse_time(typed, upper=True)


@pytest.mark.requirement("CLI-3")
@pytest.mark.parametrize("milliseconds", [2**53 - 1, -(2**53 - 1)])
def test_a_time_beyond_the_calendar_is_shown_as_a_number(milliseconds: int) -> None:
    """A time that no calendar here reaches is its milliseconds."""
    for write in (iso_local, iso_utc, local_and_utc):
        assert write(milliseconds) == f"{milliseconds} ms"
