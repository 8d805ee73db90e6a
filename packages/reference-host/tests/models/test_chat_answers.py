"""The events of a stream: what becomes of the ways in which servers differ (HOST-7)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_host.errors import ModelError
from reference_host.loop._answers import Answer
from reference_host.models import Chunk
from reference_host.models._chat_answers import ChatAnswer
from session_query import dumps


def _event(reason: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def _part(
    call: str | None = None, name: str | None = None, arguments: Any = None, **more: Any
) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": call, "function": function, **more}


def _calling(*parts: Mapping[str, Any]) -> dict[str, Any]:
    return _event(tool_calls=list(parts))


def _chunks(*events: object) -> list[Chunk]:
    answer = ChatAnswer()
    chunks = [chunk for event in events for chunk in answer.read(event)]
    return [*chunks, *answer.end()]


def _calls(*events: object) -> list[tuple[str, str, str]]:
    """Return id, name and arguments of the calls, put together as the host does it."""
    answer = Answer(map(str, count()).__next__)
    for chunk in _chunks(*events, _event("tool_calls")):
        answer.add(chunk)
    return [
        (call.id, call.name, call.arguments) for call in Answer.calls(answer.content(whole=True))
    ]


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_is_a_block_of_its_own(key: str) -> None:
    """Blocks are numbered as they begin, and go on under their number."""
    events = [_event(**{key: "hm"}), _event(content="a"), _event(**{key: "!"}), _event(content="b")]
    assert _chunks(*events, _event("stop")) == [
        {"type": "reasoning-delta", "index": 0, "text": "hm"},
        {"type": "text-delta", "index": 1, "text": "a"},
        {"type": "reasoning-delta", "index": 0, "text": "!"},
        {"type": "text-delta", "index": 1, "text": "b"},
        {"type": "finish", "reason": {"kind": "stop"}},
    ]


@pytest.mark.requirement("HOST-7")
def test_reasoning_that_is_sent_under_both_names_counts_once() -> None:
    """Servers that know the old name and the new one send the same text twice."""
    chunks = _chunks(_event(reasoning_content="hm", reasoning="hm"), _event("stop"))
    assert [chunk.get("text") for chunk in chunks] == ["hm", None]


@pytest.mark.requirement("HOST-7")
def test_a_refusal_is_text() -> None:
    """A person reads why the model won't answer."""
    chunks = _chunks(_event(refusal="I won't."), _event("stop"))
    assert chunks[0] == {"type": "text-delta", "index": 0, "text": "I won't."}


@pytest.mark.requirement("HOST-7")
def test_what_says_nothing_is_no_chunk() -> None:
    """Roles, empty and missing deltas, and alternatives leave no trace."""
    other = {"choices": [{"index": 1, "delta": {"content": "x"}, "finish_reason": "length"}]}
    silent = [_event(role="assistant", content=""), _event(content=None), {"choices": []}, other]
    no_delta = {"choices": [{"index": 0, "delta": None, "finish_reason": ""}]}
    assert _chunks(*silent, no_delta, {"choices": [{"finish_reason": "stop"}]}) == [
        {"type": "finish", "reason": {"kind": "stop"}}
    ]


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("stop", "stop"),
        ("tool_calls", "tool-calls"),
        ("length", "max-tokens"),
        ("content_filter", "content-filter"),
        ("of_another_server", "of-another-server"),
    ],
)
def test_the_reason_of_the_finish_is_translated(reason: str, kind: str) -> None:
    """Those that the host knows have its names; others are open, in the same spelling."""
    assert _chunks(_event(reason)) == [{"type": "finish", "reason": {"kind": kind}}]


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize("choices", [{"choices": []}, {"choices": None}, {}])
def test_the_last_usage_is_told_before_the_finish(choices: dict[str, Any]) -> None:
    """Usage comes after the reason of the finish, or with every event; one chunk has it."""
    usage = {"total_tokens": 2, "details": {"cached": 1}}
    first = {**_event("stop", content="a"), "usage": {"total_tokens": 1}}
    assert _chunks(first, {**choices, "usage": usage})[1:] == [
        {"type": "usage", "usage": usage},
        {"type": "finish", "reason": {"kind": "stop"}},
    ]


