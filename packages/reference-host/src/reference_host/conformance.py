"""The reference host as the conformance suite opens it.

The suite is a package of its own, `session-query-specs`; nothing else here needs it. Run it with
`session-query-conformance reference_host.conformance:ReferenceHost`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any, ClassVar, Final

from session_query import (
    AbortSignal,
    JsonlPersistence,
    LiveSession,
    SessionQueryEngine,
    dumps,
    settle,
)
from tool_session_query import ToolRun

from reference_host._host import Host
from reference_host.composition import parse_composition
from reference_host.dispatch import ToolCall, ToolOutcome
from reference_host.errors import ToolError
from reference_host.models import ReplayModel

try:
    from session_query_specs import HostUnderTest
    from session_query_specs import ToolOutcome as Judged
except ImportError as error:  # pragma: no cover - the tests have it installed
    raise ImportError(
        "reference_host.conformance needs the conformance suite; install session-query-specs"
    ) from error

__all__ = ["ReferenceHost"]

_COMPOSITION: Final = parse_composition("""
prompt = "Be short."
model = {kind = "replay", script = "none.json"}
[index]
[tools.session_query]
[policies.deadline]
""")
_NO_STORE: Final = JsonlPersistence(os.devnull)
"""No turn is run, so nothing is ever written."""


class ReferenceHost(HostUnderTest):
    """Mounts the engine of the suite and dispatches calls as a turn does.

    Its dispatcher knows no call without a session, so such a one goes to the tool itself.
    """

    name: ClassVar[str] = "reference-host"

    async def open(self, engine: SessionQueryEngine) -> Any:
        """Return a host over the engine, and what closes it."""
        async with AsyncExitStack() as opening:
            host = await opening.enter_async_context(
                Host.compose(_COMPOSITION, ReplayModel([]), engine, _NO_STORE)
            )
            return host, opening.pop_all()

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> Judged:
        """Dispatch one call and return how it ended."""
        opened: Host = host[0]
        if caller is None:
            return await _without_agent(opened, tool, arguments, signal)
        session = caller
        call = ToolCall("call-1", tool, dumps(dict(arguments)))

        async def dispatch(cancelled: AbortSignal) -> list[ToolOutcome]:
            [group] = opened.dispatcher.groups([call])
            either = AbortSignal.any(signal, cancelled)
            return await opened.dispatcher.run_group(group, session, either)

        [outcome] = await settle(dispatch, None)
        signal.raise_if_aborted()
        if outcome.failure is None:
            return Judged(text=outcome.output.text)
        message = (outcome.output.text or "").removeprefix(f"Error {outcome.failure.code}: ")
        return Judged(code=outcome.failure.code, message=message)

    async def close(self, host: Any) -> None:
        """Unmount the tools."""
        _, stack = host
        await stack.aclose()


async def _without_agent(
    host: Host, tool: str, arguments: Mapping[str, Any], signal: AbortSignal
) -> Judged:
    mounted: Any = host.tools.get(tool)
    try:
        return Judged(text=await mounted.execute(dict(arguments), ToolRun(signal, None)))
    except ToolError as error:
        return Judged(code=error.code, message=error.message)
