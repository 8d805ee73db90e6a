"""What counts as a message on stdout."""

from __future__ import annotations

import json
from typing import Any

import pytest
from acp_snapshot.launcher._tee import StdoutTee
from hypothesis import given
from hypothesis import strategies as st

GOOD = b'{"jsonrpc":"2.0","id":1,"result":{}}'


@pytest.mark.requirement("SNAP-1")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"Loading", "is not JSON"),
        (b"[1]", "is JSON, but no object"),
        (b"null", "is JSON, but no object"),
        (b"", "is not JSON"),
        (b"\xff", "is not UTF-8"),
        (b'{"jsonrpc":"2.0"}', "is neither a request nor an answer"),
        (b'{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', "is neither a request nor an answer"),
        (b'{"jsonrpc":"2.0","result":{}}', "is neither a request nor an answer"),
        (b'{"jsonrpc":"2.0","id":1,"error":"no"}', "has an error that is no object"),
        (b'{"jsonrpc":"2.0","id":1,"error":null}', "has an error that is no object"),
        (b'{"jsonrpc":"2.0","id":1,"error":{"message":"no"}}', "whole number as its code"),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":true,"message":""}}', "whole number as its"),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":1}}', "without a text as its message"),
        (b'{"id":1,"result":{}}', 'lacks "jsonrpc": "2.0"'),
        (b'{"jsonrpc":"2.0","id":[1],"result":{}}', "has an id that is neither"),
        (b'{"jsonrpc":"2.0","method":7}', "has a method that is no text"),
        (b'{"jsonrpc":"2.0","method":"x","params":NaN}', "is not JSON"),
        (GOOD + GOOD, "is not JSON"),
    ],
)
def test_lines_that_are_no_messages(line: bytes, reason: str) -> None:
    """A line is one JSON-RPC object; the first that is none is told, and ends the messages."""
    tee = StdoutTee()
    tee.feed(GOOD + b"\n" + line + b"\n" + GOOD + b"\n")
    assert tee.fault is not None
    assert reason in str(tee.fault)
    assert (tee.fault.line, tee.fault.number) == (line, 2)
    assert tee.messages == [json.loads(GOOD)]
    assert tee.raw == GOOD + b"\n" + line + b"\n" + GOOD + b"\n"


@pytest.mark.requirement("SNAP-1")
def test_the_end_in_the_middle_of_a_line() -> None:
    """A last line without its newline is no message, complete or not."""
    tee = StdoutTee()
    tee.feed(GOOD)
    tee.feed_end()
    assert tee.fault is not None
    assert "line 1 ends without a newline" in str(tee.fault)


@pytest.mark.requirement("SNAP-1")
@pytest.mark.parametrize(
    ("pieces", "told"),
    [
        ([GOOD + b"\n", b"x" * 30, b"x" * 30], "line 2 is longer than 50 bytes: 'xxx"),
        ([GOOD + b"\n", b"x" * 60 + b"\n"], "line 2 is longer than 50 bytes: 'xxx"),
        ([GOOD + b"\n"] * 3, "line 4 is where stdout has more than 100 bytes"),
    ],
)
def test_there_is_a_bound(pieces: list[bytes], told: str) -> None:
    """A line or an output that is too long is a fault at once; what follows isn't kept."""
    tee = StdoutTee(longest_line=50, most=100)
    assert [tee.feed(piece) for piece in pieces] == [True] * (len(pieces) - 1) + [False]
    assert told in str(tee.fault)
    assert not tee.feed(b"more\n")
    tee.feed_end()
    assert tee.raw == b"".join(pieces)


@pytest.mark.requirement("SNAP-1")
@given(st.lists(st.text(), max_size=5), st.lists(st.integers(1, 9), min_size=1))
def test_bytes_come_in_any_pieces(texts: list[str], sizes: list[int]) -> None:
    """However the bytes are cut, the messages and the bytes are the same."""
    messages: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "method": "x", "params": {"text": text}} for text in texts
    ]
    sent = b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in messages)
    tee = StdoutTee()
    at = turn = 0
    while at < len(sent):
        size = sizes[turn % len(sizes)]
        tee.feed(sent[at : at + size])
        at += size
        turn += 1
    tee.feed_end()
    assert (bytes(tee.raw), tee.messages, tee.fault) == (sent, messages, None)
