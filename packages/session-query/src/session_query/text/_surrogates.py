"""Lone surrogates, which a str of Python may hold and no encoding can."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["without_surrogates"]

_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """Return `text` with U+FFFD in the place of each lone surrogate."""
    return _SURROGATE.sub("\ufffd", text)
