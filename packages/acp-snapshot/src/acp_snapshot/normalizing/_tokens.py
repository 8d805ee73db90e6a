"""Tokens, each for one value."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable

__all__ = ["KIND", "TOKEN", "TokenTable"]

KIND = re.compile(r"[a-z]+(?:-[a-z]+)*")
"""What the words of a token can be: others would not be known for a token."""

TOKEN = re.compile(rf"<{KIND.pattern}(?:-[1-9][0-9]*)?>")
"""What looks like a token; where a text has one already, it stands for itself."""


class TokenTable:
    """Gives each value a token of its own; never one that `taken` has."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._values: dict[Hashable, str] = {}
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def numbered(self, kind: str, value: Hashable) -> str:
        """Return the token of a value; its kind and number are those of the first time."""
        token = self._values.get(value)
        if token is None:
            token = self._values[value] = self._free(kind)
        return token

    def named(self, kind: str) -> str:
        """Return the token of the only value of its kind: one without a number, if it's free."""
        token = self._names.get(kind)
        if token is None:
            plain = f"<{kind}>"
            token = self._names[kind] = self._free(kind) if plain in self._taken else plain
            self._taken.add(token)
        return token

    def _free(self, kind: str) -> str:
        while True:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            token = f"<{kind}-{self._counts[kind]}>"
            if token not in self._taken:
                self._taken.add(token)
                return token
