"""Text of sessions can't act on a terminal, and loses nothing."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query_sqlite.cli._neutral import (
    ENCODING_ERRORS,
    json_text,
    visible,
    visible_block,
    visible_line,
)

HOSTILE = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0)])) + (
    "\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff\ufff9\U000e0041"
    "\ud83d\udc00\ufdd0\ue000"
)
HARMFUL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
TEXTS = st.text(st.characters() | st.sampled_from(HOSTILE))


@pytest.mark.requirement("CLI-3")
@given(TEXTS)
def test_visible_text_has_nothing_that_acts(text: str) -> None:
    """No control, bidi mark, invisible format or half character is left in visible text."""
    for shown in (visible(text), visible_line(text)):
        assert not HARMFUL.search(shown)
        shown.encode()


@pytest.mark.requirement("CLI-3")
@given(TEXTS)
def test_a_block_keeps_its_lines_and_nothing_else_that_acts(text: str) -> None:
    """A block has as many lines as the text, and each of them is visible text."""
    lines = visible_block(text).split("\n")
    assert len(lines) == text.count("\n") + 1
    assert not any(HARMFUL.search(line) for line in lines)


@pytest.mark.requirement("CLI-3")
@given(st.text(st.characters(categories=["L", "M", "N", "P", "S"])))
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    """Letters, marks, numbers, punctuation and symbols stay as they are."""
    assert visible(text) == text


@pytest.mark.requirement("CLI-3")
@pytest.mark.parametrize("char", HOSTILE)
def test_each_hostile_character_is_seen(char: str) -> None:
    """What is neutralised is replaced by something that can be seen, and never dropped."""
    shown = visible(char)
    assert shown
    assert shown != char
    assert all(unicodedata.category(one)[0] not in "CZ" for one in shown)


@pytest.mark.requirement("CLI-3")
def test_emoji_and_scripts_that_need_joiners_stay_whole() -> None:
    """Joined emoji, variation selectors and Persian are shown as they were written."""
    for text in ("👩‍🚀", "❤️", "می‌خواهم"):
        assert visible(text) == text


@pytest.mark.requirement("CLI-3")
@given(TEXTS, st.sampled_from(["ascii", "latin-1", "cp437", "utf-8", "gb18030"]))
def test_every_encoding_takes_visible_text(text: str, encoding: str) -> None:
    """What an encoding lacks is written in ASCII, and nothing fails."""
    written = visible(text).encode(encoding, ENCODING_ERRORS).decode(encoding)
    assert not re.search("[\x00-\x1f\x7f]", written)


@pytest.mark.requirement("CLI-3")
@given(st.text(st.characters(exclude_categories=["Cs"])), st.booleans())
def test_json_keeps_its_value_and_cannot_act_either(text: str, ascii_only: bool) -> None:
    """Neutralised JSON text is of the same value, and holds nothing that a terminal acts on."""
    written = json_text(json.dumps(text, ensure_ascii=False), ascii_only=ascii_only)
    assert json.loads(written) == text
    assert not HARMFUL.search(written)
    assert not ascii_only or written.isascii()
