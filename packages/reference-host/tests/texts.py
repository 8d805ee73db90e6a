"""Texts as tools and files may have them: any code point, lone surrogates too."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

__all__ = ["TEXTS", "utf8"]

_ANY: Final = st.characters(codec=None) | st.sampled_from("a\n\0é中😀\ufeff\ud800\udfff\u202e")

TEXTS: Final = st.text(_ANY)


def utf8(text: str) -> bytes:
    """The bytes of a text, those of lone surrogates too."""
    return text.encode("utf-8", "surrogatepass")
