"""Paths of the machine that a test ran on (SNAP-6)."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from acp_snapshot.normalizing import spellings

__all__ = ["real_path_problems", "real_paths"]

_SLASH = r"(?:\\*/|%2[Ff])"
_PLACES = "|".join(
    place.replace("/", _SLASH)
    for place in ("home", "Users", "root", "tmp", "private", "var/folders", "var/tmp", "run/user")
)
# After a token, such as `<workspace>/tmp/x`, or a host, such as `example.org/home/x`, it's no root;
# after an escaped line end or tab it is, as in JSON that is a part of a text, or was cut.
_BEFORE = r"(?:(?<![\w.<>%])|(?<=\\[bfnrt])|(?<=\\u00[01][0-9A-Fa-f]))"
_ANYWHERE = rf"{_BEFORE}{_SLASH}(?:{_PLACES}){_SLASH}[^\s\"'`<>\\]+"
_DRIVE = r"(?<![\w])[A-Za-z]:(?:\\+|/)(?:Users|Windows|Temp)\b[^\s\"'`<>]*"


@cache
def _pattern() -> re.Pattern[str]:
    own = [Path.home(), Path.cwd(), Path(sys.prefix), Path(tempfile.gettempdir())]
    # One name below the root is too short to be told from prose, and stands in the list above.
    deep = {path for one in own for path in (one, one.resolve()) if len(path.parts) > 2}  # noqa: PLR2004 - the root and one name
    known = {spelling for path in deep for spelling in spellings(str(path))}
    mine = [re.escape(one) for one in sorted(known, key=lambda one: (-len(one), one))]
    return re.compile("|".join([*(f"{one}[^\\s\"'`<>\\\\]*" for one in mine), _ANYWHERE, _DRIVE]))


def real_paths(text: str, allowed: Sequence[str] = ()) -> list[str]:
    """Return each path in a text that can only come from a machine, in whichever spelling.

    Args:
        text: what to search; where it's JSON, or lines of it, its strings are, decoded.
        allowed: regular expressions for whole paths that are part of the content.
    """
    pieces = _pieces(text)
    found = dict.fromkeys(match[0] for one in pieces for match in _pattern().finditer(one))
    return [path for path in found if not any(re.fullmatch(one, path) for one in allowed)]


def real_path_problems(name: str, text: str, allowed: Sequence[str] = ()) -> list[str]:
    """Return a problem for each real path in a snapshot, with what to do."""
    return [
        f"real path in {name}: {path}; tell `rules` that it is volatile, or `allowed_paths` that it"
        " is content"
        for path in real_paths(text, allowed)
    ]


def _pieces(text: str) -> Iterator[str]:
    """Yield the strings of a text that is JSON, or else of each line that is, and other lines."""
    if _may_be_json(text):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            yield from _strings(value)
            return
    lines = text.split("\n")
    if len(lines) == 1:
        yield text
    else:
        for line in lines:
            yield from _pieces(line)


def _may_be_json(text: str) -> bool:
    return text.lstrip()[:1] in {"{", "[", '"'}


def _strings(value: Any) -> Iterator[str]:
    """Yield all strings of a JSON value, keys too; one that holds JSON itself is decoded."""
    if isinstance(value, str):
        yield from _pieces(value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _pieces(key)
            yield from _strings(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _strings(item)
