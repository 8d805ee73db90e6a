"""Where the log of a session lies below the root (LOG-17)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from session_query.log import SessionHeader

__all__ = [
    "LOG_NAMES",
    "NAME_LIMIT",
    "Place",
    "decode_id",
    "encode_id",
    "is_project",
    "log_name",
    "project_name",
]

NAME_LIMIT = 255
"""Bytes in a file name, on every common file system."""

LOG_NAMES = ("session.jsonl.zstd", "session.jsonl")
_NO_CWD = "_no-cwd"
_KEY_LIMIT = NAME_LIMIT - len("----")

_SEPARATORS = re.compile(r"[/\\:]+")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_ENCODED = re.compile(r"(?:[A-Za-z0-9._-]|~[0-9A-F]{4})+")
_ESCAPES = re.compile(r"(?:~[0-9A-F]{4})+")
_DOTS = {".": "~002E", "..": "~002E~002E"}


class Place(NamedTuple):
    """One log file: `project` and `directory` are names below the root, `path` leads to it."""

    project: str
    directory: str
    path: str

    @property
    def compressed(self) -> bool:
        """Whether the file consists of zstd frames (LOG-19)."""
        return self.path.endswith(".zstd")

    @property
    def session_id(self) -> str:
        """The id that the directory stands for."""
        return decode_id(self.directory) or self.directory

    def mismatch(self, header: SessionHeader) -> str | None:
        """Return why a file with this header can't belong here, or None if it does (LOG-20)."""
        if encode_id(header.id) != self.directory:
            return f"the header is of session {header.id!r}, which belongs in another directory"
        if project_name(header.cwd) != self.project:
            return f"the cwd {header.cwd!r} belongs in another directory than {self.project!r}"
        return None


def log_name(*, compressed: bool) -> str:
    """Return the name of a log file inside the directory of its session."""
    return LOG_NAMES[0 if compressed else 1]


@lru_cache(1_024)
def project_name(cwd: str | None) -> str:
    """Return the directory that holds the sessions of a workspace.

    Different workspaces may share one; the header tells them apart.
    """
    if cwd is None:
        return _NO_CWD
    key = _UNSAFE.sub(_escape, _SEPARATORS.sub("-", cwd)).lstrip("-")
    return f"--{key[:_KEY_LIMIT] or 'root'}--"


def is_project(name: str) -> bool:
    """Tell whether a directory of that name can hold sessions."""
    return name == _NO_CWD or (len(name) > len("----") and name[:2] == "--" == name[-2:])


def encode_id(session_id: str) -> str:
    """Return the directory of a session: ASCII, never a path, different for different ids.

    It may be longer than :data:`NAME_LIMIT`; such a session can't be stored.

    Raises:
        ValueError: the id is empty.
    """
    if not session_id:
        raise ValueError("a session id is not empty")
    return _DOTS.get(session_id) or _UNSAFE.sub(_escape, session_id)


def decode_id(name: str) -> str | None:
    """Return the id that :func:`encode_id` turns into `name`; None if there is none."""
    if not _ENCODED.fullmatch(name):
        return None
    session_id = _ESCAPES.sub(_unescape, name)
    return session_id if encode_id(session_id) == name else None


def _escape(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"~{units[at : at + 2].hex().upper()}" for at in range(0, len(units), 2))


def _unescape(match: re.Match[str]) -> str:
    units = bytes.fromhex(match.group().replace("~", ""))
    return units.decode("utf-16-be", "surrogatepass")
