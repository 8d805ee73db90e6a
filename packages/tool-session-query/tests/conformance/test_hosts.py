"""The tools pass what the conformance suite asks of a host, by themselves and in each framework."""

from __future__ import annotations

import pytest
from session_query_specs import HostUnderTest
from session_query_specs.checks import CHECKS
from session_query_specs.running import PROFILES, CheckResult, Profile, Status, judge

from .adapted import LangChainHost, OpenAIAgentsHost, PydanticAIHost
from .plain import CallsHost, PlainHost

CHECKS_OF_HOSTS = [name for name, check in CHECKS.items() if check.subject == "host"]
HOSTS = [PlainHost, CallsHost, OpenAIAgentsHost, PydanticAIHost, LangChainHost]
IN_A_FRAMEWORK = Profile("framework", examples=6, steps=5, schedules=10)
"""As many examples as fit: a framework makes its tools anew for each, which takes most of it."""


def told(result: CheckResult) -> str:
    """Return what a failed check found, in characters that every report can hold."""
    if result.finding is None:
        return result.status.value
    found = result.finding
    return ascii("\n".join([*found.example, f"expected {found.expected}", f"got {found.got}"]))


@pytest.mark.requirement(
    "CONF-2",  # and each one that a check of hosts judges
    "AUTH-1",
    "AUTH-2",
    "AUTH-3",
    "AUTH-4",
    "AUTH-5",
    "AUTH-6",
    "AUTH-7",
    "AUTH-8",
    "INPUT-1",
    "INPUT-2",
    "INPUT-3",
    "INPUT-4",
    "INPUT-5",
    "INPUT-6",
    "RENDER-1",
    "RENDER-2",
    "RENDER-3",
    "RENDER-4",
    "SAN-1",
    "SAN-2",
    "SAN-3",
    "SAN-4",
    "SAN-5",
    "TITLE-1",
    "TITLE-2",
    "TITLE-3",
    "TOOL-4",
    "TOOL-5",
    "TOOL-6",
)
@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
@pytest.mark.parametrize("name", CHECKS_OF_HOSTS)
def test_a_check_of_the_suite_holds(name: str, host: type[HostUnderTest]) -> None:
    """The tools keep to the contract, executed as they are and as each framework calls them."""
    where = f"{host.__module__}:{host.__qualname__}"
    profile = PROFILES["quick"] if host in (PlainHost, CallsHost) else IN_A_FRAMEWORK
    result = judge(CHECKS[name], host(), where, profile, 0)
    assert result.status is Status.PASSED, told(result)
    assert result.examples


def test_the_marks_are_what_the_checks_judge() -> None:
    """The test above carries the ids of the checks that it runs, and no others."""
    marks = test_a_check_of_the_suite_holds.pytestmark  # type: ignore[attr-defined]
    [mark] = [mark for mark in marks if mark.name == "requirement"]
    assert {*mark.args} - {"CONF-2"} == {CHECKS[name].requirement for name in CHECKS_OF_HOSTS}
