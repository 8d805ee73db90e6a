"""Text of sessions made harmless to look at (CLI-3).

What a session holds may come from anywhere: escape sequences that take over a terminal, marks that
reverse the order of what is read, halves of characters that no encoding takes. Each becomes visible
and inert; nothing is dropped, so that a reader sees that it was there.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import Final

__all__ = ["ENCODING_ERRORS", "json_text", "visible", "visible_block", "visible_line"]

ENCODING_ERRORS: Final = "session-query-visible"
"""The error handler of streams whose encoding lacks a character."""

_JOINERS: Final = "\u200c\u200d"
"""What Persian and emoji are written with, and what does nothing by itself."""

_CONTROL_PICTURES: Final = 0x2400
_DELETE: Final = 0x7F
_DELETE_PICTURE: Final = 0x2421
_TAB: Final = " " * 4


class _Table(dict[int, "int | str"]):
    """What stands for each code point; filled on demand, for `str.translate`."""

    def __missing__(self, code: int) -> int | str:
        shown = _shown(code)
        self[code] = shown
        return shown


def _shown(code: int) -> int | str:
    char = chr(code)
    if char.isprintable() or char in _JOINERS:
        return code
    if code < 0x20:  # noqa: PLR2004 - the C0 controls
        return _CONTROL_PICTURES + code
    if code == _DELETE:
        return _DELETE_PICTURE
    category = unicodedata.category(char)
    if category == "Zs":
        return " " if code != 0x3000 else code  # noqa: PLR2004 - the wide space aligns wide text
    if category == "Cn" and 0x1F000 <= code <= 0x1FAFF:  # noqa: PLR2004 - newer emoji than Python's
        return code
    return _escaped(code)


def _escaped(code: int) -> str:
    if code < 0x100:  # noqa: PLR2004 - as Python writes them
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004


_TABLE: Final = _Table()
_BREAKS: Final = re.compile(r"\s+")


def visible(text: str) -> str:
    """Return `text` with everything that would act on a terminal made visible, line ends too."""
    return text if text.isascii() and text.isprintable() else text.translate(_TABLE)


def visible_line(text: str) -> str:
    """Return `text` as one line: white-space runs become one space, the rest is `visible`."""
    return visible(_BREAKS.sub(" ", text).strip())


def visible_block(text: str) -> str:
    """Return `text` with its lines kept and tabs widened, the rest made `visible`."""
    lines = text.replace("\r\n", "\n").replace("\t", _TAB).split("\n")
    return "\n".join(map(visible, lines))


_JSON_UNSAFE: Final = re.compile(
    "[\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7e]")


def json_text(text: str, *, ascii_only: bool) -> str:
    """Return JSON text of the same value in which every such character is escaped.

    Args:
        text: JSON text without lone surrogates; C0 controls can't stand in it.
        ascii_only: escape all that is not ASCII.
    """
    return (_NOT_ASCII if ascii_only else _JSON_UNSAFE).sub(_json_escape, text)


def _json_escape(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


_SUBSTITUTES: Final = {
    "…": "...", "·": "-", "→": "->", "▶": ">", "●": "*", "○": "o", "─": "-", "│": "|", "├": "|",
    "└": "`", "━": "-", "╸": "-", "╺": "-", "✓": "+", "✗": "x",
}  # fmt: skip


def _substitute(error: UnicodeError) -> tuple[str, int]:
    """Write what an encoding lacks in ASCII; a codec error handler."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_SUBSTITUTES.get(char) or _ascii(char) for char in missing), error.end


def _ascii(char: str) -> str:
    code = ord(char)
    if _CONTROL_PICTURES <= code < _CONTROL_PICTURES + 0x20:
        return _escaped(code - _CONTROL_PICTURES)
    return _escaped(_DELETE if code == _DELETE_PICTURE else code)


codecs.register_error(ENCODING_ERRORS, _substitute)
