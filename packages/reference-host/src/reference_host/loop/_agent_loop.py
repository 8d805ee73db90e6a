"""The agent loop: asks the model, runs its calls, logs everything before it happens (HOST-3)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final

from session_query import AbortSignal, JsonValue, LiveSession, interrupted_turn_closers

from reference_host._diagnostics import logger
from reference_host._prompt import PromptAssembly
from reference_host.dispatch import Dispatcher, PendingCall, Permission, ToolCall, ToolOutcome
from reference_host.errors import ModelError, SessionError
from reference_host.loop._answers import Answer
from reference_host.loop._cancelling import cancel_on_abort
from reference_host.loop._requests import header_in_force, request_with
from reference_host.loop._titles import fallback_title
from reference_host.models import Model, ModelRequest
from reference_host.tools import ToolRegistry

__all__ = ["HOST_FAILED", "AgentLoop", "TurnEnd"]

HOST_FAILED: Final = "HOST_FAILED"
"""Something in the host raised what nothing in it expects."""
MODEL_FAILED: Final = "MODEL_FAILED"
"""The model raised what is no `ModelError`."""


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """How a turn ended: its `turn/end` reason.

    Attributes:
        kind: `completed`, `aborted`, `error`, `max-tokens` or `max-steps`.
        message: of an error, what was wrong.
        code: of an error, its code.
    """

    kind: str
    message: str | None = None
    code: str | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Return the reason as the log has it."""
        if self.code is None:
            return {"kind": self.kind}
        return {"kind": self.kind, "error": {"message": self.message, "code": self.code}}


@dataclass(slots=True)
class _Turn:
    """One turn while it runs, and what it needs to know of the log without reading it again.

    Attributes:
        number: its number.
        first: the seq of its `turn/start`.
        titled: whether the session has a title.
        header: the request header that is in force.
    """

    session: LiveSession
    flush: Callable[[], Awaitable[None]]
    signal: AbortSignal
    permission: Permission | None
    resumed: bool
    number: int
    first: int
    titled: bool
    header: Mapping[str, Any] | None
    step: int = 0

    @property
    def place(self) -> dict[str, JsonValue]:
        return {"turn": self.number, "step": self.step}

    def log(self, kind: str, data: Mapping[str, JsonValue], *surface: Any) -> int:
        return self.session.append(kind, dict(data), *surface).seq


