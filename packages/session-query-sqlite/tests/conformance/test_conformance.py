"""The provider keeps to the contract: the conformance suite, run against it."""

from __future__ import annotations

import pytest
from session_query_specs import ProviderUnderTest, capabilities_of
from session_query_specs.checks import CHECKS
from session_query_specs.running import PROFILES, CheckResult, Status, judge
from session_query_sqlite.conformance import SqliteProvider

CLAIMED = capabilities_of(SqliteProvider.capabilities)
PROVIDER_CHECKS = [
    name
    for name, check in CHECKS.items()
    if check.subject == "provider" and all(map(CLAIMED.claims, check.needs))
]


def told(result: CheckResult) -> str:
    """Return what a failed check found, in characters that every report can hold."""
    if result.finding is None:
        return result.status.value
    found = result.finding
    return ascii("\n".join([*found.example, f"expected {found.expected}", f"got {found.got}"]))


@pytest.mark.requirement(
    "CONF-3",  # and each one that a check of providers judges
    "CANCEL-2",
    "CANCEL-3",
    "CANCEL-4",
    "CANCEL-5",
    "CANCEL-6",
    "CORPUS-1",
    "CORPUS-2",
    "CORPUS-3",
    "CORPUS-4",
    "CORPUS-5",
    "CORPUS-6",
    "CURSOR-1",
    "CURSOR-2",
    "CURSOR-3",
    "CURSOR-4",
    "ERR-1",
    "ERR-2",
    "ERR-4",
    "ERR-5",
    "FILTER-1",
    "FILTER-2",
    "FILTER-3",
    "FILTER-4",
    "INDEX-5",
    "INDEX-9",
    "JSON-1",
    "LOG-6",
    "LOG-12",
    "LOG-23",
    "LOG-24",
    "READ-1",
    "READ-2",
    "READ-3",
    "READ-4",
    "RECON-1",
    "RECON-2",
    "RECON-3",
    "RECON-4",
    "RECON-5",
    "RECON-7",
    "RECON-8",
    "SEARCH-1",
    "SEARCH-2",
    "SEARCH-3",
    "SEARCH-4",
    "SEARCH-5",
    "SEARCH-6",
    "SEARCH-7",
    "SEARCH-8",
    "SEARCH-9",
    "SEARCH-10",
    "SEARCH-11",
    "SEARCH-12",
    "SEARCH-13",
    "TRACE-1",
    "TRACE-2",
    "TRACE-3",
)
@pytest.mark.parametrize("name", PROVIDER_CHECKS)
def test_a_check_of_the_suite_holds(name: str) -> None:
    """Each claim of the contract holds, on as many examples as `quick` draws."""
    provider: ProviderUnderTest = SqliteProvider()
    where = "session_query_sqlite.conformance:SqliteProvider"
    result = judge(CHECKS[name], provider, where, PROFILES["quick"], 0)
    assert result.status is Status.PASSED, told(result)


def test_the_marks_are_what_the_checks_judge() -> None:
    """The test above carries the ids of the checks that it runs, and no others."""
    marks = test_a_check_of_the_suite_holds.pytestmark  # type: ignore[attr-defined]
    [mark] = [mark for mark in marks if mark.name == "requirement"]
    assert {*mark.args} - {"CONF-3"} == {CHECKS[name].requirement for name in PROVIDER_CHECKS}
