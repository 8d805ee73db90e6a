"""What is shown in place of a long text."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from reference_host.spill import SpillRef, replacement

from ..texts import TEXTS, utf8

LOCATOR = "spill:session-0/1-x.txt"
NOTICE = re.compile(
    rf"\n\[(\d+) of (\d+) bytes omitted\. The whole text: {re.escape(LOCATOR)} - ask\]\n"
)


def ref(text: str) -> SpillRef:
    """The ref of a text."""
    return SpillRef(LOCATOR, len(utf8(text)), "ask")


def room(text: str) -> int:
    """The fewest bytes that a notice of the text needs."""
    return next(
        most for most in range(len(utf8(text))) if replacement(text, ref(text), most) is not None
    )


@pytest.mark.requirement("SPILL-2")
@given(text=TEXTS.map(lambda text: (text or "x") * 40), most=st.integers(0, 600))
@example(text="😀" * 100, most=120)
@example(text="\ud800" * 100, most=121)
def test_head_notice_and_tail_within_the_cap(text: str, most: int) -> None:
    """It is whole code points from both ends around one exact notice, and never over the cap."""
    assume(len(utf8(text)) > most)
    shown = replacement(text, ref(text), most)
    if shown is None:
        return
    assert len(utf8(shown)) <= most
    notices = list(NOTICE.finditer(shown))
    assert len(notices) == 1 + len(NOTICE.findall(text))
    notice = notices[0]
    head, tail = shown[: notice.start()], shown[notice.end() :]
    assert text.startswith(head)
    assert text.endswith(tail)
    total = len(utf8(text))
    assert notice[1] == str(total - len(utf8(head)) - len(utf8(tail)))
    assert notice[2] == str(total)
    unused = most - len(utf8(shown))
    assert unused <= 3 + 3 + len(str(total)), "room is left for another code point"


@pytest.mark.requirement("SPILL-2")
@pytest.mark.parametrize("text", ["a" * 1000, "é" * 500, "😀" * 300, "\ud800" * 300])
def test_the_notice_comes_first(text: str) -> None:
    """Where only the notice fits there is no preview, and with one byte less there is nothing."""
    least = room(text)
    shown = replacement(text, ref(text), least)
    assert shown is not None
    assert NOTICE.fullmatch(shown)
    assert replacement(text, ref(text), least - 1) is None


@pytest.mark.requirement("SPILL-2")
def test_head_and_tail_share_the_room() -> None:
    """Both ends are shown, the head with the odd byte."""
    text = "0123456789" * 50
    shown = replacement(text, ref(text), room(text) + 7)
    assert shown is not None
    assert shown.startswith("0123\n[493 of 500 ")
    assert shown.endswith("]\n789")