WHOLE = ("c1", "read", '{"a":1}'), ("c2", "find", '{"b":2}')


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize(
    "events",
    [
        pytest.param(
            [
                _calling(_part("c1", "read", "", index=0)),
                _calling(_part(None, None, '{"a":', index=0), _part("c2", "find", index=1)),
                _calling(_part(None, None, '{"b":2}', index=1)),
                _calling(_part(None, None, "1}", index=0)),
            ],
            id="in pieces that alternate",
        ),
        pytest.param(
            [
                _calling(
                    _part("c1", "read", '{"a":1}', index=0), _part("c2", "find", '{"b":2}', index=1)
                )
            ],
            id="whole, in one event",
        ),
        pytest.param(
            [
                _calling(_part("c1", "read", '{"a":1}', index=0)),
                _calling(_part("c2", "find", '{"b":2}', index=0)),
            ],
            id="whole, all with the same index",
        ),
        pytest.param(
            [_calling(_part("c1", "read", '{"a":1}'), _part("c2", "find", '{"b":2}'))],
            id="whole, without an index",
        ),
        pytest.param(
            [
                _calling(_part("c1", "read", '{"a":')),
                _calling(_part(None, None, "1}")),
                _calling(_part("c2", "find")),
                _calling(_part("c2", "find", '{"b":2}')),
            ],
            id="in pieces without an index",
        ),
        pytest.param(
            [
                _calling(_part("c1", "read", '{"a":', index=0)),
                _calling(_part("x1", None, "1}", index=0)),
                _calling(_part("c2", "find", '{"b":', index=1)),
                _calling(_part("x2", None, "2}", index=1)),
            ],
            id="a new id with each piece",
        ),
        pytest.param(
            [
                _calling(_part(None, "read", '{"a":', index=0)),
                _calling(_part("c1", "read", "1}", index=0)),
                _calling(_part("c2", "find", '{"b":2}', index=1)),
            ],
            id="an id that comes late",
        ),
        pytest.param(
            [_calling(_part("c1", "read", {"a": 1}), _part("c2", "find", {"b": 2}))],
            id="arguments that are no text yet",
        ),
    ],
)
def test_servers_number_their_calls_as_they_like(events: list[dict[str, Any]]) -> None:
    """However the pieces come, the same two calls are put together."""
    assert _calls(*events) == list(WHOLE)


@pytest.mark.requirement("HOST-7")
def test_calls_without_ids_are_two_calls() -> None:
    """Where a server gives neither id nor index, each name begins a call; the host gives ids."""
    parts = [_part(None, "read", "{}"), _part(None, "read", "{}")]
    calls = _calls(_calling(*parts))
    assert [call[1:] for call in calls] == [("read", "{}"), ("read", "{}")]
    assert len({call[0] for call in calls}) == 2


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize(
    "event",
    [
        None,
        5,
        [],
        {},
        {"choices": {}},
        {"choices": None},
        {"choices": [None]},
        _event(content=5),
        _event(content=["a"]),
        _event(tool_calls={"0": {}}),
        _event(tool_calls=["x"]),
        _calling({"function": ["read"]}),
        _calling(_part("c1", "read", 5)),
        _calling(_part("c1", "read", index="0")),
        _calling(_part("c1", "read", index=True)),
        _calling({"id": 7}),
        _calling(_part("c1", "read", {"a": float("nan")})),
        {"choices": [{"delta": 5}]},
        {"choices": [{"delta": {}, "finish_reason": 5}]},
        {"choices": [], "usage": 5},
        {"choices": [], "usage": {"total_tokens": float("inf")}},
    ],
    ids=repr,
)
def test_what_is_no_event_of_the_api_is_invalid(event: object) -> None:
    """A field of another type is told as such, and is no crash."""
    with pytest.raises(ModelError) as caught:
        _chunks(event, _event("stop"))
    assert caught.value.code == "MODEL_INVALID_ANSWER"


