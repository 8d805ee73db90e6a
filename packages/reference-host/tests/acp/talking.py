"""The SDK's own client at the other end of an agent process (ACP-3)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from acp import PROTOCOL_VERSION, spawn_agent_process
from acp.client.connection import ClientSideConnection
from acp.exceptions import RequestError
from acp.helpers import text_block
from acp.schema import RequestPermissionResponse

from ..scripts import environment
from .agents import CWD, LIMIT_SECONDS, command

__all__ = ["Listener", "Talk", "refused", "talking"]

Permission = Callable[[dict[str, Any]], Awaitable[RequestPermissionResponse]]
_READ_AT_ONCE: Final = 64 << 20


@dataclass
class Listener:
    """A client that keeps what it is shown, and answers as a test tells it."""

    permission: Permission | None = None
    shown: list[tuple[str, Any]] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def on_connect(self, conn: Any) -> None:
        """Do nothing: the test has the connection."""

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.shown.append((session_id, update))
        self.news.set()

    async def request_permission(
        self, session_id: str, tool_call: Any, options: Any, **_: Any
    ) -> RequestPermissionResponse:
        assert self.permission is not None, "nobody expected to be asked"
        asked = {"session": session_id, "call": tool_call, "options": options}
        return await self.permission(asked)

    def of(self, session_id: str, *kinds: str) -> list[Any]:
        """Return what was shown of a session, of some kinds or of all."""
        return [
            update
            for shown_id, update in self.shown
            if shown_id == session_id and (not kinds or update.session_update in kinds)
        ]

    def text(self, session_id: str, kind: str = "agent_message_chunk") -> str:
        """Return the text that was shown, in one piece."""
        return "".join(update.content.text for update in self.of(session_id, kind))

    async def until(self, wanted: Callable[[Any], bool]) -> Any:
        """Wait for an update and return it."""
        async with asyncio.timeout(LIMIT_SECONDS):
            while not (found := [one for _, one in self.shown if wanted(one)]):
                self.news.clear()
                await self.news.wait()
        return found[0]


@dataclass
class Talk:
    """One connection to one agent process."""

    agent: ClientSideConnection
    process: asyncio.subprocess.Process
    client: Listener

    async def prompt(self, session_id: str, text: str = "Go on.") -> str:
        """Run a turn and return its stop reason."""
        response = await self.agent.prompt(session_id=session_id, prompt=[text_block(text)])
        return response.stop_reason

    async def new(self, cwd: str = CWD) -> str:
        """Make a session and return its id."""
        return (await self.agent.new_session(cwd=cwd)).session_id


@asynccontextmanager
async def talking(
    composition: str, state: Path, *more: str, permission: Permission | None = None
) -> AsyncIterator[Talk]:
    """Start an agent, greet it, and see it end well when the client leaves."""
    client = Listener(permission)
    argv = command(composition, state, *more)
    assert argv[0] == sys.executable
    async with asyncio.timeout(2 * LIMIT_SECONDS):
        async with spawn_agent_process(
            client,  # type: ignore[arg-type]  # a client need not have files and terminals
            *argv,
            env=environment(),
            transport_kwargs={
                "stderr": None,
                "limit": _READ_AT_ONCE,
                "shutdown_timeout": LIMIT_SECONDS,
            },
            use_unstable_protocol=True,
        ) as (agent, process):
            await agent.initialize(protocol_version=PROTOCOL_VERSION)
            yield Talk(agent, process, client)
        assert process.returncode == 0


async def refused(request: Awaitable[object]) -> tuple[int, str, object]:
    """Return code, message and data of the error that a request ends in."""
    try:
        answer = await request
    except RequestError as error:
        return error.code, str(error), error.data
    raise AssertionError(f"not refused: {answer}")
