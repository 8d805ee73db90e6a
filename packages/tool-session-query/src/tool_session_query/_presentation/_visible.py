"""Text out of sessions, so that it can't be taken for the tool's own (RENDER-2).

A name stands in quotes, as JSON. Other text stands behind a bar, on each of its lines. What can't
be seen, or changes how the rest is seen, is written out.
"""

from __future__ import annotations

import re
from json.encoder import encode_basestring
from typing import Final

import regex  # type: ignore[import-untyped]  # it has no type hints

__all__ = ["barred", "code_of", "quoted", "visible", "word"]

BAR: Final = "| "

_INVISIBLE: Final = (
    r"[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb"
    r"\U00013430-\U0001343f]"  # they join hieroglyphs
)
_MARKED: Final = r"\p{Extended_Pictographic}\p{EMod}?\ufe0f?"
# What joins or picks a form, where something is joined or picked.
_NEEDED: Final = rf"""
    (?<={_MARKED}) \u200d (?=\p{{Extended_Pictographic}})
  | (?<=[\p{{Extended_Pictographic}}0-9\#*]) [\ufe0e\ufe0f] (?![\ufe00-\ufe0f\U000e0100-\U000e01ef])
  | (?<=\p{{Han}}) [\ufe00-\ufe02\U000e0100-\U000e01ef] (?![\ufe00-\ufe0f\U000e0100-\U000e01ef])
  | (?<=\p{{InSC=Virama}}) (?: \u200d | \u200c (?=\p{{L}}) )
  | (?<=[\p{{Arabic}}\p{{Syriac}}\p{{Mongolian}}]) [\u200c\u200d]
    (?=[\p{{Arabic}}\p{{Syriac}}\p{{Mongolian}}])
  | (?<=\p{{Mongolian}}) [\u180b-\u180d\u180f]
  | (?<=[\U00013000-\U0001342f]) [\U00013430-\U0001343f]
  | [\U00013430-\U0001343f] (?=[\U00013000-\U0001342f])
"""
_DANGER: Final = regex.compile(rf"(?:{_NEEDED})(*SKIP)(*FAIL)|{_INVISIBLE}", regex.VERBOSE)
_SIMPLE: Final = re.compile("[ -~]*")
_WORD: Final = re.compile("[A-Za-z0-9][A-Za-z0-9._/:@+-]{0,79}")
_ASTRAL: Final = 0x1_0000
"""From here on JSON escapes are pairs."""

_LINE_ENDS: Final = re.compile("\r\n|\n|\r")


def visible(text: str) -> str:
    """Return text on one line in which everything can be seen: `<U+200B>` for what can't."""
    if _SIMPLE.fullmatch(text):
        return text
    return _DANGER.sub(lambda found: code_of(found[0]), text)  # type: ignore[no-any-return]


def code_of(char: str) -> str:
    """Return how a character is written out."""
    return f"<U+{ord(char):04X}>"


def barred(text: str, indent: str) -> list[str]:
    """Return the lines of a text, each behind a bar."""
    return [f"{indent}{BAR}{visible(line)}".rstrip(" ") for line in _LINE_ENDS.split(text)]


def quoted(text: str) -> str:
    """Return a text as JSON on one line; reading that gives the very text."""
    return escaped(encode_basestring(text))


def escaped(json_text: str) -> str:
    """Return JSON with escapes for what can't be seen; it stands for the same value."""
    if _SIMPLE.fullmatch(json_text):
        return json_text
    return _DANGER.sub(_escape, json_text)  # type: ignore[no-any-return]


def word(text: str) -> str:
    """Return a name that is one plain word as it is, and others in quotes."""
    return text if _WORD.fullmatch(text) else quoted(text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < _ASTRAL:
        return f"\\u{code:04x}"
    code -= _ASTRAL
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
