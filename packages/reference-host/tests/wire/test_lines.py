"""Lines are read whole, whatever pieces they come in, and written whole (ACP-2)."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_host.acp._messages import Refusal, message_of
from reference_host.wire import LineReader

LONGEST = 64 << 20

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error", "_meta", "x"])


async def lines_of(pieces: list[bytes]) -> list[bytes | None]:
    """Read all lines of a stream that comes in pieces."""
    stream = asyncio.StreamReader()
    reader = LineReader(stream, lambda: None)
    found: list[bytes | None] = []

    async def read() -> None:
        try:
            while True:
                found.append(await reader.read_line())
        except EOFError:
            pass

    reading = asyncio.create_task(read())
    for piece in pieces:
        stream.feed_data(piece)
        await asyncio.sleep(0)
    stream.feed_eof()
    await reading
    return found


@pytest.mark.requirement("ACP-4")
@given(st.lists(st.binary().map(lambda data: data.replace(b"x", b"\n"))))
def test_lines_come_in_pieces(pieces: list[bytes]) -> None:
    """The lines are those of the whole; the last one needs no end."""
    whole = b"".join(pieces)
    expected = whole.split(b"\n")
    if not expected[-1]:
        expected.pop()
    assert asyncio.run(lines_of(pieces)) == expected


@pytest.mark.requirement("ACP-4")
def test_lines_that_are_too_long() -> None:
    """A longer line than 64 MiB is told as None, once; those around it are read."""
    longest = b"y" * LONGEST
    pieces = [b"a\n", longest, b"z" * (1 << 17), longest, b"\nb\n", longest, b"\nc"]
    found = asyncio.run(lines_of(pieces))
    assert [line if line is None else line[:1] for line in found] == [b"a", None, b"b", b"y", b"c"]


@pytest.mark.requirement("ACP-4")
@given(
    st.binary()
    | st.text().map(str.encode)
    | JSON.map(repr).map(lambda text: text.encode("utf-8", "surrogatepass"))
    | st.dictionaries(NAMES, JSON).map(lambda value: json.dumps(value).encode())
)
def test_any_line_is_a_message_a_refusal_or_nothing(line: bytes) -> None:
    """No line raises; what is handed on is a request, a cancellation, or an answer to a number."""
    found = message_of(line)
    if isinstance(found, Refusal):
        assert found.to_json()["error"]["code"] in {-32700, -32600}
    elif found is not None and "method" in found:
        assert isinstance(found["method"], str)
        assert "id" in found or found["method"] == "session/cancel"
        assert not any("_" in name for name in found.get("params") or ())
    elif found is not None:
        assert type(found["id"]) is int
        assert isinstance(found.get("error"), (dict, type(None)))
