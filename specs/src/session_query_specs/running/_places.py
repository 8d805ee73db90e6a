"""Where in its author's code a subject was, in names that are the same on every machine."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any, Final

from session_query_specs.loop import Place

__all__ = ["own_place", "raised_at"]

_SUITE: Final = "session_query_specs"
_NOT_THEIRS: Final = frozenset({*sys.stdlib_module_names, _SUITE, "session_query", "hypothesis"})


def own_place(places: Iterable[Place], subject: Any) -> str:
    """Return the first place that is the author's, as `package/module.py:12 in function`.

    That is one in the package of the subject, else one in a package that is nobody's here; empty
    where there is none, and for subjects of the suite itself.

    Args:
        places: innermost first.
        subject: an instance of the class under test.
    """
    own = _package(type(subject).__module__)
    if own == _SUITE:
        return ""
    there = [one for one in places if _package(one.module) not in _NOT_THEIRS - {own}]
    theirs = [one for one in there if _package(one.module) == own]
    return next(map(_named, [*theirs, *there]), "")


def raised_at(error: BaseException) -> list[Place]:
    """Return where an error was raised, innermost first; in a group, where its first one was."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    walked = traceback.walk_tb(error.__traceback__)
    return [Place.of(frame, line) for frame, line in walked][::-1]


def _package(module: str) -> str:
    package = module.partition(".")[0]
    # Hypothesis wraps each test in a function of a module that it makes for this
    return "hypothesis" if package.startswith("hypothesis_temporary_module") else package


def _named(place: Place) -> str:
    *packages, module = place.module.split(".")
    file = PurePath(place.file).name
    parts = [*packages, module, file] if file == "__init__.py" else [*packages, file]
    return f"{'/'.join(parts)}:{place.line} in {place.function}"
