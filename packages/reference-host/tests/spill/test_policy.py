"""Which outputs are spilled, and what becomes of those that are not."""

from __future__ import annotations

import asyncio
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_host.spill import SpillPolicy, SpillSource, SpillStore
from reference_host.tools import ToolOutput

from ..texts import TEXTS, utf8
from .stores import OWNER, MemoryStore

LONG = ToolOutput.of_text("x" * 5000)


def applied(
    output: ToolOutput,
    store: SpillStore | None,
    most: int | None = 1000,
    owner: str | None = OWNER,
    tool: str = "search",
) -> ToolOutput:
    """What the policy makes of an output."""

    async def main() -> ToolOutput:
        policy = SpillPolicy(store, most)
        return await policy.apply(output, owner_session_id=owner, tool_name=tool, call_id="c1")

    return asyncio.run(main())


@pytest.mark.requirement("SPILL-2", "SPILL-3")
@given(texts=st.lists(TEXTS, min_size=1, max_size=3), most=st.integers(200, 400))
def test_what_is_kept_is_what_would_have_been_shown(texts: list[str], most: int) -> None:
    """The stored bytes are those of the unspilled text, and the shown ones never pass the cap."""
    store = MemoryStore()
    blocks = tuple({"type": "text", "text": text * 60} for text in texts)
    output = ToolOutput(blocks, {"other": 1})
    whole = utf8(output.text or "")
    after = applied(output, store, most)
    if len(whole) <= most:
        assert after is output
        assert not store.asked
        return
    [(locator, kept)] = store.kept.items()
    assert kept == whole
    assert len(utf8(after.text or "")) <= most
    assert after.meta == {"other": 1, "spill": {"locator": locator, "bytes": len(whole)}}


@pytest.mark.requirement("SPILL-1", "SPILL-2")
def test_the_store_is_told_whose_text_it_is() -> None:
    """The store learns the owner, the call that gave the text, and a name for it."""
    store = MemoryStore()
    applied(LONG, store)
    source = SpillSource("search", "c1", "result of search")
    assert store.asked == [(OWNER, source, "search.txt")]


@pytest.mark.requirement("SPILL-2")
@pytest.mark.parametrize(
    ("output", "most", "tool"),
    [
        (LONG, None, "search"),
        (LONG, 5000, "search"),
        (LONG, 1000, "read"),
        (ToolOutput(LONG.content, blocked=True), 1000, "search"),
        (ToolOutput((*LONG.content, {"type": "image", "data": ""})), 1000, "search"),
        (ToolOutput(()), 0, "search"),
    ],
    ids=["off", "fits", "read", "blocked", "not only text", "empty"],
)
def test_what_passes_through(
    output: ToolOutput, most: int | None, tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    """What is not to be spilled stays the very object, also without owner; nothing is logged."""
    store = MemoryStore()
    assert applied(output, store, most, OWNER, tool) is output
    assert applied(output, None, most, None, tool) is output
    assert not store.asked
    assert not caplog.records


@pytest.mark.requirement("SPILL-2")
def test_one_byte_over_the_cap_is_spilled() -> None:
    """The cap counts bytes and not characters, and what has just as many stays."""
    output = ToolOutput.of_text("é" * 300)
    assert applied(output, MemoryStore(), 600) is output
    assert applied(output, MemoryStore(), 599) is not output


@pytest.mark.requirement("SPILL-2")
@pytest.mark.parametrize(
    ("store", "owner", "most", "code"),
    [
        (MemoryStore(), None, 1000, "SPILL_NO_OWNER"),
        (MemoryStore(), "", 1000, "SPILL_NO_OWNER"),
        (None, OWNER, 1000, "SPILL_NO_STORE"),
        (MemoryStore(), OWNER, 10, "SPILL_NO_ROOM"),
        (MemoryStore(OSError(28, "No space left on device")), OWNER, 1000, "SPILL_SAVE_FAILED"),
        (MemoryStore(ValueError("a slip")), OWNER, 1000, "SPILL_SAVE_FAILED"),
    ],
    ids=["no owner", "empty owner", "no store", "no room", "disk full", "slip"],
)
def test_what_cannot_be_spilled_stays(
    store: MemoryStore | None,
    owner: str | None,
    most: int,
    code: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The very output stays, nothing is kept, and one warning tells why and of which session."""
    assert applied(LONG, store, most, owner) is LONG
    assert store is None or not store.kept
    [record] = caplog.records
    assert (record.name, record.levelno) == ("reference_host", logging.WARNING)
    assert vars(record)["session_id"] == owner
    assert vars(record)["code"] == code
    assert vars(record)["reason"] in record.getMessage()


@pytest.mark.requirement("SPILL-2")
def test_nothing_is_saved_for_a_notice_without_room() -> None:
    """A store is not even asked to keep a text whose notice does not fit."""
    store = MemoryStore()
    applied(LONG, store, 10)
    assert not store.asked


@pytest.mark.requirement("SPILL-2")
def test_a_cancellation_is_no_failure_of_the_store() -> None:
    """A cancellation while a text is saved goes on to the caller."""
    with pytest.raises(asyncio.CancelledError):
        applied(LONG, MemoryStore(asyncio.CancelledError()))


@pytest.mark.requirement("SPILL-4")
def test_a_tool_cannot_claim_a_spilled_text() -> None:
    """What a tool says in its own meta of a spilled text is dropped, also where nothing is spilled.

    The log of a session would let it read that text, whosever it is.
    """
    claim = {"spill": {"locator": "memory:7:other", "bytes": 1}, "other": 1}
    output = ToolOutput(({"type": "text", "text": "short"},), claim)
    assert applied(output, MemoryStore()).meta == {"other": 1}
    assert applied(output, None, None).meta == {"other": 1}
    long = applied(ToolOutput(LONG.content, claim), MemoryStore())
    assert long.meta["spill"]["locator"] == "memory:0:search.txt"
