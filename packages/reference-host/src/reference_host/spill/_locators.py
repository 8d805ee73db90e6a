"""What the local store's locators look like, and which file each one names (SPILL-1)."""

from __future__ import annotations

import hashlib
import re
from typing import Final, NamedTuple

__all__ = ["FILE", "FOLDER", "Place", "folder_of", "parse_locator", "place_of"]

_SCHEME: Final = "spill:"
_DIGITS: Final = 16
_LONGEST_NAME: Final = 48

FOLDER: Final = re.compile(rf"session-[0-9a-f]{{{_DIGITS}}}")
"""The names of the folders."""
FILE: Final = re.compile(rf"[0-9a-f]{{{_DIGITS}}}-[A-Za-z0-9._-]{{1,{_LONGEST_NAME}}}")
"""The names of the files in them."""
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


class Place(NamedTuple):
    """A file of the store: its folder, and its name in there."""

    folder: str
    name: str

    @property
    def locator(self) -> str:
        """What names it."""
        return f"{_SCHEME}{self.folder}/{self.name}"


def folder_of(session_id: str) -> str:
    """Return the folder for texts of a session; an id may hold anything, so it is hashed."""
    digest = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"session-{digest[:_DIGITS]}"


def place_of(folder: str, token: str, suggested_name: str) -> Place:
    """Return the place for a text.

    Raises:
        ValueError: the token is not 16 hexadecimal digits.
    """
    safe = _UNSAFE.sub("_", suggested_name)[:_LONGEST_NAME] or "text"
    name = f"{token}-{safe}"
    if len(token) != _DIGITS or not FILE.fullmatch(name):
        raise ValueError(f"a token is {_DIGITS} hexadecimal digits, not {token!r}")
    return Place(folder, name)


def parse_locator(locator: str) -> Place | None:
    """Return what a locator names, or None for any other text: no such place leaves the root."""
    folder, _, name = locator.removeprefix(_SCHEME).partition("/")
    if not (FOLDER.fullmatch(folder) and FILE.fullmatch(name)):
        return None
    place = Place(folder, name)
    return place if place.locator == locator else None
