"""The host as an agent of the Agent Client Protocol (ACP-1)."""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, Final

from acp import PROTOCOL_VERSION
from acp.exceptions import RequestError
from acp.interfaces import Client
from acp.schema import (
    AgentCapabilities,
    AllowedOutcome,
    CloseSessionResponse,
    ForkSessionResponse,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PermissionOption,
    PromptCapabilities,
    PromptResponse,
    ResumeSessionResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionForkCapabilities,
    SessionInfo,
    SessionListCapabilities,
    SessionResumeCapabilities,
    StopReason,
    ToolCallUpdate,
)
from session_query import AbortController, AbortSignal, LiveSession, SessionEvent

from reference_host._diagnostics import logger
from reference_host._host import Host
from reference_host.acp._content import logged_blocks
from reference_host.acp._errors import told, told_failure
from reference_host.acp._sendable import sendable
from reference_host.acp._showing import Showing, showing
from reference_host.acp._updates import card, live_updates, replayed_updates, wire_call_id
from reference_host.dispatch import ToolCall
from reference_host.loop import TurnEnd, cancel_on_abort
from reference_host.sessions import HostSession, busy

__all__ = ["HostAgent"]

_PAGE: Final = 100
_ALLOW: Final = "allow"
_STOP_REASONS: Final[Mapping[str, StopReason]] = {
    "completed": "end_turn",
    "aborted": "cancelled",
    "max-tokens": "max_tokens",
    "max-steps": "max_turn_requests",
}


