"""Whether scenarios and snapshots belong together (SNAP-6)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from acp_snapshot.pins import HEADER_FILE
from acp_snapshot.scenario import Scenario

__all__ = ["missing_problems", "orphan_problems", "unused_files"]


def orphan_problems(scenarios: Sequence[Scenario], snapshots: Path) -> list[str]:
    """Return what lies among the snapshots and belongs to no scenario."""
    names = {one.name for one in scenarios}
    if not snapshots.is_dir():
        return []
    problems = []
    for path in sorted(snapshots.iterdir()):
        if path.is_dir() and path.name not in names:
            problems.append(f"orphan directory: {path.name}/ has no scenario; remove it")
        elif not path.is_dir():
            problems.append(f"stray file: {path.name} is no snapshot of a scenario; remove it")
    return problems


def missing_problems(scenarios: Sequence[Scenario], snapshots: Path) -> list[str]:
    """Return which snapshots that every scenario has are not there."""
    problems = []
    for scenario in scenarios:
        stdouts = [f"stdout-{number}.jsonl" for number in range(1, len(scenario.file.process) + 1)]
        problems += [
            f"missing snapshot: {scenario.name}/{name}; make it with --snapshot-update"
            for name in [*stdouts, HEADER_FILE]
            if not (snapshots / scenario.name / name).is_file()
        ]
    return problems


def unused_files(folder: Path, used: Sequence[str]) -> list[Path]:
    """Return what lies in the folder of a scenario and is none of its snapshots."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.name not in used or path.is_dir())
