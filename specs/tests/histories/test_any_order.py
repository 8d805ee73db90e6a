"""Providers with an order of their own are judged against sources that change, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import pytest
from session_query_specs.checks import CHECKS
from session_query_specs.mutants.ordering import OwnOrder
from session_query_specs.oracle import Oracle
from session_query_specs.running import PROFILES, Status, judge, run_conformance

NAMES: Final = ["RECON-1/found", "RECON-4/found"]


class OwnRanking(Oracle):
    """Says that it ranks in its own way, and does."""

    capabilities: ClassVar[Mapping[str, Any]] = {**Oracle.capabilities, "ranking": "provider"}
    engine = OwnOrder


@pytest.mark.requirement("CONF-3", "CONF-7")
@pytest.mark.parametrize("name", NAMES)
def test_an_order_of_its_own_is_no_fault(name: str) -> None:
    """In whatever order hits come, what counts is what there is."""
    result = judge(CHECKS[name], OwnRanking(), "here:OwnRanking", PROFILES["quick"], 0)
    assert result.status is Status.PASSED, result.finding
    assert result.situations["a hit"] > 10


@pytest.mark.requirement("CONF-3")
@pytest.mark.parametrize(
    ("subject", "history", "found"),
    [
        (Oracle, Status.PASSED, Status.NOT_CLAIMED),
        (OwnRanking, Status.NOT_CLAIMED, Status.PASSED),
    ],
    ids=["contract", "provider"],
)
def test_each_ranking_has_its_own_form(
    subject: type[Oracle], history: Status, found: Status
) -> None:
    """Either ranking is judged on histories, in one of two forms."""
    results = run_conformance(subject, only=["RECON-1"]).results
    statuses = {one.name: one.status for one in results}
    assert statuses == {
        "RECON-1/history": history,
        "RECON-1/found": found,
        "RECON-1/replaced": Status.PASSED,
        "RECON-1/meanwhile": Status.PASSED,
        "RECON-1/no-end": Status.PASSED,
        "RECON-1/growing": Status.PASSED,
    }
