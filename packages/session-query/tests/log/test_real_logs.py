"""Logs that another implementation wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from session_query.live import SessionStore
from session_query.log import (
    SessionEvent,
    SessionHeader,
    extract_event_text,
    fold_surface,
    fold_title,
    interrupted_turn_closers,
    semantic_documents,
)
from session_query.log._json import dumps, loads

PACKED = {"text-chunks", "reasoning-chunks", "tool-call-chunks"}


def unpacked(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the events of a line; what a chunk holds does not matter here."""
    if row["type"] not in PACKED:
        yield row
        return
    data = row["data"]
    for member in range(len(data.get("texts") or data["args"])):
        seq, time = row["seq0"] + member, row["time0"] + sum(data["dt"][:member])
        yield {"type": "assistant/chunk", "seq": seq, "time": time, "data": {}}


@pytest.fixture(scope="module")
def logs(real_data: Path) -> dict[str, tuple[SessionHeader, list[SessionEvent]]]:
    """Every recorded log, read with nothing but the standard library."""
    found = {}
    for path in sorted(real_data.glob("dsh/**/session.jsonl")):
        first, *rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        assert first.pop("type") == "session"
        forms = [form for row in rows for form in unpacked(row)]
        events = [SessionEvent.from_json(form) for form in forms]
        found[str(path)] = SessionHeader.from_json(first), events
    assert found
    return found


@pytest.mark.requirement("LOG-1", "LOG-3", "LOG-7", "LOG-8", "LOG-9", "LOG-10", "LOG-11")
def test_recorded_logs_fold(
    logs: dict[str, tuple[SessionHeader, list[SessionEvent]]],
) -> None:
    """Each recorded log keeps every rule, replacements included, and survives its JSON form."""
    replacements = 0
    for header, events in logs.values():
        fold = fold_surface(events)
        replacements += len(fold.replacements)
        assert SessionHeader.from_json(header.to_json()) == header
        for event in events:
            assert SessionEvent.from_json(loads(dumps(event.to_json()))) == event
    assert replacements


@pytest.mark.requirement("LOG-6", "LOG-13", "LOG-24", "LOG-25")
def test_recorded_logs_have_titles_texts_and_ends(
    logs: dict[str, tuple[SessionHeader, list[SessionEvent]]],
) -> None:
    """Most recorded sessions have a title and text, and hardly one was cut off in a turn."""
    titles = texts = cut_off = 0
    for header, events in logs.values():
        titles += fold_title(events) is not None
        cut_off += bool(interrupted_turn_closers(events))
        documents = semantic_documents(header.id, events, frozenset())
        texts += bool(documents)
        expected = [text for event in events if (text := extract_event_text(event))]
        assert [document.text for document in documents] == expected
    assert titles > len(logs) / 2
    assert texts > len(logs) / 2
    assert cut_off < len(logs) / 10


@pytest.mark.requirement("LOG-14", "LOG-15")
def test_recorded_logs_can_be_gone_on_with(
    logs: dict[str, tuple[SessionHeader, list[SessionEvent]]],
) -> None:
    """A stored session is taken up as it is, and a fork of it inherits all of it."""
    store = SessionStore()
    for number, (header, events) in enumerate(logs.values()):
        changed = SessionHeader.from_json({**header.to_json(), "id": str(number)})
        session = store.attach(changed, events)
        assert session.header is changed
        assert session.events == events
        assert store.fork(session).events[:-1] == events
    assert len(store.list()) == 2 * len(logs)
