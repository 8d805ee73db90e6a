"""The tools keep to the contract in the reference host, races included (CONF-2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from reference_host.conformance import ReferenceHost
from session_query_specs.checks import CHECKS
from session_query_specs.corpora import Corpus
from session_query_specs.hosts import HostCall, Race, own, visible
from session_query_specs.loop import Schedule, schedules
from session_query_specs.running import PROFILES, Status, judge

CHECKS_OF_HOSTS = [name for name, check in CHECKS.items() if check.subject == "host"]


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
@pytest.mark.parametrize("name", CHECKS_OF_HOSTS)
def test_a_check_of_the_suite_holds(name: str) -> None:
    """The five tools, called through the dispatcher of the reference host, pass the check."""
    where = f"{ReferenceHost.__module__}:{ReferenceHost.__qualname__}"
    result = judge(CHECKS[name], ReferenceHost(), where, PROFILES["quick"], 0)
    told = result.status.value
    if result.finding is not None:
        found = result.finding
        told = ascii("\n".join([*found.example, f"expected {found.expected}", f"got {found.got}"]))
    assert result.status is Status.PASSED, told
    assert result.examples


def test_the_marks_are_what_the_checks_judge() -> None:
    """The test above carries the ids of the checks that it runs, and no others."""
    marks = test_a_check_of_the_suite_holds.pytestmark  # type: ignore[attr-defined]
    [mark] = [mark for mark in marks if mark.name == "requirement"]
    assert {*mark.args} - {"CONF-2"} == {CHECKS[name].requirement for name in CHECKS_OF_HOSTS}


@pytest.mark.requirement("HOST-8")
@given(schedules())
def test_its_races_are_explored_on_the_loop_of_the_suite(schedule: Schedule) -> None:
    """A call of the host runs by a schedule; it needs no thread, no socket and no real time."""
    corpus = Corpus((own(), visible("v0", "rocket launched")))
    call = HostCall(corpus, "session_search", {"query": "rocket", "match": "all"})
    heard, trace = Race(call, schedule).heard(ReferenceHost())
    assert "v0" in heard.text
    assert any("tool session_search" in line for line in trace)
