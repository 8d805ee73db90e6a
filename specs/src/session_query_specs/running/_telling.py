"""A subject that prints what is asked of it, and how that ends, while a check judges it."""

# ruff: noqa: T201 - what a person runs is read on the terminal

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from session_query import AbortSignal, LiveSession

from session_query_specs._subjects import HostUnderTest, ToolOutcome

__all__ = ["telling"]

_WIDTH: Final = 110


def telling(subject: Any) -> Any:
    """Let a subject print each call of it at its end; it stays what it is otherwise."""
    with suppress(AttributeError):  # one without a dictionary keeps silent
        if isinstance(subject, HostUnderTest):
            subject.call = _calling(subject.call)  # type: ignore[method-assign]
        else:
            subject.open = _opening(subject.open)
    return subject


def _calling(asked: Callable[..., Awaitable[Any]]) -> Any:
    async def calling(host: Any, tool: str, arguments: Mapping[str, Any], **named: Any) -> Any:
        given = [f"{key}={_shown(one)}" for key, one in (*arguments.items(), *named.items())]
        return await _told(f"{tool}({', '.join(given)})", asked(host, tool, arguments, **named))

    return calling


def _opening(opened: Callable[..., Awaitable[Any]]) -> Any:
    async def opening(*given: Any, **named: Any) -> Any:
        return _Engine(await opened(*given, **named))

    return opening


class _Engine:
    """An engine whose calls are printed."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name.startswith("_") or not inspect.ismethod(found):
            return found

        def asking(*given: Any, **named: Any) -> Any:
            shown = [*map(_shown, given), *(f"{key}={_shown(one)}" for key, one in named.items())]
            answer = found(*given, **named)  # some of the work may be done by this alone
            if not inspect.isawaitable(answer):
                return answer
            return _told(f"{name}({', '.join(shown)})", answer)

        return asking


async def _told(call: str, asked: Awaitable[Any]) -> Any:
    try:
        answer = await asked
    except BaseException as error:
        print(f"  {_cut(call)} raised {_cut(ascii(error))}")
        raise
    print(f"  {_cut(call)} -> {_cut(_shown(answer))}")
    return answer


def _shown(value: Any) -> str:
    """Return a value in a few words that any terminal takes."""
    if isinstance(value, AbortSignal):
        return "an aborted signal" if value.aborted else "a signal"
    if isinstance(value, LiveSession):
        return f"live session {value.header.id!r}"
    if isinstance(value, ToolOutcome):
        return ascii(value.text if value.code is None else f"{value.code}: {value.message}")
    form = [getattr(one, "to_json", lambda one=one: one)() for one in _listed(value)]
    return ascii(form if isinstance(value, list) else form[0])


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."
