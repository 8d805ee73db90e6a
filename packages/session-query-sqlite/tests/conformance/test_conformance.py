"""The provider keeps to the contract: the conformance suite, run against it."""

from __future__ import annotations

import pytest
from session_query_specs import ProviderUnderTest
from session_query_specs._subjects import capabilities_of
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


@pytest.mark.requirement("CONF-3")
@pytest.mark.parametrize("name", PROVIDER_CHECKS)
def test_a_check_of_the_suite_holds(name: str) -> None:
    """Each claim of the contract holds, on as many examples as `quick` draws."""
    provider: ProviderUnderTest = SqliteProvider()
    where = "session_query_sqlite.conformance:SqliteProvider"
    result = judge(CHECKS[name], provider, where, PROFILES["quick"], 0)
    assert result.status is Status.PASSED, told(result)
