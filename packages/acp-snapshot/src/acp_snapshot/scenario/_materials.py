"""Puts in place what a scenario brings along: scripts, files and seed sessions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from session_query import JsonlPersistence, SessionEvent, SessionHeader, WritableSessionPersistence

from acp_snapshot.errors import ScenarioFileError
from acp_snapshot.launcher import RunPlaces
from acp_snapshot.scenario._reading import WORKSPACE_FOLDER, Scenario

__all__ = ["OpenStore", "lay_out", "open_jsonl_store", "placed", "write_script"]

OpenStore = Callable[[Path], WritableSessionPersistence]
"""Opens the store of session logs under a state folder."""


def open_jsonl_store(state: Path) -> JsonlPersistence:
    """Open the store at `sessions` in the state folder."""
    return JsonlPersistence(state / "sessions", compression="none")


def placed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a value with what `names` says put in, wherever a text holds one of its keys."""
    match value:
        case str():
            for name, meaning in names.items():
                value = value.replace(name, meaning)
            return value
        case dict():
            return {placed(key, names): placed(item, names) for key, item in value.items()}
        case list():
            return [placed(item, names) for item in value]
        case _:
            return value


async def lay_out(
    scenario: Scenario, places: RunPlaces, store: WritableSessionPersistence
) -> dict[str, int]:
    """Put workspace files and seed sessions in place; return how many events each seed has.

    Raises:
        ScenarioFileError: a seed is no session log.
    """
    files = scenario.folder / WORKSPACE_FOLDER
    if files.is_dir():
        shutil.copytree(files, places.workspace, dirs_exist_ok=True)
    names = {"<workspace>": str(places.workspace)}
    lengths: dict[str, int] = {}
    for path in scenario.seeds:
        header, events = _seed(path, names)
        await store.append(header, events)
        lengths[header.id] = len(events)
    if lengths:
        await store.flush()
    return lengths


def _seed(path: Path, names: Mapping[str, str]) -> tuple[SessionHeader, list[SessionEvent]]:
    events: list[SessionEvent] = []
    header: SessionHeader | None = None
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            row = placed(json.loads(line), names)
            if header is None:
                header = SessionHeader.from_json({k: v for k, v in row.items() if k != "type"})
            else:
                events.append(SessionEvent.from_json(row))
        except (ValueError, AttributeError) as error:
            raise ScenarioFileError(path, [f"line {number}: {error}"]) from error
    if header is None:
        raise ScenarioFileError(path, ["is empty"])
    return header, events


def write_script(source: Path, target: Path, names: Mapping[str, str]) -> None:
    """Copy a model script, with `names` put in; one that is no JSON is taken as text."""
    text = source.read_text("utf-8")
    try:
        target.write_text(json.dumps(placed(json.loads(text), names)), "utf-8")
    except ValueError:
        target.write_text(placed(text, names), "utf-8")
