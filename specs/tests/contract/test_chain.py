"""Sentence, id, check and mutant hang together, or it is told where they don't (CONF-13)."""

from __future__ import annotations

import pytest
from session_query_specs.checks import CHECKS
from session_query_specs.contract import Link, Requirement, chain, gaps
from session_query_specs.running import in_order

JUDGED = Requirement("A-1", "Things", "provider", "It is so.", "1.0")
EXCLUDED = Requirement("A-2", "Things", "provider", "It is thus.", "1.0", "nobody can see it")
TABLE = {one.id: one for one in (JUDGED, EXCLUDED)}


@pytest.mark.requirement("CONF-13")
def test_the_chain_leads_from_sentence_to_mutants() -> None:
    """Each requirement comes with the checks and the mutants that name it."""
    links = chain({"A-1/so": "A-1", "A-1/too": "A-1"}, {"off by one": "A-1"}, TABLE)
    assert links == (Link(JUDGED, ("A-1/so", "A-1/too"), ("off by one",)), Link(EXCLUDED))


@pytest.mark.requirement("CONF-13")
def test_a_whole_chain_has_no_gaps() -> None:
    """What is judged and broken, or excluded with a reason, is no gap."""
    assert list(gaps({"A-1/so": "A-1"}, {"off by one": "A-1"}, TABLE)) == []


@pytest.mark.requirement("CONF-13")
@pytest.mark.parametrize(
    ("checks", "mutants", "told"),
    [
        ({}, {}, "A-1 has no check"),
        ({}, {"m": "A-1"}, "A-1 has mutants, m, and no check"),
        ({"A-1/so": "A-1"}, {}, "A-1 has no mutant"),
        ({"A-1/so": "A-1", "A-2/thus": "A-2"}, {"m": "A-1"}, "A-2 is excluded, and yet judged"),
        ({"A-1/so": "A-1", "B-1/no": "B-1"}, {"m": "A-1"}, "the check B-1/no names B-1"),
        ({"A-1/so": "A-1"}, {"m": "A-1", "n": "B-1"}, "the mutant n names B-1"),
    ],
)
def test_each_gap_is_told(checks: dict[str, str], mutants: dict[str, str], told: str) -> None:
    """A missing check or mutant, a judged exclusion and an unknown id are each a gap."""
    assert any(gap.startswith(told) for gap in gaps(checks, mutants, TABLE))


@pytest.mark.requirement("CONF-13", "CONF-14")
def test_the_checks_of_the_suite_hang_together() -> None:
    """Every check names a requirement of the table that isn't excluded, and builds on others."""
    assert len(in_order(CHECKS)) == len(CHECKS)
    judged = {name: check.requirement for name, check in CHECKS.items()}
    told = [gap for gap in gaps(judged, {}) if "excluded" in gap or "no requirement" in gap]
    assert told == []