@dataclass(slots=True)
class _Received:
    """What came of one answer, however it ended."""

    answer: Answer
    seqs: list[int] = field(default_factory=list)
    failure: TurnEnd | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AgentLoop:
    """Runs turns. One object serves all sessions of a host; it holds no state of any.

    Args:
        model: who answers.
        prompt: the system prompt.
        tools: the tools that are offered.
        dispatcher: what runs their calls.
        max_steps: after how many requests a turn ends in `max-steps`.
        new_id: gives ids to messages.
    """

    _model: Model
    _prompt: PromptAssembly
    _tools: ToolRegistry
    _dispatcher: Dispatcher
    _max_steps: int
    _new_id: Callable[[], str]

    async def run(  # noqa: PLR0913 - all that a turn depends on
        self,
        session: LiveSession,
        content: Sequence[Mapping[str, Any]],
        *,
        flush: Callable[[], Awaitable[None]],
        signal: AbortSignal,
        permission: Permission | None = None,
        resumed: bool = False,
    ) -> TurnEnd:
        """Run one turn to its end; an abort ends it too, and is no error.

        The task must not be cancelled: `session_query.settle` turns a cancellation into an abort.

        Args:
            session: whose turn it is.
            content: the blocks of the user's message.
            flush: makes durable what was logged; called before each request and each tool.
            signal: ends the turn; every tool that runs has settled before this returns.
            permission: whom the dispatcher asks.
            resumed: whether the session was loaded and no request was made since.

        Raises:
            SessionError: the log could not be written. The turn has stopped where it was.
        """
        seen = Counter(event.type for event in session.events)
        turn = _Turn(
            session,
            flush,
            signal,
            permission,
            resumed,
            number=1 + seen["turn/start"],
            first=len(session.events),
            titled="session/title" in seen,
            header=header_in_force(session.events),
        )
        turn.log("turn/start", {"turn": turn.number})
        try:
            end = await self._steps(turn, content)
        except (SessionError, KeyboardInterrupt, SystemExit):
            raise
        except asyncio.CancelledError:
            _log_end(turn, TurnEnd("interrupted"))
            raise
        except BaseException as error:  # noqa: BLE001 - the session goes on, whatever it was
            end = _failed_end(turn, error)
        _log_end(turn, end)
        await flush()
        return end

    async def _steps(self, turn: _Turn, content: Sequence[Mapping[str, Any]]) -> TurnEnd:
        while turn.step < self._max_steps:
            turn.step += 1
            turn.log("step/start", turn.place)
            if turn.step == 1:
                self._log_message(turn, content)
            end = await self._step(turn)
            turn.log("step/end", turn.place)
            if end is not None:
                return end
        return TurnEnd("max-steps")

    def _log_message(self, turn: _Turn, content: Sequence[Mapping[str, Any]]) -> None:
        message = {
            "id": self._new_id(),
            "role": "user",
            "content": [dict(block) for block in content],
            "source": {"kind": "user"},
        }
        seq = turn.log("user/message", message, "append")
        if not turn.titled and (title := fallback_title(content)):
            source = {"kind": "fallback"}
            turn.log("session/title", {"title": title, "messageSeqs": [seq], "source": source})

    async def _step(self, turn: _Turn) -> TurnEnd | None:
        """Make one request and run what it calls; return how the turn ends, None to go on."""
        request = self._logged_request(turn)
        await turn.flush()
        if turn.signal.aborted:
            return TurnEnd("aborted")
        received = await self._ask(turn, request)
        failure = received.failure
        if failure is None and received.answer.finish == "max-tokens":
            failure = TurnEnd("max-tokens")
        content = received.answer.content(whole=failure is None)
        if failure is None or content:
            self._log_answer(turn, received, content, interrupted=failure is not None)
        if failure is not None:
            return failure
        calls = Answer.calls(content)
        await self._run_calls(turn, calls)
        if turn.signal.aborted:
            return TurnEnd("aborted")
        return None if calls else TurnEnd("completed")

    def _logged_request(self, turn: _Turn) -> ModelRequest:
        """Log the header if it is another one than before, and make the request from the log."""
        header: dict[str, JsonValue] = {
            "config": dict(self._model.config),
            "system": self._prompt.text(),
            "tools": [dict(schema) for schema in self._tools.schemas()],
        }
        if turn.header != header:
            reason = "initial" if turn.header is None else "resume" if turn.resumed else "change"
            seq = turn.log("request/header", {"header": header, "reason": reason})
            logged: Any = turn.session.events[seq].data
            turn.header = logged["header"]
        turn.resumed = False
        return request_with(turn.header or {}, turn.session)

    async def _ask(self, turn: _Turn, request: ModelRequest) -> _Received:
        received = _Received(Answer(self._new_id))

        async def receive() -> None:
            async with aclosing(self._model.stream(request)) as chunks:  # type: ignore[type-var]
                async for chunk in chunks:
                    data = {**turn.place, "chunk": dict(chunk)}
                    received.seqs.append(turn.log("assistant/chunk", data))
                    received.answer.add(chunk)

        try:
            if await cancel_on_abort(receive, turn.signal):
                received.failure = TurnEnd("aborted")
            elif received.answer.finish is None:
                problem = "the answer of the model broke off"
                received.failure = TurnEnd("error", problem, "MODEL_INVALID_ANSWER")
        except ModelError as error:
            received.failure = TurnEnd("error", error.message, error.code)
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it raises ends its turn only
            logger.exception(
                "session %s: the model failed",
                ascii(turn.session.id),
                extra={"session_id": turn.session.id, "code": MODEL_FAILED},
            )
            problem = f"the model failed: {type(error).__name__}"
            received.failure = TurnEnd("error", problem, MODEL_FAILED)
        return received

    def _log_answer(
        self,
        turn: _Turn,
        received: _Received,
        content: list[dict[str, Any]],
        *,
        interrupted: bool,
    ) -> None:
        message = {
            "id": self._new_id(),
            "role": "assistant",
            "content": content,
            "source": {"kind": "model", **self._model.config},
        }
        data: dict[str, Any] = {**turn.place, "message": message}
        if received.answer.usage is not None:
            data["usage"] = received.answer.usage
        if interrupted:
            data["interrupted"] = True
        turn.log("assistant/message", data, "append", received.seqs)

    async def _run_calls(self, turn: _Turn, calls: Sequence[ToolCall]) -> None:
        for group in self._dispatcher.groups(calls):
            if turn.signal.aborted:
                for pending in group:
                    self._log_result(turn, self._dispatcher.not_dispatched(pending.call), None)
                continue
            seqs = [self._log_call(turn, pending) for pending in group]
            await turn.flush()
            outcomes = await self._dispatcher.run_group(
                group, turn.session, turn.signal, turn.permission
            )
            for seq, outcome in zip(seqs, outcomes, strict=True):
                self._log_result(turn, outcome, seq)

    @staticmethod
    def _log_call(turn: _Turn, pending: PendingCall) -> int:
        call = pending.call
        data = {"callId": call.id, "name": call.name, "arguments": call.arguments}
        return turn.log("tool/call", {**turn.place, **data})

    def _log_result(self, turn: _Turn, outcome: ToolOutcome, call_seq: int | None) -> None:
        block: dict[str, Any] = {
            "type": "tool-result",
            "toolCallId": outcome.call.id,
            "content": [dict(one) for one in outcome.output.content],
        }
        if outcome.failure is not None:
            block["isError"] = True
        message = {
            "id": self._new_id(),
            "role": "user",
            "content": [block],
            "source": {"kind": "tool", "callId": outcome.call.id},
        }
        data: dict[str, Any] = {**turn.place, "message": message}
        if outcome.failure is not None:
            data["error"] = {"name": outcome.failure.name, "code": outcome.failure.code}
        if outcome.output.meta:
            data["meta"] = dict(outcome.output.meta)
        turn.log("tool/result", data, "append", None if call_seq is None else [call_seq])


def _failed_end(turn: _Turn, error: BaseException) -> TurnEnd:
    logger.error(
        "session %s: the turn failed",
        ascii(turn.session.id),
        exc_info=error,
        extra={"session_id": turn.session.id, "code": HOST_FAILED},
    )
    return TurnEnd("error", f"the host failed: {type(error).__name__}", HOST_FAILED)


def _log_end(turn: _Turn, end: TurnEnd) -> None:
    """End the turn; what a failure left open in it is closed as after a crash (LOG-25)."""
    for closer in interrupted_turn_closers(turn.session.events[turn.first :]):
        if closer.type != "turn/end":
            turn.session.append(
                closer.type, closer.data, closer.surface_op, closer.source_event_seqs
            )
    turn.log("turn/end", {"turn": turn.number, "reason": end.to_json()})
