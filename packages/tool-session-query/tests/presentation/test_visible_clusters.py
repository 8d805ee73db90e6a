"""What only hides is written out, in titles and in snippets (RENDER-2)."""

from __future__ import annotations

import json

import pytest
from session_query import EventHit, SessionHit, SessionSearchPage

from ..toolset.scripted import ScriptedEngine, answer, header
from .hostile import invisible
from .parsing import Lines
from .test_search_answers import titles_of

HIDDEN = {
    "zero-width space": "a\u200bb",
    "joiner between letters": "a\u200db",
    "two joiners": "\U0001f468\u200d\u200d\U0001f469",
    "joiner at the end": "\U0001f468\u200d",
    "two joiners after a virama": "\u0995\u09cd\u200d\u200d",
    "non-joiner after a virama before no letter": "\u0995\u09cd\u200c.",
    "non-joiner in Latin": "a\u200cb",
    "two non-joiners": "\u0645\u200c\u200c\u062e",
    "variation selector after a letter": "a\ufe0fb",
    "selectors in a row": "\u845b\U000e0100\U000e0101",
    "emoji selectors in a row": "\u2764\ufe0f\ufe0f",
    "tags after a flag": "\U0001f3f4\U000e0067\U000e0062\U000e007f",
    "byte order mark": "\ufeffa",
    "right to left": "a\u202eb\u202c",
    "isolates": "a\u2067b\u2069",
    "marks": "\u200ea\u200f\u061c",
    "soft hyphen": "a\u00adb",
    "word joiner": "a\u2060b\u2063c",
    "fillers": "\u115f\u1160\u3164\uffa0",
    "controls": "\x00\x07\x1b[31m\x7f\x85\x9b",
    "tab": "a\tb",
    "line separators": "a\u2028b\u2029c",
    "annotation": "\ufff9a\ufffab\ufffb",
    "lone surrogates": "\udc00\ud800",
    "hieroglyph joiner after a letter": "a\U00013430b",
    "Mongolian vowel separator": "a\u180eb",
    "musical": "\U0001d173",
    "shorthand": "\U0001bca0",
    "not assigned": "\U000e0fff\u2065",
}


def shown(text: str) -> tuple[str, str]:
    """A text as a title, with its quotes, and as a snippet."""
    best = EventHit("other", 0, "note", 0, "current", text)
    engine = ScriptedEngine(
        search_sessions=SessionSearchPage((SessionHit(header(), True, False, best),)),
        read_titles=titles_of({"other": text}),
    )
    full = answer(engine, "session_search", {"query": "a"})
    Lines(full)
    lines = full.split("\n")
    return lines[4].removeprefix("   title: "), lines[-3].removeprefix("   | ")


@pytest.mark.requirement("RENDER-2")
@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_what_hides_is_made_visible(text: str) -> None:
    """Each character that can't be seen is written out, and nothing else changes."""
    assert invisible(text)
    title, snippet = shown(text)
    assert title.isascii() or "<U+" in snippet
    assert ascii(json.loads(title)) == ascii(text)
    codes = {f"<U+{ord(char):04X}>" for char in text}
    rest = snippet
    for code in codes:
        rest = rest.replace(code, "")
    assert len(rest) < len(text)
    assert all(char in text for char in rest)


@pytest.mark.requirement("RENDER-2")
def test_each_control_and_each_separator_is_written_out() -> None:
    """No C0 or C1 control, bidi control or tag character comes through, wherever it stands."""
    codes = [*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F)]
    codes += [*range(0x2066, 0x206A), *range(0xE0000, 0xE0080), *range(0xD800, 0xE000, 97)]
    for base in ("a", "\u0645", "\u0915\u094d", "\u845b", "\U0001f468"):
        text = "".join(f"{base}{chr(code)}{base[0]}" for code in codes if chr(code) not in "\r\n")
        title, snippet = shown(text)
        assert ascii(json.loads(title)) == ascii(text)
        assert snippet.count("<U+") == len(codes) - 2
