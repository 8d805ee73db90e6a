"""Texts that try to look like a host's own words, or to be there unseen (RENDER-2)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st
from session_query import SessionEvent

from session_query_specs._subjects import HostUnderTest
from session_query_specs.checks._check import Violation, reached
from session_query_specs.checks._hosts import (
    ASKED_TOOLS,
    BEACON,
    answered,
    asking,
    host_check,
    parts_of,
    same,
)
from session_query_specs.corpora import CREATED, Session, message
from session_query_specs.hosts import HostCall, host_calls, log, visible

__all__: list[str] = []

_UNSEEN: Final = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Control characters but for line ends, bidi controls, tags, surrogates: never needed."""

_HOSTILE: Final = (
    *("\x00", "\x07", "\x1b[31m", "\x7f", "\x85", "\x9b", "\r", "\u200b", "\u200e", "\u202e"),
    *("\u2028", "\u2029", "\u2066", "\u2069", "\u061c", "\ufeff", "\u2060", "\U000e0041"),
    *("\u200d", "\u200c", "\ufe0f", "\ud800", "\udfff"),
)
_JOINERS: Final = ("\u200d", "\u200c", "\ufe0f")
"""Zero-width characters that some clusters need; none does between two Latin letters."""


@host_check("RENDER-2/deterministic", host_calls())
async def _deterministic(host: HostUnderTest, example: HostCall) -> None:
    """The same call over the same sessions gives the same text."""
    await answered(host, asking("session_search", visible("v0", f"rocket {BEACON}")), BEACON)
    same(await example.heard(host), await example.heard(host), "nothing differs")


_READABLE: Final = (
    *("火箭发射了", "ракета", "l'été", "👨‍👩‍👧", "नमस्ते", "x < y & z", "❤️"),
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",  # a family
    "\U0001f469\U0001f3fd\u200d\U0001f4bb",  # a tone of skin
    "\u2764\ufe0f\u200d\U0001f525",  # a heart on fire
    "\U0001f3f3\ufe0f\u200d\U0001f308",  # the flag of the rainbow
    "\u2764\ufe0e",  # in the style of text
    "1\ufe0f\u20e3 #\ufe0f\u20e3 *\ufe0f\u20e3",  # keys
    "\U0001f1e9\U0001f1ea\U0001f1ee\U0001f1f3",  # flags
    "\u0915\u094d\u200d\u0937",  # Devanagari: a conjunct
    "\u0915\u094d\u200c\u0937",  # an explicit virama
    "\u0995\u09cd\u200d",  # Bengali: half a form
    "\u0d9a\u0dca\u200d\u0dbb",  # Sinhala
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
    "\u0600\u0661\u0662",  # the Arabic sign of numbers
    "\u845b\U000e0100\u98fe",  # a variant of Han
    "\u182d\u180b",  # Mongolian
    "\U00013171\U00013430\U000131ef",  # hieroglyphs
    "Ελληνικά Русский 日本語 한국어 ไทย עברית é e\u0301",
)


@host_check(
    "RENDER-2/readable",
    st.builds(
        lambda tool, text: asking(tool, visible("v0", f"rocket {text} {BEACON}", title=text)),
        st.sampled_from(["session_search", "session_event_search", "session_event_read"]),
        st.sampled_from(_READABLE),
    ),
    weight=2,
)
async def _readable(host: HostUnderTest, example: HostCall) -> None:
    """Text of any language stays as it is, with the joiners that its clusters need."""
    [text] = [part["text"] for part in parts_of(example.corpus.sessions[1].events[0])]
    await answered(host, example, text)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where hostile text stands in a session."""

    title: str | None = None
    text: str = ""
    type: str = "host/own"

    def session(self) -> Session:
        """Return a session that matches, with such text in it."""
        first = log(f"rocket {BEACON} {self.text}".rstrip(" "))
        own_data = {"text": self.text, f"key {self.text}": {f"inner {self.text}": 1}}
        own_event = SessionEvent(self.type, 1, CREATED, own_data)
        said = SessionEvent("user/message", 2, CREATED, message(f"{self.text} rocket"), "append")
        title = {"title": self.title or "plain", "messageSeqs": [], "source": {"kind": "user"}}
        last = SessionEvent("session/title", 3, CREATED, title)
        return Session(visible("v0").header, (*first, own_event, said, last))


@st.composite
def _unseen(draw: st.DrawFn) -> HostCall:
    hostile = "".join(f"{draw(st.sampled_from(_HOSTILE))}x" for _ in range(draw(st.integers(1, 4))))
    plain = hostile.encode("utf-8", "replace").decode() if draw(st.booleans()) else hostile
    place = _Place(title=f"a{plain}", text=f"b{plain}", type=f"host/c{plain}")
    child = visible("v1", "child", title=f"d{plain}", parent_session="v0")
    call = asking(draw(ASKED_TOOLS), place.session(), child)
    return call.asking(**_any_event(draw, call))


def _any_event(draw: st.DrawFn, call: HostCall) -> dict[str, Any]:
    """Draw which of the events of a place is asked for, and how many before and after it."""
    if call.tool == "session_event_trace":
        return {"seq": draw(st.integers(0, 3))}
    if call.tool != "session_event_read":
        return {}
    seq = draw(st.integers(0, 3))
    return {"seq": seq, "before": draw(st.integers(0, seq)), "after": draw(st.integers(0, 3 - seq))}


@host_check("RENDER-2/unseen", _unseen(), weight=3)
async def _no_unseen(host: HostUnderTest, example: HostCall) -> None:
    """No character that can't be seen, or turns text around, gets from a session into a text."""
    heard = await answered(host, example, "v0")
    found = _UNSEEN.search(heard.text) or re.search(f"[a-z][{''.join(_JOINERS)}]x", heard.text)
    if found:
        code = " ".join(f"U+{ord(char):04X}" for char in found[0])
        raise Violation("only characters that can be seen", f"{code} in {heard}")


