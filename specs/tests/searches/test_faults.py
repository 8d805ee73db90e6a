"""A fault fails the check of the requirement that it breaks."""

from __future__ import annotations

import pytest
from session_query_specs.checks import CHECKS
from session_query_specs.oracle import OracleEngine
from session_query_specs.running import Status

from . import faults
from .judging import verdict


@pytest.mark.requirement("CONF-11")
@pytest.mark.parametrize(
    ("engine", "name"),
    [
        (faults.StoredShadows, "SEARCH-4/live-shadows"),
        (faults.OnlyCurrent, "SEARCH-4/surfaces"),
        (faults.AnyOrder, "SEARCH-5/phrase"),
        (faults.CaseMatters, "SEARCH-6/tokens"),
        (faults.CountsOverlaps, "SEARCH-9/order"),
        (faults.OldestFirst, "SEARCH-9/order"),
        (faults.FirstSeqFirst, "SEARCH-9/order"),
        (faults.LengthInBytes, "SEARCH-9/order"),
        (faults.SpansBeforeLength, "SEARCH-13/order"),
        (faults.LargerBlocks, "SEARCH-13/matched"),
        (faults.LargerBlocks, "SEARCH-13/blocks"),
        (faults.KeepsStopWords, "SEARCH-13/words"),
        (faults.AllIsAny, "SEARCH-13/all"),
        (faults.CutsClusters, "SEARCH-10/snippet"),
        (faults.FiltersLast, "SEARCH-8/filters-first"),
        (faults.ExclusiveEnds, "FILTER-1/kinds"),
        (faults.FirstFilterOnly, "FILTER-2/combined"),
        (faults.SkipsOne, "CURSOR-1/pages"),
        (faults.OrderOfTheWhole, "SEARCH-9/workspace"),
        (faults.TakesAnyCursor, "CURSOR-2/request"),
        (faults.NeverStale, "CURSOR-3/corpus"),
        (faults.AlwaysStale, "CURSOR-3/other-sessions"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_fault_fails_the_check_that_is_for_it(engine: type[OracleEngine], name: str) -> None:
    """Each provider with one fault fails the check of the requirement that it breaks."""
    assert verdict(CHECKS[name], engine) is Status.FAILED