@pytest.mark.requirement("HOST-7")
def test_an_answer_without_a_finish_broke_off() -> None:
    """An end is no finish."""
    with pytest.raises(ModelError, match="broke off") as caught:
        _chunks(_event(content="a"))
    assert caught.value.code == "MODEL_INVALID_ANSWER"


CALLS = st.lists(
    st.tuples(st.text(min_size=1, max_size=3), st.lists(st.text(max_size=4), max_size=4)),
    max_size=4,
)


@pytest.mark.requirement("HOST-7")
@given(st.lists(st.text(max_size=3), max_size=4), CALLS, st.data())
def test_pieces_of_an_answer_give_back_the_whole(
    texts: list[str], calls: list[tuple[str, list[str]]], data: st.DataObject
) -> None:
    """Whatever the order in which pieces of text and calls alternate, none is lost or mixed."""
    queues: list[list[dict[str, Any]]] = [[_event(content=text) for text in texts]]
    for number, (name, pieces) in enumerate(calls):
        first = _calling(_part(f"c{number}", name, "", index=number))
        rest = [_calling(_part(None, None, piece, index=number)) for piece in pieces]
        queues.append([first, *rest])
    events = []
    while queues := [queue for queue in queues if queue]:
        events.append(data.draw(st.sampled_from(queues)).pop(0))
    answer = Answer(map(str, count()).__next__)
    chunks = _chunks(*events, _event("tool_calls"))
    for chunk in chunks:
        answer.add(chunk)
    content = answer.content(whole=True)
    assert "".join(block["text"] for block in content if block["type"] == "text") == "".join(texts)
    found = sorted((call.id, call.name, call.arguments) for call in Answer.calls(content))
    assert found == sorted((f"c{n}", name, "".join(all_)) for n, (name, all_) in enumerate(calls))
    begun = dict.fromkeys(chunk["index"] for chunk in chunks if "index" in chunk)
    assert list(begun) == list(range(len(begun)))


FIELDS = ["choices", "index", "delta", "content", "reasoning", "tool_calls", "id", "function"]
FIELDS += ["name", "arguments", "finish_reason", "usage"]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(FIELDS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
CHOICES = st.fixed_dictionaries(
    {},
    optional={
        "index": st.just(0) | ANYTHING,
        "delta": st.fixed_dictionaries(
            {},
            optional={
                "content": st.text(max_size=2) | ANYTHING,
                "tool_calls": st.lists(
                    st.fixed_dictionaries(
                        {"function": st.fixed_dictionaries({"arguments": ANYTHING})},
                        optional={"index": st.integers(0, 1) | ANYTHING, "id": st.text(max_size=1)},
                    )
                ),
            },
        ),
        "finish_reason": st.sampled_from(["stop", None]),
    },
)
EVENTS = ANYTHING | st.fixed_dictionaries(
    {"choices": st.lists(CHOICES, max_size=2)}, optional={"usage": ANYTHING}
)


@pytest.mark.requirement("HOST-7")
@given(st.lists(EVENTS, max_size=5))
def test_any_events_give_chunks_or_a_model_error(events: list[object]) -> None:
    """Nothing that a server sends raises anything else, and what is given can be logged."""
    answer = ChatAnswer()
    chunks: list[Chunk] = []
    codes: list[str] = []
    try:
        for event in events:
            chunks += answer.read(event)
        chunks += answer.end()
    except ModelError as error:
        codes.append(error.code)
    assert codes in ([], ["MODEL_INVALID_ANSWER"])
    collected = Answer(map(str, count()).__next__)
    for chunk in chunks:
        assert json.loads(dumps(dict(chunk))) == chunk
        collected.add(chunk)
