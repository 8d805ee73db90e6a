"""Providers that are right pass the checks of searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest
from session_query_specs.checks import CHECKS
from session_query_specs.mutants.ordering import OwnOrder
from session_query_specs.oracle import Oracle
from session_query_specs.running import Status, judge

from .judging import FEW, NAMES, WHERE


@pytest.mark.requirement("CONF-6")
@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_passes_each_check(name: str) -> None:
    """The oracle is itself run through the suite."""
    result = judge(CHECKS[name], Oracle(), WHERE, FEW, 1)
    assert result.status is Status.PASSED, result.finding


class OwnRanking(Oracle):
    """Declares that it ranks in its own way."""

    capabilities: ClassVar[Mapping[str, Any]] = {
        **Oracle.capabilities,
        "ranking": "provider",
    }
    engine = OwnOrder


@pytest.mark.requirement("CONF-3", "SEARCH-9")
@pytest.mark.parametrize(
    "name", [name for name in NAMES if "ranking=contract" not in CHECKS[name].needs]
)
def test_an_order_of_its_own_fails_no_check_but_those_of_the_contracts_order(name: str) -> None:
    """A provider that declares `ranking="provider"` passes each check that is judged on it."""
    result = judge(CHECKS[name], OwnRanking(), WHERE, FEW, 3)
    assert result.status is Status.PASSED, result.finding
