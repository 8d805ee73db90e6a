"""Each mutant is killed by the checks that it names, and the chain has no gaps."""

from __future__ import annotations

from typing import Final

import pytest
from session_query_specs.checks import CHECKS
from session_query_specs.contract import gaps
from session_query_specs.mutants import MUTANTS
from session_query_specs.running import Status

from .judging import PROVIDERS, judged

_SLIPS: Final = ("TypeError", "AttributeError", "NameError", "KeyError", "IndexError")
"""What a mutant or a check raises by a fault that nobody meant."""


@pytest.mark.requirement("CONF-11")
@pytest.mark.parametrize("name", PROVIDERS)
def test_a_mutant_is_killed(name: str) -> None:
    """Each check that a mutant names, of the requirement that it breaks, fails for its fault."""
    for check in MUTANTS[name].checks:
        assert CHECKS[check].requirement == MUTANTS[name].requirement
        result = judged(name, check, shrink=False)
        assert result.status is Status.FAILED
        assert result.finding is not None
        assert not result.finding.got.startswith(_SLIPS)


@pytest.mark.requirement("CONF-11")
def test_there_are_enough_mutants() -> None:
    """There are at least sixty mutants, of all three kinds, each with a fault of its own."""
    assert len(MUTANTS) >= 60
    assert {one.kind for one in MUTANTS.values()} == {"provider", "store", "host"}
    assert len({one.fault for one in MUTANTS.values()}) == len(MUTANTS)


@pytest.mark.requirement("CONF-13")
def test_each_check_has_a_mutant() -> None:
    """There is no requirement with a check and without a mutant."""
    checks = {name: check.requirement for name, check in CHECKS.items()}
    mutants = {one.name: one.requirement for one in MUTANTS.values()}
    assert [gap for gap in gaps(checks, mutants) if "has no mutant" in gap] == []
