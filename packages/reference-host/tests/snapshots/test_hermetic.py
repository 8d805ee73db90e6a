"""The snapshots hold wherever and whenever they are made."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import pytest
from acp_snapshot import Environment, load_scenarios, play, surfaces_of

from .launching import launch
from .test_snapshots import ROOT

TELLING: Final = ("search-trace-read", "spilled-read", "fork-lineage")
"""Scenarios in which paths, ids, times and spilled results could show."""


@pytest.mark.requirement("SNAP-7", "SPILL-1")
@pytest.mark.parametrize("name", TELLING)
def test_other_surroundings_give_the_same(name: str, tmp_path: Path) -> None:
    """Another folder, TMPDIR, zone or language, and a run beside it, change no snapshot."""
    [scenario] = [one for one in load_scenarios(ROOT / "fixtures/scenarios") if one.name == name]
    (tmp_path / "elsewhere" / "tmp dir").mkdir(parents=True)
    link = tmp_path / "a link"
    link.symlink_to(tmp_path / "elsewhere")
    surroundings = {
        link / "mit Leerzeichen & é 中": Environment(
            timezone="Asia/Kathmandu", language="C", temporary=link / "tmp dir"
        ),
        tmp_path / ("deep/" * 20): Environment(timezone="America/St_Johns", language="C"),
    }

    async def side_by_side() -> list[dict[str, str]]:
        runs = [
            play(scenario, launch, root, environment=environment)
            for root, environment in surroundings.items()
        ]
        return [dict(surfaces_of(run).files) for run in await asyncio.gather(*runs)]

    for files in asyncio.run(side_by_side()):
        assert files
        for file, text in files.items():
            kept = ROOT / "snapshots/reference-host" / name / file
            assert text == kept.read_text("utf-8"), file
