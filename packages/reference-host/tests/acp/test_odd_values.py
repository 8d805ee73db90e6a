"""Cards and logs that hold anything still make updates (ACP-1)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reference_host.acp._updates import live_updates, replayed_updates
from reference_host.loop import rebuild_requests
from reference_host.tools import CallCard, ToolRegistry
from session_query import SessionEvent

from ..scripted_tools import ScriptedTool, quick

ODD: Any = [None, 5, [], {}, "text", {"x": [10**6000, float(10**300)]}, {"\ud800": 1}, True]
CARDS: list[Any] = [
    None,
    CallCard("other", None, None),  # type: ignore[arg-type]
    CallCard(["x"], 5, b"\xff"),  # type: ignore[arg-type]
    CallCard("read", "Title \ud800", {"x": object(), "n": 10**6000}),
]


@pytest.mark.requirement("ACP-1")
@pytest.mark.parametrize("card", CARDS)
def test_a_call_is_shown_whatever_its_card_is(card: Any) -> None:
    """The client gets the call, as JSON that any reader takes."""
    tool = ScriptedTool("dig", quick)
    vars(tool)["present_call"] = lambda _arguments: card
    tools = ToolRegistry()
    tools.register(tool)
    block = {"type": "tool-call", "id": "c1", "name": "dig", "arguments": "{}"}
    message = {"role": "assistant", "content": [block]}
    data = {"turn": 1, "step": 1, "message": message}
    event = SessionEvent("assistant/message", 0, 0, data, "append")
    for updates in (live_updates, replayed_updates):
        [update] = updates(event, tools)
        shown = json.loads(json.dumps(update.model_dump(mode="json", by_alias=True)))
        assert shown["toolCallId"] == "1.1.c1"
        assert shown["title"]


@pytest.mark.requirement("ACP-1", "HOST-3")
@pytest.mark.parametrize("odd", ODD)
def test_the_log_of_another_host_may_hold_anything(odd: Any) -> None:
    """Whatever stands in the place of data makes updates and requests, or none; nothing raises."""
    kinds = ["user/message", "assistant/message", "tool/result", "todo/write", "session/title"]
    kinds += ["tool/call", "assistant/chunk", "request/header"]
    surfaces = {"user/message", "assistant/message", "tool/result"}
    for place in ("data", "message", "content", "todos", "header", "status"):
        for kind in kinds:
            data = odd if place == "data" else {place: odd, "todos": [{place: odd}]}
            start = SessionEvent("step/start", 0, 0, {"turn": 1, "step": 1})
            event = SessionEvent(kind, 1, 0, data, "append" if kind in surfaces else None)
            for updates in (live_updates, replayed_updates):
                for update in updates(event, ToolRegistry()):
                    json.dumps(update.model_dump(mode="json", by_alias=True))
            for request in rebuild_requests([start, event]):
                assert request.encoded()
