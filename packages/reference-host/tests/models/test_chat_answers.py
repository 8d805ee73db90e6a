"""The events of a stream: what becomes of the ways in which servers differ (HOST-7)."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from reference_host.errors import ModelError
from reference_host.loop._answers import Answer

from .events import calling, chunks_in, event_of, part_of


def _calls(*events: object) -> list[tuple[str, str, str]]:
    """Return id, name and arguments of the calls, put together as the host does it."""
    answer = Answer(map(str, count()).__next__)
    for chunk in chunks_in(*events, event_of("tool_calls")):
        answer.add(chunk)
    return [
        (call.id, call.name, call.arguments) for call in Answer.calls(answer.content(whole=True))
    ]


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_is_a_block_of_its_own(key: str) -> None:
    """Blocks are numbered as they begin, and go on under their number."""
    events = [
        event_of(**{key: "hm"}),
        event_of(content="a"),
        event_of(**{key: "!"}),
        event_of(content="b"),
    ]
    assert chunks_in(*events, event_of("stop")) == [
        {"type": "reasoning-delta", "index": 0, "text": "hm"},
        {"type": "text-delta", "index": 1, "text": "a"},
        {"type": "reasoning-delta", "index": 0, "text": "!"},
        {"type": "text-delta", "index": 1, "text": "b"},
        {"type": "finish", "reason": {"kind": "stop"}},
    ]


@pytest.mark.requirement("HOST-7")
def test_reasoning_that_is_sent_under_both_names_counts_once() -> None:
    """Servers that know the old name and the new one send the same text twice."""
    chunks = chunks_in(event_of(reasoning_content="hm", reasoning="hm"), event_of("stop"))
    assert [chunk.get("text") for chunk in chunks] == ["hm", None]


@pytest.mark.requirement("HOST-7")
def test_a_refusal_is_text() -> None:
    """A person reads why the model won't answer."""
    chunks = chunks_in(event_of(refusal="I won't."), event_of("stop"))
    assert chunks[0] == {"type": "text-delta", "index": 0, "text": "I won't."}


@pytest.mark.requirement("HOST-7")
def test_what_says_nothing_is_no_chunk() -> None:
    """Roles, empty and missing deltas, and alternatives leave no trace."""
    other = {"choices": [{"index": 1, "delta": {"content": "x"}, "finish_reason": "length"}]}
    silent = [
        event_of(role="assistant", content=""),
        event_of(content=None),
        {"choices": []},
        other,
    ]
    no_delta = {"choices": [{"index": 0, "delta": None, "finish_reason": ""}]}
    assert chunks_in(*silent, no_delta, {"choices": [{"finish_reason": "stop"}]}) == [
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
    assert chunks_in(event_of(reason)) == [{"type": "finish", "reason": {"kind": kind}}]


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize("choices", [{"choices": []}, {"choices": None}, {}])
def test_the_last_usage_is_told_before_the_finish(choices: dict[str, Any]) -> None:
    """Usage comes after the reason of the finish, or with every event; one chunk has it."""
    usage = {"total_tokens": 2, "details": {"cached": 1}}
    first = {**event_of("stop", content="a"), "usage": {"total_tokens": 1}}
    assert chunks_in(first, {**choices, "usage": usage})[1:] == [
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
                calling(part_of("c1", "read", "", index=0)),
                calling(part_of(None, None, '{"a":', index=0), part_of("c2", "find", index=1)),
                calling(part_of(None, None, '{"b":2}', index=1)),
                calling(part_of(None, None, "1}", index=0)),
            ],
            id="in pieces that alternate",
        ),
        pytest.param(
            [
                calling(
                    part_of("c1", "read", '{"a":1}', index=0),
                    part_of("c2", "find", '{"b":2}', index=1),
                )
            ],
            id="whole, in one event",
        ),
        pytest.param(
            [
                calling(part_of("c1", "read", '{"a":1}', index=0)),
                calling(part_of("c2", "find", '{"b":2}', index=0)),
            ],
            id="whole, all with the same index",
        ),
        pytest.param(
            [calling(part_of("c1", "read", '{"a":1}'), part_of("c2", "find", '{"b":2}'))],
            id="whole, without an index",
        ),
        pytest.param(
            [
                calling(part_of("c1", "read", '{"a":')),
                calling(part_of(None, None, "1}")),
                calling(part_of("c2", "find")),
                calling(part_of("c2", "find", '{"b":2}')),
            ],
            id="in pieces without an index",
        ),
        pytest.param(
            [
                calling(part_of("c1", "read", '{"a":', index=0)),
                calling(part_of("x1", None, "1}", index=0)),
                calling(part_of("c2", "find", '{"b":', index=1)),
                calling(part_of("x2", None, "2}", index=1)),
            ],
            id="a new id with each piece",
        ),
        pytest.param(
            [
                calling(part_of(None, "read", '{"a":', index=0)),
                calling(part_of("c1", "read", "1}", index=0)),
                calling(part_of("c2", "find", '{"b":2}', index=1)),
            ],
            id="an id that comes late",
        ),
        pytest.param(
            [calling(part_of("c1", "read", {"a": 1}), part_of("c2", "find", {"b": 2}))],
            id="arguments that are no text yet",
        ),
    ],
)
def test_servers_number_their_calls_as_they_like(events: list[dict[str, Any]]) -> None:
    """However the pieces come, the same two calls are put together."""
    assert _calls(*events) == list(WHOLE)


@pytest.mark.requirement("HOST-7")
def test_a_call_keeps_its_first_id() -> None:
    """All chunks of a call have one id, where a server sends a new one with each piece."""
    pieces = [part_of("c1", "read", "", index=0), part_of("x1", None, "{}", index=0)]
    chunks = chunks_in(*map(calling, pieces), event_of("tool_calls"))
    assert [chunk["id"] for chunk in chunks[:-1]] == ["c1", "c1"]


@pytest.mark.requirement("HOST-7")
def test_calls_without_ids_are_two_calls() -> None:
    """Where a server gives neither id nor index, each name begins a call; the host gives ids."""
    parts = [part_of(None, "read", "{}"), part_of(None, "read", "{}")]
    calls = _calls(calling(*parts))
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
        event_of(content=5),
        event_of(content=["a"]),
        event_of(tool_calls={"0": {}}),
        event_of(tool_calls=["x"]),
        calling({"function": ["read"]}),
        calling(part_of("c1", "read", 5)),
        calling(part_of("c1", "read", index="0")),
        calling(part_of("c1", "read", index=True)),
        calling({"id": 7}),
        calling(part_of("c1", "read", {"a": float("nan")})),
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
        chunks_in(event, event_of("stop"))
    assert caught.value.code == "MODEL_INVALID_ANSWER"


@pytest.mark.requirement("HOST-7")
def test_an_answer_without_a_finish_broke_off() -> None:
    """An end is no finish."""
    with pytest.raises(ModelError, match="broke off") as caught:
        chunks_in(event_of(content="a"))
    assert caught.value.code == "MODEL_INVALID_ANSWER"
