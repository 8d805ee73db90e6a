"""No echo: what a search reads never holds what an earlier search said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.log import (
    QUERY_TOOL_NAMES,
    SURFACE_TYPES,
    SessionEvent,
    SurfaceError,
    extract_event_text,
    fold_surface,
    semantic_documents,
)
from session_query.log._json import loads
from session_query.log._text import HiddenCalls, document_texts

from .payloads import IDS, TOOLS, TYPED
from .surfaces import events_of, valid_logs

Part = tuple[str, Any]

SEARCH = "session_search"


def call(call_id: str, name: str) -> Part:
    """A logged call."""
    return "tool/call", {"callId": call_id, "name": name, "arguments": "asked"}


def asks(*calls: tuple[str, str]) -> Part:
    """An assistant message with text and call blocks."""
    blocks = [
        {"type": "tool-call", "id": call_id, "name": name, "arguments": "asked"}
        for call_id, name in calls
    ]
    return "assistant/message", {"message": {"content": [{"type": "text", "text": "t"}, *blocks]}}


def answer(call_id: str, source: str | None = None) -> Part:
    """The result of a call."""
    block = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": [{"type": "text", "text": "r"}],
    }
    by = {"kind": "tool", "callId": source or call_id}
    error = {"name": "E", "code": "C"}
    return "tool/result", {"message": {"content": [block], "source": by}, "error": error}


def log(*parts: Part) -> list[SessionEvent]:
    """Number the parts, and append messages to the surface."""
    return [
        SessionEvent(kind, seq, seq, data, "append" if kind in SURFACE_TYPES else None)
        for seq, (kind, data) in enumerate(parts)
    ]


def texts(*parts: Part, tools: frozenset[str] = QUERY_TOOL_NAMES) -> list[str]:
    """The text of each event, ``""`` where a log gives no document."""
    found = {
        document.seq: document.text for document in semantic_documents("s", log(*parts), tools)
    }
    return [found.get(seq, "") for seq in range(len(parts))]


@pytest.mark.requirement("LOG-24")
def test_calls_and_results_of_query_tools_give_no_document() -> None:
    """Call, call block and result of a query tool vanish; the words around them stay."""
    parts = [asks(("c", SEARCH), ("d", "bash")), call("c", SEARCH), answer("c"), call("d", "bash"),
             answer("d")]  # fmt: skip
    assert texts(*parts) == ["t\nbash\nasked", "", "", "bash\nasked", "r\nE\nC"]
    assert texts(*parts, tools=frozenset()) == [
        "t\nsession_search\nasked\nbash\nasked", "session_search\nasked", "r\nE\nC",
        "bash\nasked", "r\nE\nC",
    ]  # fmt: skip
    assert texts(*parts, tools=frozenset({"bash"}))[1:] == [
        "session_search\nasked",
        "r\nE\nC",
        "",
        "",
    ]


@pytest.mark.requirement("LOG-24")
@pytest.mark.parametrize("name", sorted(QUERY_TOOL_NAMES))
def test_the_default_is_the_five_query_tools(name: str) -> None:
    """Each of them is hidden unless said otherwise, and a name that only begins like it is not."""
    assert len(QUERY_TOOL_NAMES) == 5
    events = log(call("c", name), answer("c"), call("d", f"{name}_more"), answer("d"))
    assert [document.seq for document in semantic_documents("s", events)] == [2, 3]


@pytest.mark.requirement("LOG-24")
def test_a_result_belongs_to_the_nearest_earlier_call() -> None:
    """Ids come again: the last call before a result, event or block, decides."""
    hidden, shown = "", "r\nE\nC"
    assert texts(call("c", SEARCH), answer("c"), call("c", "bash"), answer("c"))[1::2] == [
        hidden, shown,
    ]  # fmt: skip
    assert texts(asks(("c", "bash")), answer("c"), asks(("c", SEARCH)), answer("c"))[1::2] == [
        shown, hidden,
    ]  # fmt: skip
    assert texts(asks(("c", SEARCH), ("c", "bash")), answer("c"))[1] == shown
    assert texts(asks(("c", "bash"), ("c", SEARCH)), answer("c"))[1] == hidden
    assert texts(asks(("c", SEARCH)), call("c", "bash"), answer("c"))[2] == shown
    assert texts(asks(("c", "bash")), call("c", SEARCH), answer("c"), answer("c"))[2:] == ["", ""]
    assert texts(answer("c"), call("c", SEARCH))[0] == shown
    assert texts(call("c", SEARCH), answer("d"))[1] == shown


@pytest.mark.requirement("LOG-24")
def test_either_id_of_a_result_hides_it() -> None:
    """A result names its call twice; where the two differ, an echo is the greater harm."""
    assert texts(call("c", SEARCH), answer("c", source="x"))[1] == ""
    assert texts(call("c", SEARCH), answer("x", source="c"))[1] == ""


@pytest.mark.requirement("LOG-24")
@given(
    st.lists(
        st.builds(call, IDS, TOOLS)
        | st.builds(answer, IDS)
        | st.lists(st.tuples(IDS, TOOLS), max_size=3).map(lambda calls: asks(*calls)),
        max_size=12,
    ),
    st.frozensets(TOOLS),
)
def test_what_is_hidden_follows_from_looking_back(parts: list[Part], tools: frozenset[str]) -> None:
    """Walking back from each result to its call finds the same as following the log."""
    said: list[tuple[str, str]] = []
    expected = []
    for kind, data in parts:
        if kind == "tool/call":
            said.append((data["callId"], data["name"]))
            expected.append("" if data["name"] in tools else f"{data['name']}\nasked")
        elif kind == "tool/result":
            by = data["message"]["source"]["callId"]
            name = next((name for call_id, name in reversed(said) if call_id == by), None)
            expected.append("" if name in tools else "r\nE\nC")
        else:
            blocks = data["message"]["content"][1:]
            said += [(block["id"], block["name"]) for block in blocks]
            shown = [block["name"] for block in blocks if block["name"] not in tools]
            expected.append("\n".join(["t", *(f"{name}\nasked" for name in shown)]))
    assert texts(*parts, tools=tools) == expected


@pytest.mark.requirement("LOG-24", "LOG-6", "LOG-23")
@given(st.lists(TYPED, max_size=12), st.frozensets(TOOLS), st.data())
def test_no_log_makes_it_fail(
    parts: list[Part], tools: frozenset[str], data: st.DataObject
) -> None:
    """Whatever a log holds, hiding only takes text away, and can be taken up in the middle."""
    events = [SessionEvent(kind, seq, 0, value) for seq, (kind, value) in enumerate(parts)]
    calls = HiddenCalls(tools)
    found = [calls.text(event) for event in events]
    for event, text in zip(events, found, strict=True):
        whole = extract_event_text(event)
        assert text == whole if not tools else len(text) <= len(whole)
    middle = data.draw(st.integers(0, len(events)))
    first = HiddenCalls(tools)
    for event in events[:middle]:
        first.text(event)
    later = HiddenCalls(tools, sorted(first.call_ids))
    assert [later.text(event) for event in events[middle:]] == found[middle:]
    pairs = list(document_texts(events, HiddenCalls(tools)))
    assert pairs == [(event, text) for event, text in zip(events, found, strict=True) if text]


@pytest.mark.requirement("LOG-12", "LOG-24")
@given(valid_logs())
def test_documents_know_their_surface(forms: list[dict[str, Any]]) -> None:
    """Each document tells the place of its event, with the fold given or not."""
    events = events_of(forms)
    fold = fold_surface(events)
    documents = semantic_documents("s", events, fold=fold)
    assert documents == semantic_documents("s", iter(events))
    for document in documents:
        event = events[document.seq]
        assert document.to_json() == {
            "sessionId": "s", "seq": event.seq, "type": event.type, "time": event.time,
            "surface": fold.surface_of(event.seq), "text": extract_event_text(event),
        }  # fmt: skip


@pytest.mark.requirement("LOG-11", "LOG-24")
def test_an_invalid_log_gives_no_documents() -> None:
    """The surface rules hold for documents too."""
    with pytest.raises(SurfaceError):
        semantic_documents("s", [SessionEvent("user/message", 0, 0, loads("{}"))])
