"""Runs the calls of one step, with every policy, to the end (HOST-4, HOST-5, HOST-6)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from session_query import AbortSignal, Deadline, FrozenDict, LiveSession

from reference_host._diagnostics import logger
from reference_host.dispatch._scheduling import PendingCall, ToolCall, grouped
from reference_host.errors import ToolError, ToolTimeoutError
from reference_host.tools import HostAgent, HostRun, ToolOutput, ToolRegistry

__all__ = [
    "ABORTED",
    "ABORTED_BEFORE_DISPATCH",
    "TOOL_FAILED",
    "TOOL_INVALID_ARGUMENT",
    "TOOL_NOT_FOUND",
    "TOOL_PERMISSION_DENIED",
    "TOOL_TIMEOUT",
    "Dispatcher",
    "OutputPolicy",
    "Permission",
    "ToolFailure",
    "ToolOutcome",
]

TOOL_TIMEOUT: Final = "TOOL_TIMEOUT"
"""The deadline policy aborted the tool."""
ABORTED: Final = "ABORTED"
"""The caller ended the turn while the tool ran."""
ABORTED_BEFORE_DISPATCH: Final = "ABORTED_BEFORE_DISPATCH"
"""The caller ended the turn before the tool was entered."""
TOOL_FAILED: Final = "TOOL_FAILED"
"""The tool raised what must not be shown."""
TOOL_NOT_FOUND: Final = "TOOL_NOT_FOUND"
"""There is no tool of that name."""
TOOL_INVALID_ARGUMENT: Final = "TOOL_INVALID_ARGUMENT"
"""The arguments are not JSON."""
TOOL_PERMISSION_DENIED: Final = "TOOL_PERMISSION_DENIED"
"""Nobody gave the permission that the call needs."""


@dataclass(frozen=True, slots=True)
class ToolFailure:
    """Why a call failed, as its result logs it."""

    name: str
    code: str


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """How a call ended: what the model is shown, and what failed, if anything did."""

    call: ToolCall
    output: ToolOutput
    failure: ToolFailure | None = None


class OutputPolicy(Protocol):
    """What is done with the output of a tool after it ran, such as spilling it."""

    async def apply(
        self, output: ToolOutput, *, owner_session_id: str | None, tool_name: str, call_id: str
    ) -> ToolOutput:
        """Return the output or what replaces it; never fails."""


Permission = Callable[[ToolCall, AbortSignal], Awaitable[bool]]
"""Asks somebody whether a call may run; anything but True means no."""


class Dispatcher:
    """Runs calls of registered tools.

    Args:
        tools: the registry.
        default_timeout_ms: how long a tool without a limit of its own may take; None for ever.
        spill: what is done with long outputs.
        asks_before: names of the tools for which `permission` is asked first.
    """

    def __init__(
        self,
        tools: ToolRegistry,
        *,
        default_timeout_ms: int | None = None,
        spill: OutputPolicy | None = None,
        asks_before: frozenset[str] = frozenset(),
    ) -> None:
        self._tools = tools
        self._default_timeout_ms = default_timeout_ms
        self._spill = spill
        self._asks_before = asks_before

    def groups(self, calls: Sequence[ToolCall]) -> Iterator[list[PendingCall]]:
        """Yield the calls in order; those of one group are to run at the same time."""
        return grouped([self._pending(call) for call in calls])

    async def run_group(
        self,
        group: Sequence[PendingCall],
        session: LiveSession,
        signal: AbortSignal,
        permission: Permission | None = None,
    ) -> list[ToolOutcome]:
        """Run one group side by side, and return how each call ended, in call order.

        Returns or raises only when every tool has settled. The task must not be cancelled: the
        signal ends the tools.

        Args:
            group: one of the groups that `groups` gave.
            session: the session whose turn is running: the identity of the caller.
            signal: the caller's; its abort ends the tools.
            permission: whom to ask; without it, a call that needs permission is blocked.
        """
        async with asyncio.TaskGroup() as tasks:
            running = [
                tasks.create_task(
                    self._run(pending, session, signal, permission),
                    name=f"tool {pending.call.name}",
                )
                for pending in group
            ]
        return [
            # a tool that cancels its own task has failed, and ends nothing else
            _failure_of(pending.call, asyncio.CancelledError(), session)
            if task.cancelled()
            else task.result()
            for pending, task in zip(group, running, strict=True)
        ]

    @staticmethod
    def not_dispatched(call: ToolCall) -> ToolOutcome:
        """Return the outcome of a call whose turn ended before its tool was entered."""
        return _failed(call, "The call was cancelled before it began.", ABORTED_BEFORE_DISPATCH)

    def _pending(self, call: ToolCall) -> PendingCall:
        tool = self._tools.get(call.name)
        try:
            return PendingCall(call, tool, call.parsed(), None)
        except ValueError as error:
            return PendingCall(call, tool, None, str(error))

    async def _run(
        self,
        pending: PendingCall,
        session: LiveSession,
        signal: AbortSignal,
        permission: Permission | None,
    ) -> ToolOutcome:
        call = pending.call
        refusal = await self._refusal(pending, signal, permission)
        if refusal is not None:
            return refusal
        outcome = await self._execute(pending, session, signal)
        if self._spill is None:
            return outcome
        output = await self._spill.apply(
            outcome.output, owner_session_id=session.id, tool_name=call.name, call_id=call.id
        )
        return ToolOutcome(call, output, outcome.failure)

    async def _refusal(
        self, pending: PendingCall, signal: AbortSignal, permission: Permission | None
    ) -> ToolOutcome | None:
        """Return the outcome of a call whose tool must not be entered, or None."""
        call = pending.call
        if signal.aborted:
            return self.not_dispatched(call)
        if pending.tool is None:
            known = ", ".join(self._tools.names) or "none"
            problem = f"There is no tool of that name. There are: {known}."
            return _failed(call, problem, TOOL_NOT_FOUND)
        if pending.problem is not None:
            problem = f"The arguments are not JSON: {pending.problem}."
            return _failed(call, problem, TOOL_INVALID_ARGUMENT)
        if call.name not in self._asks_before or await _permitted(call, signal, permission):
            return None
        if signal.aborted:
            return self.not_dispatched(call)
        problem = "This call needs a permission that was not given."
        return _failed(call, problem, TOOL_PERMISSION_DENIED, blocked=True)

    async def _execute(
        self, pending: PendingCall, session: LiveSession, signal: AbortSignal
    ) -> ToolOutcome:
        call, tool = pending.call, pending.tool
        assert tool is not None  # noqa: S101 - _run has answered the others
        limit = self._default_timeout_ms if tool.timeout_ms is None else tool.timeout_ms
        failure: BaseException | None = None
        output = ToolOutput(())
        over = ToolTimeoutError(
            f"{call.name} took longer than {(limit or 0) / 1000:g} s and was ended."
        )
        with Deadline(limit, over) as deadline:
            run = HostRun(AbortSignal.any(signal, deadline.signal), HostAgent(session))
            try:
                output = _loggable(await tool.execute(pending.arguments, run))
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:
                if _is_cancelled(error):
                    raise
                failure = error
            # what came first decides, and nothing that comes after the tool has settled
            ended_by = run.signal.reason
        if ended_by is over:
            return _failed(call, str(over), TOOL_TIMEOUT, name=type(over).__name__)
        if ended_by is not None:
            return _failed(call, "The call was cancelled.", ABORTED)
        if failure is not None:
            return _failure_of(call, failure, session)
        return ToolOutcome(call, output)


async def _permitted(call: ToolCall, signal: AbortSignal, permission: Permission | None) -> bool:
    """Ask for permission; whatever is not a clear yes is a no (ACP-1)."""
    if permission is None:
        return False
    try:
        return await permission(call, signal) is True and not signal.aborted
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        if _is_cancelled(error):
            raise
        logger.warning(
            "tool %s: asking for permission failed, so it was not given: %r",
            call.name,
            error,
            extra={"session_id": None, "code": TOOL_PERMISSION_DENIED},
        )
        return False


def _loggable(answer: object) -> ToolOutput:
    """Return what a tool answered, as an output that a log takes and nobody can change.

    Raises:
        TypeError, ValueError: it is no output, or not lossless JSON.
    """
    if isinstance(answer, str):
        return ToolOutput.of_text(answer)
    if not isinstance(answer, ToolOutput):
        raise TypeError(f"a tool answers text or an output, not {type(answer).__name__}")
    content = [FrozenDict(block) for block in answer.content]
    return ToolOutput(tuple(content), FrozenDict(answer.meta), answer.blocked)


def _is_cancelled(error: BaseException) -> bool:
    """Tell a cancellation of the running task from one that a tool made up."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and bool(task and task.cancelling())


def _failure_of(call: ToolCall, error: BaseException, session: LiveSession) -> ToolOutcome:
    if isinstance(error, ToolError):
        return _failed(call, error.message, error.code, name=error.name)
    logger.error(
        "session %s: tool %s failed",
        ascii(session.id),
        call.name,
        exc_info=error,
        extra={"session_id": session.id, "code": TOOL_FAILED},
    )
    return _failed(call, "The tool failed. It may help to try again.", TOOL_FAILED)


def _failed(
    call: ToolCall, message: str, code: str, *, name: str = "ToolError", blocked: bool = False
) -> ToolOutcome:
    text = f"Error {code}: {message}"
    output = ToolOutput(({"type": "text", "text": text},), blocked=blocked)
    return ToolOutcome(call, output, ToolFailure(name, code))