class HostAgent:
    """Answers a client's requests. It is no subclass of the SDK's `Agent`, whose methods all exist.

    Args:
        host: an open host.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._turns: dict[str, _RunningTurn] = {}
        self._ending = False
        self._client: Client | None = None

    def on_connect(self, conn: Client) -> None:
        """Learn whom to send updates to; called by the SDK."""
        self._client = conn

    async def end_turns(self) -> None:
        """End all turns that are running, and those that are still to begin."""
        self._ending = True
        for turn in self._turns.values():
            turn.controller.abort()

    @told
    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        """Say what this agent can do."""
        del protocol_version  # the client is told the version that is spoken here, and may leave
        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_capabilities=AgentCapabilities(
                load_session=True,
                prompt_capabilities=PromptCapabilities(embedded_context=True),
                session_capabilities=SessionCapabilities(
                    list=SessionListCapabilities(),
                    fork=SessionForkCapabilities(),
                    resume=SessionResumeCapabilities(),
                    close=SessionCloseCapabilities(),
                ),
            ),
            agent_info=Implementation(name="reference-host", version=version("reference-host")),
        )

    @told
    async def new_session(
        self, cwd: str, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> NewSessionResponse:
        """Make a session."""
        _tell_of_servers(mcp_servers)
        return NewSessionResponse(session_id=self._host.sessions.create(cwd).id)

    @told
    async def load_session(
        self, cwd: str, session_id: str, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> LoadSessionResponse:
        """Take a session up again and show what was said in it."""
        _tell_of_servers(mcp_servers)
        session = await self._host.sessions.load(session_id, cwd)
        if session.busy:
            raise busy(session_id)
        session.busy = True
        try:
            await self._replay(session.live)
        finally:
            session.busy = False
        return LoadSessionResponse()

    @told
    async def resume_session(
        self, session_id: str, cwd: str, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> ResumeSessionResponse:
        """Take a session up again without showing it."""
        _tell_of_servers(mcp_servers)
        await self._host.sessions.load(session_id, cwd)
        return ResumeSessionResponse()

    @told
    async def fork_session(
        self, session_id: str, cwd: str, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> ForkSessionResponse:
        """Make a session that goes on from another one."""
        _tell_of_servers(mcp_servers)
        session = await self._host.sessions.fork(session_id, cwd)
        return ForkSessionResponse(session_id=session.id)

    @told
    async def close_session(self, session_id: str, **_: Any) -> CloseSessionResponse:
        """Let go of a session; a turn that is running in it is cancelled."""
        while (turn := self._turns.get(session_id)) is not None:
            turn.controller.abort()
            await turn.ended.wait()
        await self._host.sessions.release(session_id)
        return CloseSessionResponse()

    @told
    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, **_: Any
    ) -> ListSessionsResponse:
        """List the sessions of exactly that directory, of all without one; newest first."""
        after = None if cursor is None else _place(cursor)
        page, more = await self._host.sessions.list(cwd, after=after, limit=_PAGE)
        sessions = [
            SessionInfo(
                session_id=sendable(found.record.header.id),
                cwd=sendable(found.record.header.cwd or ""),
                title=None if found.title is None else sendable(found.title),
            )
            for found in page
        ]
        last = page[-1].record.header if more else None
        next_cursor = None if last is None else _cursor(last.created_at, last.id)
        return ListSessionsResponse(sessions=sessions, next_cursor=next_cursor)

    @told
    async def prompt(self, session_id: str, prompt: Sequence[Any], **_: Any) -> PromptResponse:
        """Run one turn, showing it while it runs."""
        session = self._host.sessions.get(session_id)
        content = logged_blocks(prompt)
        if session.busy or session_id in self._turns:
            raise busy(session_id)
        turn = self._turns[session_id] = _RunningTurn()
        if self._ending:
            turn.controller.abort()
        try:
            async with self._shown(session.live) as shown:
                end = await self._host.prompt_session(
                    session,
                    content,
                    signal=turn.controller.signal,
                    permission=_Asking(self, session, shown).allowed,
                )
        finally:
            del self._turns[session_id]
            turn.ended.set()
        return _answer(end)

    async def cancel(self, session_id: str, **_: Any) -> None:
        """End the turn that is running in a session, if there is one."""
        if (turn := self._turns.get(session_id)) is not None:
            turn.controller.abort()

    @asynccontextmanager
    async def _shown(self, live: LiveSession) -> AsyncIterator[Showing]:
        async def send(update: Any) -> None:
            await self.client.session_update(live.id, update)

        async with showing(send) as shown:

            def observe(_: LiveSession, event: SessionEvent) -> None:
                shown.add(live_updates(event, self._host.tools))

            unsubscribe = live.subscribe(observe)
            try:
                yield shown
            finally:
                unsubscribe()

    async def _replay(self, live: LiveSession) -> None:
        seen_by_the_model = set(live.surface().nodes)
        for event in live.events:
            if event.surface_op is None or event.seq in seen_by_the_model:
                for update in replayed_updates(event, self._host.tools):
                    await self.client.session_update(live.id, update)

    @property
    def client(self) -> Client:
        """The client at the other end."""
        if self._client is None:
            raise RuntimeError("no client is connected")
        return self._client

    def shown_call(self, session: HostSession, call: ToolCall) -> ToolCallUpdate:
        """Return what a person who is asked for permission is shown of a call."""
        event = next(one for one in reversed(session.live.events) if one.type == "tool/call")
        data: Any = event.data
        shown = card(self._host.tools, call.name, call.arguments)
        return ToolCallUpdate(
            tool_call_id=wire_call_id(data, call.id), title=shown.title, raw_input=shown.raw_input
        )


@dataclass(frozen=True, slots=True)
class _RunningTurn:
    controller: AbortController = field(default_factory=AbortController)
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class _Asking:
    """Asks the client whether a call may run; whatever is not a clear yes is a no."""

    def __init__(self, agent: HostAgent, session: HostSession, shown: Showing) -> None:
        self._agent = agent
        self._session = session
        self._shown = shown

    async def allowed(self, call: ToolCall, signal: AbortSignal) -> bool:
        await self._shown.sent()  # the client knows the call by then
        options = [
            PermissionOption(option_id=_ALLOW, name="Allow", kind="allow_once"),
            PermissionOption(option_id="reject", name="Reject", kind="reject_once"),
        ]
        answers: list[bool] = []

        async def ask() -> None:
            answer = await self._agent.client.request_permission(
                self._session.id, self._agent.shown_call(self._session, call), options
            )
            outcome = answer.outcome
            answers.append(isinstance(outcome, AllowedOutcome) and outcome.option_id == _ALLOW)

        ended = await cancel_on_abort(ask, signal)
        return not ended and answers == [True]


def _answer(end: TurnEnd) -> PromptResponse:
    if end.kind == "error":
        raise told_failure(f"The turn failed: {end.message}", end.code or "MODEL_FAILED")
    return PromptResponse(stop_reason=_STOP_REASONS[end.kind])


def _tell_of_servers(servers: Sequence[Any] | None) -> None:
    if servers:
        logger.warning(
            "%d MCP servers were offered; this agent connects to none",
            len(servers),
            extra={"session_id": None, "code": "ACP_MCP_IGNORED"},
        )


def _cursor(created_at: int, session_id: str) -> str:
    place = f"{created_at} {session_id}".encode("utf-8", "surrogatepass")
    return base64.urlsafe_b64encode(place).decode()


def _place(cursor: str) -> tuple[int, str]:
    try:
        place = base64.b64decode(cursor.encode(), b"-_", validate=True)
        created_at, _, session_id = place.decode("utf-8", "surrogatepass").partition(" ")
        return int(created_at), session_id
    except (ValueError, binascii.Error) as error:
        raise RequestError(-32602, "The cursor is none that session/list gave") from error
