"""Which header a composition class sends, and who proves it (SNAP-5)."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from acp_snapshot.scenario import Scenario
from acp_snapshot.surfaces import RequestHeader

__all__ = ["HEADER_FILE", "HeaderFiles", "header_files", "pin_of", "pin_problems", "read_pin"]

HEADER_FILE = "header.json"


@dataclass(frozen=True, slots=True)
class HeaderFiles:
    """The files that show the headers of a run, and what is wrong with the headers."""

    files: Mapping[str, str]
    problems: Sequence[str]


def pin_of(scenarios: Sequence[Scenario], composition: str) -> Scenario | None:
    """Return the scenario that pins the header of a class; None unless there is exactly one."""
    pins = [one for one in scenarios if one.composition == composition and one.pins_header]
    return pins[0] if len(pins) == 1 else None


def pin_problems(scenarios: Sequence[Scenario]) -> list[str]:
    """Return what is wrong with the pins of all classes: each has exactly one."""
    problems = []
    for composition in sorted({one.composition for one in scenarios}):
        of_class = [one for one in scenarios if one.composition == composition]
        pins = [one.name for one in of_class if one.pins_header]
        if len(pins) > 1:
            problems.append(
                f"composition class {composition!r} has two pins: {', '.join(pins)}; only one"
                " of them keeps `pins_header = true`"
            )
        elif not pins:
            names = ", ".join(one.name for one in of_class)
            problems.append(
                f"composition class {composition!r} has no pin: one of {names} needs"
                " `pins_header = true`"
            )
    return problems


def header_files(
    scenario: Scenario,
    headers: Sequence[RequestHeader],
    scenarios: Sequence[Scenario],
    snapshots: Path,
) -> HeaderFiles:
    """Return the files of a scenario's headers: all of them in a pin, else a placeholder.

    The first header of a scenario that pins nothing must equal the pin's; further headers are
    declared changes, and shown in full. A prompt or schemas that an earlier pin shows already are
    referred to.
    """
    problems = _change_problems(scenario, headers)
    pin = pin_of(scenarios, scenario.composition)
    shown: list[Any] = []
    files: dict[str, str] = {}
    elsewhere = _earlier_sidecars(scenario, scenarios, snapshots)
    for number, header in enumerate(headers, 1):
        if number == 1 and not scenario.pins_header:
            shown.append({"pinned_by": pin.name if pin else None})
            problems += _pin_differences(header, pin, scenario, snapshots)
            continue
        shown.append(
            {
                "config": header.config,
                "system": _sidecar(f"system-{number}.md", header.system, files, elsewhere),
                "tools": _sidecar(f"tools-{number}.json", _tools(header), files, elsewhere),
            }
        )
    if scenario.pins_header and not headers:
        problems.append(f"{scenario.name} pins the header of its class, but makes no model request")
    files[HEADER_FILE] = _pretty({"composition": scenario.composition, "headers": shown})
    return HeaderFiles(files, problems)


def read_pin(snapshots: Path, pin: Scenario) -> RequestHeader | None:
    """Read the header that a scenario pins; None if its snapshots don't hold it."""
    folder = snapshots / pin.name
    try:
        shown = json.loads((folder / HEADER_FILE).read_bytes())["headers"][0]
        system = (folder / shown["system"]).read_bytes().decode("utf-8")
        tools = json.loads((folder / shown["tools"]).read_bytes())
        return RequestHeader(shown["config"], system, tools)
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _change_problems(scenario: Scenario, headers: Sequence[RequestHeader]) -> list[str]:
    changes = max(len(headers) - 1, 0)
    declared = scenario.file.header_changes
    if changes == declared:
        return []
    what = f"the request header changed {changes} times within the run"
    told = [f"{what}, and scenario.toml declares header_changes = {declared}"]
    for before, after in pairwise(headers):
        told += _difference(before, after, "before", "after")
    return ["\n".join(told)]


def _pin_differences(
    header: RequestHeader, pin: Scenario | None, scenario: Scenario, snapshots: Path
) -> list[str]:
    if pin is None:
        what = f"not exactly one scenario pins the header of class {scenario.composition!r}"
        return [f"{what}: one needs `pins_header = true`"]
    pinned = read_pin(snapshots, pin)
    if pinned is None:
        return [f"the snapshots of {pin.name} hold no header: update them first"]
    if header.same_as(pinned):
        return []
    of_class = f"{pin.name} pins for class {scenario.composition!r}"
    told = [f"the real request header is not the one that {of_class}:"]
    return ["\n".join(told + _difference(pinned, header, f"{pin.name} pins", "really sent"))]


def _difference(before: RequestHeader, after: RequestHeader, name: str, other: str) -> list[str]:
    old, new = (
        f"{_pretty(one.config)}{one.system}\n{_tools(one)}".splitlines() for one in (before, after)
    )
    return list(difflib.unified_diff(old, new, name, other, lineterm="", n=2))


def _tools(header: RequestHeader) -> str:
    return _pretty(list(header.tools))


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _earlier_sidecars(
    scenario: Scenario, scenarios: Sequence[Scenario], snapshots: Path
) -> dict[str, str]:
    """Return what the pins before this one show, each content with the path that leads there."""
    found: dict[str, str] = {}
    for other in scenarios:
        if other.name == scenario.name:
            break
        if not other.pins_header:
            continue
        for path in sorted((snapshots / other.name).glob("*-*.*")):
            if path.suffix in {".md", ".json"}:
                text = path.read_bytes().decode("utf-8", "replace")
                found.setdefault(text, f"../{other.name}/{path.name}")
    return found


def _sidecar(name: str, text: str, files: dict[str, str], elsewhere: Mapping[str, str]) -> str:
    """Return where a content is shown, and show it here if it's shown nowhere yet."""
    if text in elsewhere:
        return elsewhere[text]
    for known, content in files.items():
        if content == text:
            return known
    files[name] = text
    return name
