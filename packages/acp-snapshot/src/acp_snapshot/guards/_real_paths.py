"""Paths of the machine that a test ran on (SNAP-6)."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from acp_snapshot.normalizing import spellings

__all__ = ["real_paths"]

_SLASH = r"(?:\\*/|%2[Ff])"
_PLACES = "|".join(
    place.replace("/", _SLASH)
    for place in ("home", "Users", "root", "tmp", "private", "var/folders", "var/tmp", "run/user")
)
# After a token, such as `<workspace>/tmp/x`, or a host, such as `example.org/home/x`, it's no root.
_ANYWHERE = rf"(?<![\w.<>%-]){_SLASH}(?:{_PLACES}){_SLASH}[^\s\"'`<>\\]+"
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
        text: what to search.
        allowed: regular expressions for whole paths that are part of the content.
    """
    found = dict.fromkeys(match[0] for match in _pattern().finditer(text))
    return [path for path in found if not any(re.fullmatch(one, path) for one in allowed)]