_SEPARATORS: Final = ("\n", "\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\n\n", "\n```\n")


@st.composite
def _forging(draw: st.DrawFn) -> HostCall:
    separator = draw(st.sampled_from(_SEPARATORS))
    place = _Place(
        text=f"x{separator}FORGED line{separator}FORGED end",
        title=f"x{separator}FORGED title",
        type=f"host/x{separator}FORGED type",
    )
    child = visible("v1", title=f"x{separator}FORGED title", parent_session="v0")
    call = asking(draw(ASKED_TOOLS), place.session(), child)
    return call.asking(**_any_event(draw, call))


@host_check("RENDER-2/forged-lines", _forging(), weight=3)
async def _forged_lines(host: HostUnderTest, example: HostCall) -> None:
    """No line begins with what a session says, as if it were the host's own; blanks mark none."""
    heard = await answered(host, example, "v0")
    for line in re.split("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", heard.text):
        if line.lstrip().startswith("FORGED"):
            raise Violation("each line of a session to be told from the host's own", f"{line!r}")
    if "FORGED" in heard.text:
        reached(f"forged text in {example.tool}")


@dataclass(frozen=True, slots=True)
class _Copying:
    """A call, and which line of its own answer the session goes on to say."""

    call: HostCall
    line: int

    def described(self) -> list[str]:
        """Return the call, and what is done."""
        return [*self.call.described(), f"then the session says line {self.line} of the answer too"]

    def script(self, subject: str) -> str:
        """Return a program that makes the call."""
        return self.call.script(subject)


@host_check(
    "RENDER-2/own-lines",
    st.builds(
        lambda tool, line: _Copying(asking(tool, _Place().session()), line),
        ASKED_TOOLS,
        st.integers(0, 20),
    ),
    weight=3,
)
async def _own_lines(host: HostUnderTest, example: _Copying) -> None:
    """A session that says a line of the host's own can't make it appear once more."""
    plain = await answered(host, example.call, "v0")
    lines = [line for line in plain.text.split("\n") if line.strip() and "rocket" not in line]
    line = lines[example.line % len(lines)]
    place = _Place(text=f"x\n{line}\nx", title=f"x\n{line}")
    forged = await answered(host, asking(example.call.tool, place.session()), "v0")
    before, after = Counter(plain.text.split("\n")), Counter(forged.text.split("\n"))
    if after[line] > before[line]:
        raise Violation(f"no line {line!r} that comes from the session", f"{forged}")


def _chain(depth: int) -> HostCall:
    line = [visible("v0", "x")]
    line += (visible(f"v{at}", "x", parent_session=f"v{at - 1}") for at in range(1, depth))
    return asking("session_trace", *line)


@host_check("RENDER-2/deep", st.just(_chain(1_500)), weight=0.04)
async def _deep(host: HostUnderTest, example: HostCall) -> None:
    """A lineage as deep as no recursion goes is shown to its end."""
    await answered(host, _chain(3), "v1", "v2")
    await answered(host, example, "v1", "v1499")
