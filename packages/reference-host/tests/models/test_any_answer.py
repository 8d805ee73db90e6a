"""Streams that are drawn: none is misread, and none does harm (HOST-7)."""

from __future__ import annotations

import json
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

from .events import calling, chunks_in, event_of, part_of

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
    queues: list[list[dict[str, Any]]] = [[event_of(content=text) for text in texts]]
    for number, (name, pieces) in enumerate(calls):
        first = calling(part_of(f"c{number}", name, "", index=number))
        rest = [calling(part_of(None, None, piece, index=number)) for piece in pieces]
        queues.append([first, *rest])
    events = []
    while queues := [queue for queue in queues if queue]:
        events.append(data.draw(st.sampled_from(queues)).pop(0))
    answer = Answer(map(str, count()).__next__)
    chunks = chunks_in(*events, event_of("tool_calls"))
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
