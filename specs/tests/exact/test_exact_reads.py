"""What every provider inherits from the engine is right: the suite, run against the oracle."""

from __future__ import annotations

import pytest
from session_query_specs.checks import CHECKS
from session_query_specs.oracle import Oracle
from session_query_specs.running import PROFILES, Status, judge

OF_THE_ENGINE = ("cancellation", "exact_", "exploring", "reads", "sources", "traces")
NAMES = [
    name
    for name, check in CHECKS.items()
    if check.judge.__module__.rpartition(".")[2].startswith(OF_THE_ENGINE)
]


@pytest.mark.requirement(
    "CONF-6",  # and each one that a check of exact reads judges
    "CANCEL-2",
    "CANCEL-3",
    "CANCEL-4",
    "CANCEL-5",
    "CORPUS-1",
    "CORPUS-2",
    "CORPUS-3",
    "CORPUS-4",
    "CORPUS-5",
    "CORPUS-6",
    "ERR-2",
    "ERR-4",
    "ERR-5",
    "FILTER-1",
    "FILTER-2",
    "FILTER-3",
    "FILTER-4",
    "READ-1",
    "READ-2",
    "READ-3",
    "READ-4",
    "RECON-7",
    "TRACE-1",
    "TRACE-2",
    "TRACE-3",
)
@pytest.mark.parametrize("name", NAMES)
def test_a_check_of_exact_reads_holds(name: str) -> None:
    """The oracle adds no exact read of its own: what is judged here is the engine itself."""
    result = judge(
        CHECKS[name], Oracle(), "session_query_specs.oracle:Oracle", PROFILES["quick"], 0
    )
    assert result.status is Status.PASSED, result.finding


def test_the_marks_are_what_the_checks_judge() -> None:
    """The test above carries the ids of the checks that it runs, and no others."""
    marks = test_a_check_of_exact_reads_holds.pytestmark  # type: ignore[attr-defined]
    [mark] = [mark for mark in marks if mark.name == "requirement"]
    assert {*mark.args} - {"CONF-6"} == {CHECKS[name].requirement for name in NAMES}
