"""Puts in place what a scenario brings along: scripts, files and seed sessions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from session_query import (
    JsonlPersistence,
    PersistenceConflictError,
    SessionEvent,
    SessionHeader,
    WritableSessionPersistence,
)

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
        ScenarioFileError: a file can't be copied, or a seed is no session log.
    """
    files = scenario.folder / WORKSPACE_FOLDER
    if files.is_dir():
        _copy(files, places.workspace)
    names = {"<workspace>": str(places.workspace)}
    lengths: dict[str, int] = {}
    for path in scenario.seeds:
        header, events = _seed(path, names)
        try:
            await store.append(header, events)
            await store.flush()
        except PersistenceConflictError as error:
            raise ScenarioFileError(path, [f"is no session log: {error}"]) from error
        lengths[header.id] = len(events)
    return lengths


def _copy(files: Path, workspace: Path) -> None:
    try:
        shutil.copytree(files, workspace, dirs_exist_ok=True)
    except shutil.Error as error:
        # Each is a file, its copy, and what was wrong.
        failed = [f"{Path(one).relative_to(files)}: {why}" for one, _, why in error.args[0]]
        raise ScenarioFileError(files, [f"can't be copied: {one}" for one in failed]) from error
    except OSError as error:
        raise ScenarioFileError(files, [f"can't be copied: {error}"]) from error


def _seed(path: Path, names: Mapping[str, str]) -> tuple[SessionHeader, list[SessionEvent]]:
    events: list[SessionEvent] = []
    header: SessionHeader | None = None
    lines = _text(path).split("\n")  # JSON may hold other line ends as they stand
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        try:
            row = placed(json.loads(line), names)
            if header is None:
                header = SessionHeader.from_json({k: v for k, v in row.items() if k != "type"})
            else:
                events.append(SessionEvent.from_json(row))
        except RecursionError as error:
            raise ScenarioFileError(path, [f"line {number}: is nested too deeply"]) from error
        except (ValueError, AttributeError) as error:
            raise ScenarioFileError(path, [f"line {number}: {error}"]) from error
    if header is None:
        raise ScenarioFileError(path, ["is empty"])
    return header, events


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise ScenarioFileError(path, [f"can't be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise ScenarioFileError(path, [f"is not UTF-8: {error}"]) from error


def write_script(source: Path, target: Path, names: Mapping[str, str]) -> None:
    """Copy a model script, with `names` put in; one that is no JSON is taken as text.

    Raises:
        ScenarioFileError: it can't be read.
    """
    text = _text(source)
    try:
        written = json.dumps(placed(json.loads(text), names))
    except RecursionError as error:
        raise ScenarioFileError(source, ["is nested too deeply"]) from error
    except ValueError:
        written = placed(text, names)
    target.write_text(written, "utf-8")
