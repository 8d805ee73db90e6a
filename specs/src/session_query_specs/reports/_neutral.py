"""Text from a subject, made harmless for terminals, XML and HTML."""

from __future__ import annotations

__all__ = ["neutral"]


def neutral(text: str) -> str:
    """Return a text with each invisible character but the end of a line as a Python escape."""
    return "".join(char if char == "\n" or char.isprintable() else _escape(char) for char in text)


def _escape(char: str) -> str:
    code = ord(char)
    if code <= 0xFF:  # noqa: PLR2004 - two digits hold it
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - likewise
