"""What of a run is compared: stdout, session logs and request headers (SNAP-4)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from session_query import StoredSession, dumps

from acp_snapshot.errors import ScenarioStepError
from acp_snapshot.normalizing import Place, Rules, normalize, renumbered
from acp_snapshot.scenario import ScenarioRun
from acp_snapshot.surfaces._header import RequestHeader, logged_headers, read_recorded_headers

__all__ = ["Surfaces", "places_of", "surfaces_of"]


@dataclass(frozen=True, slots=True)
class Surfaces:
    """The comparable form of a run.

    Attributes:
        files: the text of each file: `stdout-1.jsonl` and so on, `session-1.jsonl` and so on.
        headers: the distinct headers, in the order in which they were first sent.
    """

    files: Mapping[str, str]
    headers: tuple[RequestHeader, ...]


def places_of(run: ScenarioRun) -> list[Place]:
    """Return the places whose paths are replaced, in every spelling."""
    places = run.places
    return [
        Place.at("workspace", places.workspace),
        Place.at("spill", places.state / "spill"),
        Place.at("state", places.state),
        Place.at("tmp", places.temporary),
        Place.at("home", places.home),
        Place.at("run", places.root),
    ]


def surfaces_of(run: ScenarioRun, rules: Rules | None = None) -> Surfaces:
    """Return the comparable form of a run.

    Raises:
        ScenarioStepError: a model request was made with a header that no log has.
    """
    places = places_of(run)
    logs = _ordered(run)
    headers: list[RequestHeader] = []
    shown = [_shown(log, run.seeds.get(log.header.id, 0), headers, places, rules) for log in logs]
    _check_record(run, headers, places, rules)
    ids = dict.fromkeys(run.sessions.values(), "session")
    ids |= {log.header.id: "session" for log in logs if log.header.id not in run.seeds}
    world = {
        "stdout": [renumbered(process.messages) for process in run.processes],
        "logs": [[row for row, _ in rows] for rows in shown],
    }
    known = normalize(world, places, ids, rules)
    files = {
        f"stdout-{number}.jsonl": _lines(messages)
        for number, messages in enumerate(known["stdout"], 1)
    }
    for number, (rows, events) in enumerate(zip(shown, known["logs"], strict=True), 1):
        for event, (_, header) in zip(events, rows, strict=True):
            if header:
                event["data"]["header"] = f"<header-{header}>"
        files[f"session-{number}.jsonl"] = _lines(events)
    return Surfaces(files, tuple(headers))


def _lines(rows: Sequence[Any]) -> str:
    return "".join(f"{dumps(row)}\n" for row in rows)


def _ordered(run: ScenarioRun) -> list[StoredSession]:
    """Return the logs that the run wrote to, in the order in which stdout tells of them."""
    told = [process.stdout.decode("utf-8", "replace") for process in run.processes]

    def first_told(session: str) -> tuple[int, int]:
        name = json.dumps(session)
        for number, text in enumerate(told):
            if (at := text.find(name)) >= 0:
                return number, at
        return len(told), 0

    written = [log for log in run.logs if len(log.events) > run.seeds.get(log.header.id, -1)]
    return sorted(
        written,
        key=lambda log: (*first_told(log.header.id), log.header.created_at, len(log.events)),
    )


def _shown(
    log: StoredSession,
    since: int,
    headers: list[RequestHeader],
    places: Sequence[Place],
    rules: Rules | None,
) -> list[tuple[dict[str, Any], int]]:
    """Return the rows of a log, each with the number of the header in it, or with 0.

    Headers are taken out: they have files of their own. Of a seed, what was added is shown.
    """
    rows: list[tuple[dict[str, Any], int]] = [({"type": "session", **log.header.to_json()}, 0)]
    for event in log.events[since:]:
        row = event.to_json()
        number = 0
        if event.type == "request/header":
            number = _number(
                RequestHeader.from_json(row["data"].get("header") or {}), headers, places, rules
            )
            row["data"]["header"] = ""
        rows.append((row, number))
    return rows


def _number(
    header: RequestHeader,
    headers: list[RequestHeader],
    places: Sequence[Place],
    rules: Rules | None,
) -> int:
    """Return the number of a header among the distinct ones, and note it if it's new."""
    known = _normalized(header, places, rules)
    for number, other in enumerate(headers, 1):
        if known.same_as(other):
            return number
    headers.append(known)
    return len(headers)


def _normalized(
    header: RequestHeader, places: Sequence[Place], rules: Rules | None
) -> RequestHeader:
    """Normalize a header by itself, so that it reads the same in each scenario."""
    return RequestHeader.from_json(normalize(header.to_json(), places, None, rules))


def _check_record(
    run: ScenarioRun, headers: Sequence[RequestHeader], places: Sequence[Place], rules: Rules | None
) -> None:
    """Prove that what was sent to the model is what was logged."""
    seeds = [
        _normalized(header, places, rules)
        for log in run.logs
        if log.header.id in run.seeds
        for header in logged_headers(log)
    ]
    for number, process in enumerate(run.processes, 1):
        for index, recorded in enumerate(read_recorded_headers(process.record), 1):
            sent = _normalized(recorded, places, rules)
            if not any(sent.same_as(known) for known in [*headers, *seeds]):
                raise ScenarioStepError(
                    f"request {index} of process {number} was made with a header that no log holds:"
                    f"\n{json.dumps(sent.to_json(), indent=2, ensure_ascii=False)}"
                )
