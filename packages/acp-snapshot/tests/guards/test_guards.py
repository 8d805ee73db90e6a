"""Each guard, on folders that are well and on folders that are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from acp_snapshot import Scenario, load_scenarios
from acp_snapshot.guards import (
    header_problems,
    missing_problems,
    orphan_problems,
    sidecar_problems,
    unused_files,
)
from acp_snapshot.pins import pin_problems

from ..tiny import FIRST_TURN, write_scenario

PROMPT = 'You are a "tiny" agent, and you are told so at some length.\n'
HEADER = {"config": {}, "system": "system-1.md", "tools": "tools-1.json"}


@pytest.fixture
def scenarios(tmp_path: Path) -> list[Scenario]:
    """A pin and another scenario."""
    write_scenario(tmp_path / "scenarios" / "pin")
    write_scenario(tmp_path / "scenarios" / "other", FIRST_TURN.replace("pins_header = true", ""))
    return load_scenarios(tmp_path / "scenarios")


@pytest.fixture
def snapshots(tmp_path: Path) -> Path:
    """Their snapshots, which are well."""
    folder = tmp_path / "snapshots"
    placeholder = {"composition": "plain", "headers": [{"pinned_by": "pin"}]}
    row = {"type": "request/header", "data": {"header": "<header-1>"}}
    for name in ("pin", "other"):
        (folder / name).mkdir(parents=True)
        (folder / name / "stdout-1.jsonl").write_text("{}\n", "utf-8")
        (folder / name / "session-1.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
        (folder / name / "header.json").write_text(json.dumps(placeholder), "utf-8")
    (folder / "pin" / "header.json").write_text(json.dumps({"headers": [HEADER]}), "utf-8")
    (folder / "pin" / "system-1.md").write_text(PROMPT, "utf-8")
    (folder / "pin" / "tools-1.json").write_text("[]\n", "utf-8")
    return folder


@pytest.mark.requirement("SNAP-6")
def test_all_is_well(scenarios: list[Scenario], snapshots: Path) -> None:
    """Guards have nothing to tell of snapshots that are well."""
    assert pin_problems(scenarios) == []
    assert orphan_problems(scenarios, snapshots) == []
    assert missing_problems(scenarios, snapshots) == []
    assert header_problems(scenarios, snapshots) == []
    assert sidecar_problems(snapshots) == []


@pytest.mark.requirement("SNAP-5", "SNAP-6")
def test_pins(tmp_path: Path) -> None:
    """A class without a pin, and one with two, are named with their scenarios."""
    write_scenario(tmp_path / "a")
    write_scenario(tmp_path / "b")
    write_scenario(
        tmp_path / "c", FIRST_TURN.replace("pins_header = true", "").replace("plain", "x")
    )
    two, none = pin_problems(load_scenarios(tmp_path))
    only = "only one of them keeps `pins_header = true`"
    assert two == f"composition class 'plain' has two pins: a, b; {only}"
    assert none == "composition class 'x' has no pin: one of c needs `pins_header = true`"


@pytest.mark.requirement("SNAP-6")
def test_what_belongs_to_nobody(scenarios: list[Scenario], snapshots: Path) -> None:
    """Directories, files and folders in folders that no scenario makes are told."""
    (snapshots / "gone").mkdir()
    (snapshots / "notes.txt").touch()
    assert len(orphan_problems(scenarios, snapshots)) == 2
    (snapshots / "pin" / "more").mkdir()
    assert [path.name for path in unused_files(snapshots / "pin", ["stdout-1.jsonl"])] == [
        "header.json",
        "more",
        "session-1.jsonl",
        "system-1.md",
        "tools-1.json",
    ]


@pytest.mark.requirement("SNAP-6")
def test_missing(scenarios: list[Scenario], snapshots: Path) -> None:
    """A scenario without its files is told, each file."""
    (snapshots / "other" / "stdout-1.jsonl").unlink()
    (snapshots / "other" / "header.json").unlink()
    assert len(missing_problems(scenarios, snapshots)) == 2
    assert missing_problems(scenarios, snapshots / "nowhere")


@pytest.mark.requirement("SNAP-6")
@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("session-1.jsonl", '{"type":"request/header","data":{"header":{}}}\n', "in full"),
        ("session-1.jsonl", '{"type":"request/header","data":[]}\n', "in full"),
        ("session-1.jsonl", '{"type":"request/header","data":{"x":"\u2028\x85"}}\n', "in full"),
        ("session-1.jsonl", f'{"[" * 100_000}\n{{"type":"request/header"}}\n', "in full"),
        ("stdout-1.jsonl", json.dumps({"text": f"x{PROMPT}"}), "the system prompt that pin pins"),
        ("header.json", json.dumps({"headers": [HEADER]}), "and pins nothing"),
        ("header.json", "no JSON", "and pins nothing"),
        ("header.json", "[" * 100_000, "and pins nothing"),
    ],
)
def test_headers_where_none_should_be(
    scenarios: list[Scenario], snapshots: Path, name: str, text: str, told: str
) -> None:
    """A header in full, wherever it stands but in a pin, is told with its file."""
    (snapshots / "other" / name).write_text(text, "utf-8")
    [problem] = header_problems(scenarios, snapshots)
    assert problem.startswith(f"unscrubbed header: other/{name} ")
    assert told in problem


@pytest.mark.requirement("SNAP-6")
def test_two_sidecars(snapshots: Path) -> None:
    """Two sidecars that show the same are told, in one folder or in two."""
    (snapshots / "pin" / "tools-2.json").write_text("[]\n", "utf-8")
    (snapshots / "other" / "system-2.md").write_text(PROMPT, "utf-8")
    for stray in ("pin/a.md", "pin/b.md", "c.json", "other/tools.json"):
        (snapshots / stray).write_text("", "utf-8")
    then = "remove it, and update with --snapshot-update"
    assert sidecar_problems(snapshots) == [
        f"duplicated sidecar: pin/system-1.md shows the same as other/system-2.md; {then}",
        f"duplicated sidecar: pin/tools-2.json shows the same as pin/tools-1.json; {then}",
    ]
