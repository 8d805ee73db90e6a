"""Two runs in other surroundings give the same."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from acp_snapshot import Environment, Scenario, play, surfaces_of
from acp_snapshot.guards import real_paths

from ..tiny import FIRST_TURN, tiny, write_scenario


@pytest.mark.requirement("SNAP-3", "SNAP-4")
def test_other_surroundings_give_the_same(tmp_path: Path) -> None:
    """Folders, links, spaces, letters, zone, language and neighbours leave no trace."""
    folder = write_scenario(tmp_path / "scenarios" / "show", FIRST_TURN, [{"show": True}])
    scenario = Scenario.load(folder)
    (tmp_path / "other" / "tmp dir").mkdir(parents=True)
    link = tmp_path / "a link"
    link.symlink_to(tmp_path / "other")
    surroundings = [
        (tmp_path / "run", Environment()),
        (
            link / "mit Leerzeichen & é 中",
            Environment(timezone="Asia/Tokyo", language="C", temporary=link / "tmp dir"),
        ),
    ]

    async def both() -> list[tuple[dict[str, str], list[object]]]:
        runs = [
            play(scenario, tiny(), root, environment=environment)
            for root, environment in surroundings
        ]
        found = [surfaces_of(run) for run in await asyncio.gather(*runs)]
        return [(dict(one.files), [header.to_json() for header in one.headers]) for one in found]

    plain, other = asyncio.run(both())
    assert plain == other
    text = "".join(plain[0].values())
    assert not real_paths(text)
    for token in (
        "<workspace>",
        "<spill>/session-<owner-1>/<spill-1>-result.txt",
        "<tmp>",
        "<home>",
    ):
        assert token in text
