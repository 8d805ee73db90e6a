"""The checks of searches pass what is right, and fail what is wrong for the right reason."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest
from session_query import ErrorCode
from session_query_specs.checks import CHECKS, Check
from session_query_specs.oracle import Oracle, OracleEngine
from session_query_specs.running import Profile, Status, judge

from . import faults, nulls
from .nulls import WrongProvider

WHERE: Final = "session_query_specs.oracle:Oracle"
QUICK: Final = Profile("quick", examples=25, steps=1, schedules=1)
NAMES: Final = [
    name
    for name, check in CHECKS.items()
    if check.judge.__module__.rpartition(".")[2].startswith(("search", "filters", "cursor"))
]


def verdict(check: Check[Any], engine: type[Any], profile: Profile = QUICK) -> Status:
    """Return what a check says of an engine."""
    return judge(check, WrongProvider(engine), WHERE, profile, 0, shrink=False).status


@pytest.mark.requirement("CONF-6")
@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_passes_each_check(name: str) -> None:
    """The oracle is itself run through the suite."""
    result = judge(CHECKS[name], Oracle(), WHERE, Profile("few", 8, 1, 1), 1)
    assert result.status is Status.PASSED, result.finding


@pytest.mark.requirement("CONF-12")
@pytest.mark.parametrize("name", NAMES)
def test_what_does_nothing_right_passes_no_check(name: str) -> None:
    """A provider that raises, refuses, finds nothing or finds everything fails each check."""
    engines: list[type[Any]] = [nulls.Raises, nulls.Nothing, nulls.Everything]
    engines += [nulls.raising(code) for code in ErrorCode if "INVALID" in code or "STALE" in code]
    passed = [engine for engine in engines if verdict(CHECKS[name], engine) is not Status.FAILED]
    assert passed == []


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


class OwnRanking(WrongProvider):
    """Declares that it ranks in its own way."""

    capabilities: ClassVar[Mapping[str, Any]] = {
        **WrongProvider.capabilities,
        "ranking": "provider",
    }


@pytest.mark.requirement("CONF-3", "SEARCH-9")
@pytest.mark.parametrize(
    "name", [name for name in NAMES if "ranking=contract" not in CHECKS[name].needs]
)
def test_an_order_of_its_own_fails_no_check_but_those_of_the_contracts_order(name: str) -> None:
    """A provider that declares `ranking="provider"` passes each check that is judged on it."""
    result = judge(CHECKS[name], OwnRanking(faults.OwnOrder), WHERE, QUICK, 3)
    assert result.status is Status.PASSED, result.finding


@pytest.mark.requirement("CONF-15")
@pytest.mark.parametrize(
    "name", ["SEARCH-1/finds", "SEARCH-12/many-values", "CURSOR-1/pages", "CURSOR-3/corpus"]
)
def test_a_finding_has_a_script_that_runs(name: str, tmp_path: Path) -> None:
    """The script of a failure card runs as it is, with the class that it names."""
    result = judge(CHECKS[name], WrongProvider(nulls.Nothing), WHERE, QUICK, 0)
    assert result.finding is not None
    script = tmp_path / "script.py"
    script.write_text(result.finding.script, encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "items" in done.stdout or "SESSION_QUERY" in done.stdout
