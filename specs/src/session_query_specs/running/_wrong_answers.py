"""Methods of a subject that answer with something of another kind than they owe (CONF-15).

Where one does, the suite stumbles over it in a line of its own, and the author would learn of
that line instead of theirs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from session_query import (
    EventSearchPage,
    EventTrace,
    EventWindow,
    LineageTrace,
    SessionLog,
    SessionQueryEngine,
    SessionSearchPage,
    SurfaceSnapshot,
)

from session_query_specs._subjects import HostUnderTest, ToolOutcome

__all__ = ["noting"]

_ANSWERS: Final[dict[str, type[Any]]] = {
    "search_sessions": SessionSearchPage,
    "search_events": EventSearchPage,
    "list_sessions": list,
    "filter_sessions": list,
    "read_session": SessionLog,
    "list_events": list,
    "filter_events": list,
    "read_surface": SurfaceSnapshot,
    "read_event": EventWindow,
    "trace_session": LineageTrace,
    "trace_event": EventTrace,
    "close": type(None),
}
"""What the methods of an engine answer with."""


def noting(subject: Any) -> tuple[Any, list[str]]:
    """Return another instance of a subject, and the list of its wrong answers, which grows.

    Args:
        subject: an instance of the class under test.

    Raises:
        Exception: there is no other instance.
    """
    notes: list[str] = []
    other = type(subject)()
    if isinstance(other, HostUnderTest):
        _watch(other, "open", object, notes)
        _watch(other, "call", ToolOutcome, notes)
        _watch(other, "close", object, notes)
    else:

        def opened(engine: Any) -> None:
            for name, owed in _ANSWERS.items():
                if hasattr(engine, name):
                    _watch(engine, name, owed, notes)

        _watch(other, "open", SessionQueryEngine, notes, opened)
    return other, notes


def _watch(
    of: Any,
    name: str,
    owed: type[Any],
    notes: list[str],
    then: Callable[[Any], None] = lambda _: None,
) -> None:
    """Have a method note whatever else it answers with."""
    asked = getattr(of, name)

    def asking(*given: Any, **named: Any) -> Any:
        answer = asked(*given, **named)  # some of the work may be done by this alone
        if not inspect.isawaitable(answer):
            notes.append(f"{name} isn't async: it returned {_kind(answer)}")
            return answer
        return awaited(answer)

    async def awaited(answer: Any) -> Any:
        result = await answer
        if isinstance(result, owed):
            then(result)
        elif owed is not type(None):
            notes.append(f"{name} returned {_kind(result)}, not {_article(owed.__name__)}")
        return result

    with suppress(AttributeError):  # one without a dictionary can't be watched
        setattr(of, name, asking)


def _kind(value: Any) -> str:
    return "None" if value is None else _article(type(value).__name__)


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "AEIOUaeiou" else f"a {name}"
