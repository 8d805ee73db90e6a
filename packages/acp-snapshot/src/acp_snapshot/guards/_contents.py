"""Whether snapshots hold what they may hold only (SNAP-6)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from acp_snapshot.guards._real_paths import real_path_problems
from acp_snapshot.pins import HEADER_FILE, read_pin
from acp_snapshot.scenario import Scenario

__all__ = ["header_problems", "path_problems", "sidecar_problems"]

_SIDECAR = re.compile(r"[^/]+/(?:system-[0-9]+\.md|tools-[0-9]+\.json)")
_LONG = 40
"""A shorter prompt may stand in a conversation by chance."""


_UPDATE = "make it anew with --snapshot-update"


def _snapshots(snapshots: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(snapshots.rglob("*")):
        if path.is_file():
            yield path.relative_to(snapshots).as_posix(), path


def path_problems(snapshots: Path, allowed: Sequence[str] = ()) -> list[str]:
    """Return each real path in a snapshot, except what a regular expression allows."""
    return [
        problem
        for name, path in _snapshots(snapshots)
        for problem in real_path_problems(
            name, path.read_bytes().decode("utf-8", "replace"), allowed
        )
    ]


def sidecar_problems(snapshots: Path) -> list[str]:
    """Return which sidecars show the same: there is one for each distinct content."""
    first: dict[bytes, str] = {}
    problems = []
    for name, path in _snapshots(snapshots):
        if _SIDECAR.fullmatch(name):
            known = first.setdefault(path.read_bytes(), name)
            if known != name:
                problems.append(
                    f"duplicated sidecar: {name} shows the same as {known}; remove it, and update"
                    " with --snapshot-update"
                )
    return problems


def header_problems(scenarios: Sequence[Scenario], snapshots: Path) -> list[str]:
    """Return where a request header stands that should not: only pins and changes show any."""
    problems = []
    pins = {one.name: read_pin(snapshots, one) for one in scenarios if one.pins_header}
    prompts = {
        json.dumps(pin.system, ensure_ascii=False)[1:-1]: name
        for name, pin in pins.items()
        if pin is not None and len(pin.system) >= _LONG
    }
    for name, path in _snapshots(snapshots):
        if _SIDECAR.fullmatch(name):
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        rows = _rows(path, text)
        if any(map(_holds_header, rows)):
            problems.append(f"unscrubbed header: {name} holds a request header in full; {_UPDATE}")
        problems += [
            f"unscrubbed header: {name} holds the system prompt that {pin} pins; have the agent"
            " tell it nowhere but in request/header events"
            for prompt, pin in prompts.items()
            if prompt in text
        ]
    for scenario in scenarios:
        path = snapshots / scenario.name / HEADER_FILE
        if not scenario.pins_header and path.is_file() and _first(path) not in ([], ["pinned_by"]):
            problems.append(
                f"unscrubbed header: {scenario.name}/{HEADER_FILE} shows the header of its class,"
                f" and pins nothing; {_UPDATE}"
            )
    return problems


def _rows(path: Path, text: str) -> list[Any]:
    if path.name == HEADER_FILE:
        return []
    rows = []
    for line in text.split("\n"):  # JSON may hold other line ends as they stand
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError):
            continue
    return rows


def _holds_header(row: Any) -> bool:
    if not isinstance(row, dict) or row.get("type") != "request/header":
        return False
    data = row.get("data")
    return not isinstance(data, dict) or not isinstance(data.get("header"), str)


def _first(path: Path) -> list[str]:
    """Return the keys of the first header that a file shows; none where there is no header."""
    try:
        headers = json.loads(path.read_bytes())["headers"]
        return list(headers[0]) if headers else []
    except (ValueError, LookupError, TypeError, RecursionError):
        return ["unreadable"]
