"""The ways in which one path may be written."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote

from acp_snapshot.normalizing._tokens import KIND

__all__ = ["Place", "spellings"]

_ESCAPINGS = 3
"""How deep JSON may stand in JSON: a tool's arguments, logged, and shown in a result."""


_SAFE = re.compile(r"[A-Za-z0-9._-]")
_LONGEST_KEY = 251


@dataclass(frozen=True, slots=True)
class Place:
    """A folder or file whose path differs from run to run.

    Attributes:
        name: what its token says, such as `workspace`.
        paths: its absolute paths: as it was given, and through whichever symbolic links.
    """

    name: str
    paths: tuple[str, ...]

    def __post_init__(self) -> None:
        if not KIND.fullmatch(self.name):
            raise ValueError(f"a place's name is words like `work-tree`, not {self.name!r}")
        for path in self.paths:
            if len(PurePosixPath(path).parts) < 2 or not path.startswith("/"):  # noqa: PLR2004 - the root and a name
                raise ValueError(f"a place is an absolute path below the root, not {path!r}")

    @classmethod
    def at(cls, name: str, path: str | os.PathLike[str]) -> Place:
        """Return the place of a path, as it is given and as it resolves."""
        given = os.path.abspath(path)  # noqa: PTH100 - symbolic links are to stay
        return cls(name, tuple(dict.fromkeys([given, os.path.realpath(path)])))


def _quoted(path: str) -> Iterator[str]:
    encoded = path.encode("utf-8", "surrogateescape")
    for safe in ("/", "", "/:@!$&'()*+,;=~"):
        upper = quote(encoded, safe=safe)
        yield upper
        parts = upper.split("%")
        yield "%".join([parts[0], *(part[:2].lower() + part[2:] for part in parts[1:])])


def _escaped(text: str) -> Iterator[str]:
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    yield json.dumps(text)[1:-1].replace("/", "\\/")
    yield json.dumps(text, ensure_ascii=False)[1:-1].replace("/", "\\/")
    yield ascii(text)[1:-1]


def _log_folder(path: str) -> str:
    """Return the name of the folder that holds the logs of sessions in a workspace (LOG-17)."""
    plain = re.sub(r"[/\\:]+", "-", path).lstrip("-")
    safe = "".join(one if _SAFE.fullmatch(one) else _unit_escape(one) for one in plain)
    return f"--{safe[:_LONGEST_KEY] or 'root'}--"


def _unit_escape(character: str) -> str:
    digits = character.encode("utf-16-be", "surrogatepass").hex().upper()
    return "".join(f"~{digits[at : at + 4]}" for at in range(0, len(digits), 4))


def spellings(path: str) -> list[str]:
    """Return all spellings of a path, the path itself first."""
    plain = {path: None}
    for form in ("NFC", "NFD"):
        plain[unicodedata.normalize(form, path)] = None
    found = dict.fromkeys([*plain, *(one for each in plain for one in _quoted(each))])
    latest: Iterable[str] = list(found)
    for _ in range(_ESCAPINGS):
        latest = dict.fromkeys(one for each in latest for one in _escaped(each))
        found |= latest
    found[_log_folder(path)] = None
    return list(found)
