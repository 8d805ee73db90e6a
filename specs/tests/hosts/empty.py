"""Hosts that do nothing that a host is for (CONF-12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from session_query import AbortSignal, LiveSession, SessionQueryEngine
from session_query_specs import HostUnderTest, ToolOutcome


class Empty(HostUnderTest):
    """Answers every call with nothing."""

    name: ClassVar[str] = "answers with nothing"
    outcome: ClassVar[ToolOutcome] = ToolOutcome(text="")

    async def open(self, engine: SessionQueryEngine) -> Any:
        return engine

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        del host, tool, arguments, caller
        signal.raise_if_aborted()
        return self.outcome

    async def close(self, host: Any) -> None:
        del host


class Refusing(Empty):
    """Refuses every call."""

    name: ClassVar[str] = "refuses"
    outcome: ClassVar[ToolOutcome] = ToolOutcome(
        code="SESSION_QUERY_TOOL_UNAUTHORIZED", message="No such session."
    )


class Failing(Empty):
    """Fails at every call."""

    name: ClassVar[str] = "fails"
    outcome: ClassVar[ToolOutcome] = ToolOutcome(
        code="SESSION_QUERY_TOOL_FAILED", message="That failed."
    )


class Raising(Empty):
    """Raises whatever it's asked."""

    name: ClassVar[str] = "raises"

    async def call(self, *_: Any, **__: Any) -> ToolOutcome:
        raise RuntimeError("no")


class Telling(Empty):
    """Answers every call with all that there is in all workspaces."""

    name: ClassVar[str] = "answers with everything"

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        del tool, arguments, caller
        texts = []
        for record in await host.list_sessions(signal):
            log = await host.read_session(record.id, signal)
            texts += [str(log.header.to_json()), *(str(event.to_json()) for event in log.events)]
        return ToolOutcome(text="\n".join(texts))


EMPTY: list[type[HostUnderTest]] = [Empty, Refusing, Failing, Raising, Telling]
