"""What a scenario brings along, and what is told where it can't be used."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from acp_snapshot import RunPlaces, Scenario, ScenarioFileError
from acp_snapshot.scenario._materials import lay_out, open_jsonl_store, write_script

from ..tiny import write_scenario

HEAD = {"type": "session", "version": 0, "id": "seed-1", "createdAt": 5, "cwd": "<workspace>"}
DEEP = "[" * 100_000


def _event(seq: int, **data: Any) -> dict[str, Any]:
    return {"type": "turn/start", "seq": seq, "time": 5, "data": {"turn": 0, **data}}


def _log(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a scenario, with places for its seeds and its workspace."""
    folder = write_scenario(tmp_path / "scenario")
    (folder / "sessions").mkdir()
    (folder / "workspace").mkdir()
    return folder


def _lay_out(folder: Path) -> dict[str, int]:
    places = RunPlaces.under(folder.parent / "run")
    return asyncio.run(lay_out(Scenario.load(folder), places, open_jsonl_store(places.state)))


@pytest.mark.requirement("SNAP-2")
def test_other_line_ends_are_text(folder: Path) -> None:
    """Only a newline ends a row of a seed; what Unicode calls line ends may stand in its texts."""
    rows = _log(HEAD, _event(0, text="a\u2028b\x85c\x0bd"), _event(1))
    (folder / "sessions" / "a.jsonl").write_bytes(rows)
    assert _lay_out(folder) == {"seed-1": 2}


@pytest.mark.requirement("SNAP-2")
@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty"),
        (b"\n", "line 1: "),
        (_log(HEAD) + b"\n" + _log(_event(0)), "line 2: "),
        (_log(HEAD) + b"\xff\n", "is not UTF-8: "),
        (DEEP.encode(), "line 1: is nested too deeply"),
        (_log(HEAD) + b"[1]\n", "line 2: "),
        (_log(HEAD, _event(1)), "is no session log: "),
        (_log(HEAD, _event(0), _event(2)), "is no session log: "),
        (_log(HEAD, _event(0), _event(0)), "is no session log: "),
    ],
)
def test_seeds_that_are_no_logs(folder: Path, content: bytes, told: str) -> None:
    """A seed that can't be read, or whose events don't follow one another, is told by its file."""
    seed = folder / "sessions" / "bad.jsonl"
    seed.write_bytes(content)
    with pytest.raises(ScenarioFileError) as found:
        _lay_out(folder)
    assert found.value.path == seed
    assert found.value.problems[0].startswith(told), found.value.problems


@pytest.mark.requirement("SNAP-2")
def test_seeds_that_are_no_files(folder: Path) -> None:
    """A folder and a link to nothing are no seeds, and two seeds aren't one session."""
    seed = folder / "sessions" / "b.jsonl"
    seed.mkdir()
    with pytest.raises(ScenarioFileError, match=r"b\.jsonl:\n  can't be read: Is a directory"):
        _lay_out(folder)
    seed.rmdir()
    seed.symlink_to("nothing")
    with pytest.raises(ScenarioFileError, match=r"b\.jsonl:\n  can't be read: No such file"):
        _lay_out(folder)
    seed.unlink()
    for name in ("a.jsonl", "b.jsonl"):
        (folder / "sessions" / name).write_bytes(_log(HEAD, _event(0)))
    with pytest.raises(ScenarioFileError, match=r"b\.jsonl:\n  is no session log: "):
        _lay_out(folder)


@pytest.mark.requirement("SNAP-2")
def test_workspace_files_that_can_not_be_copied(folder: Path) -> None:
    """A link to nothing and a pipe in the workspace are told, each with its name."""
    (folder / "workspace" / "more").mkdir()
    (folder / "workspace" / "more" / "link").symlink_to("nothing")
    os.mkfifo(folder / "workspace" / "pipe")
    with pytest.raises(ScenarioFileError) as found:
        _lay_out(folder)
    assert found.value.path == folder / "workspace"
    link, pipe = sorted(found.value.problems)
    assert link.startswith("can't be copied: more/link: ")
    assert pipe.startswith("can't be copied: pipe: ")


@pytest.mark.requirement("SNAP-2")
@pytest.mark.parametrize(
    ("content", "told"),
    [(b"\xff", "is not UTF-8: "), (DEEP.encode(), "is nested too deeply")],
)
def test_scripts_that_can_not_be_read(tmp_path: Path, content: bytes, told: str) -> None:
    """A script that no names can be put into is told by its file."""
    script = tmp_path / "model.json"
    script.write_bytes(content)
    with pytest.raises(ScenarioFileError) as found:
        write_script(script, tmp_path / "copy", {"<workspace>": "/w"})
    assert found.value.path == script
    assert found.value.problems[0].startswith(told)
    assert not (tmp_path / "copy").exists()


@pytest.mark.requirement("SNAP-2")
def test_scripts_of_other_kinds(tmp_path: Path) -> None:
    """A script that is no JSON is text, and names are put in as well."""
    script = tmp_path / "model.json"
    script.write_text("say <workspace>\r\n", "utf-8")
    write_script(script, tmp_path / "copy", {"<workspace>": "/w"})
    assert (tmp_path / "copy").read_bytes() == b"say /w\r\n"
