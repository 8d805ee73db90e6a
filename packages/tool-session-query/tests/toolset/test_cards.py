"""The card of a call: pure, and there for any arguments (TOOL-3)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..input.test_hostile_arguments import ARGUMENTS, BrokenMapping, Unprintable
from ..presentation.hostile import TEXTS, invisible
from .scripted import LEAST, TOOLS, ScriptedEngine, tool_of

SEARCHES = ("session_search", "session_event_search")


class _NotComparable(dict[str, Any]):
    """Arguments that fail wherever they're touched."""

    def _fail(self, *_: object) -> Any:
        raise RuntimeError

    get = __getitem__ = __contains__ = __iter__ = __len__ = keys = _fail


@pytest.mark.requirement("TOOL-3", "RENDER-2")
@pytest.mark.parametrize("tool", TOOLS)
@given(arguments=ARGUMENTS)
def test_any_arguments_have_a_card(tool: str, arguments: object) -> None:
    """A card has a short visible title on one line, and the very arguments."""
    engine = ScriptedEngine()
    definition = tool_of(engine, tool)
    card = definition.present_call(arguments)
    assert card.raw_input is arguments
    assert card.kind == ("search" if tool in SEARCHES else "read")
    assert 0 < len(card.title) <= 80
    assert " ".join(card.title.split()) == card.title
    assert invisible(card.title) == []
    assert definition.present_call(arguments).title == card.title
    assert not engine.asked


@pytest.mark.requirement("TOOL-3")
@pytest.mark.parametrize("tool", TOOLS)
def test_arguments_that_break_have_the_card_of_none(tool: str) -> None:
    """Where the arguments can't be read, the title is that of a call without any."""
    definition = tool_of(ScriptedEngine(), tool)
    plain = definition.present_call({}).title
    odd: list[Any] = [BrokenMapping(), _NotComparable(), None, 5, "query", [], Unprintable()]
    odd += [dict.fromkeys(("query", "seq", "session_id"), Unprintable())]
    for arguments in odd:
        assert definition.present_call(arguments).title == plain


@pytest.mark.requirement("TOOL-3", "RENDER-2")
@pytest.mark.parametrize("tool", TOOLS)
@given(query=TEXTS, session_id=TEXTS, seq=st.integers())
def test_a_card_changes_nothing(tool: str, query: str, session_id: str, seq: int) -> None:
    """The arguments are as they were, and hostile texts stay on the line."""
    arguments = {"query": query, "session_id": session_id, "seq": seq}
    before = copy.deepcopy(arguments)
    title = tool_of(ScriptedEngine(), tool).present_call(arguments).title
    assert arguments == before
    assert title.splitlines() == [title]
    assert invisible(title) == []


@pytest.mark.requirement("TOOL-3")
def test_a_card_says_what_is_done() -> None:
    """The title names the query, the seq and the session."""
    titles = [
        tool_of(ScriptedEngine(), tool).present_call({**LEAST[tool], "session_id": "s-1"}).title
        for tool in TOOLS
    ]
    assert titles == [
        "Search earlier sessions: needle",
        "Search session s-1: needle",
        "Trace session s-1",
        "Trace event 0 of session s-1",
        "Read event 0 of session s-1",
    ]
