"""A running agent, and the SDK's client that talks to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal, TypeVar, cast

from acp.client.connection import ClientSideConnection
from acp.interfaces import Client

from acp_snapshot.errors import AgentEndedError, AgentError, AgentTimeoutError, StdoutError
from acp_snapshot.launcher._client import RecordingClient
from acp_snapshot.launcher._launch import Environment, Launch, Limits
from acp_snapshot.launcher._places import RunPlaces
from acp_snapshot.launcher._process import AgentProcess, Ending
from acp_snapshot.launcher._tee import StdoutTee

__all__ = ["RunningAgent", "running_agent"]

T = TypeVar("T")


class _Wire:
    """The SDK's transport over the tee."""

    def __init__(self, process: AgentProcess, tee: StdoutTee) -> None:
        self._process = process
        self._tee = tee

    async def send(self, message: dict[str, Any]) -> None:
        self._process.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    async def receive(self) -> dict[str, Any] | None:
        return await self._tee.next()

    async def close(self) -> None:
        """Leave the process alone: the launcher ends it."""


class RunningAgent:
    """An agent to talk to.

    Attributes:
        connection: the SDK's client; await what it returns through `ask`.
        client: what the agent told and asked.
        tee: what the agent wrote to stdout.
        ending: how it ended, once it has.
    """

    def __init__(
        self, process: AgentProcess, tee: StdoutTee, client: RecordingClient, limits: Limits
    ) -> None:
        self.client = client
        self.tee = tee
        self.ending: Ending | None = None
        self._process = process
        self._limits = limits
        self._raw_requests = 0
        self.connection = ClientSideConnection(
            cast("Client", client), _Wire(process, tee), use_unstable_protocol=True
        )

    @property
    def stdout(self) -> bytes:
        """What the agent wrote to stdout until now; endless output is cut off."""
        return bytes(self.tee.raw)

    @property
    def stderr(self) -> str:
        """What the agent wrote to stderr until now; of more than some megabytes, the end."""
        return self._process.stderr_text()

    async def ask(self, answer: Awaitable[T], what: str) -> T:
        """Wait for an answer; `what` names it in errors.

        Raises:
            AgentEndedError: the agent ended first.
            AgentTimeoutError: no answer came in time.
            StdoutError: it wrote something else than messages.
            RequestError: the answer is an error.
        """
        try:
            async with asyncio.timeout(self._limits.answer):
                found = await answer
        except TimeoutError:
            raise self._late(what) from None
        except ConnectionError:
            raise await self._ended(what) from None
        self.check_stdout()
        return found

    async def until(self, ready: Callable[[], T | None], what: str) -> T:
        """Wait until `ready`, which is asked after each message, returns something.

        Raises:
            AgentError: as for `ask`.
        """

        def ready_or_over() -> tuple[T | None] | None:
            found = ready()
            over = self.tee.ended or self.tee.fault
            return None if found is None and not over else (found,)

        try:
            async with asyncio.timeout(self._limits.answer):
                (found,) = await self.tee.until(ready_or_over)
        except TimeoutError:
            raise self._late(what) from None
        if found is None:
            raise await self._ended(what)
        return found

    def send_line(self, line: str) -> None:
        """Write a line to the agent's stdin as it stands."""
        self._process.write(line.encode("utf-8", "surrogatepass") + b"\n")

    async def ask_raw(self, method: str, params: Any) -> dict[str, Any]:
        """Send a request that the SDK would not, and return the whole answer.

        Raises:
            AgentError: as for `ask`.
        """
        self._raw_requests += 1
        number = f"raw-{self._raw_requests}"
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.send_line(json.dumps(request))

        def answer() -> dict[str, Any] | None:
            return next((m for m in self.tee.messages if m.get("id") == number), None)

        return await self.until(answer, method)

    def close_stdin(self) -> None:
        """Close the agent's stdin, as a client does that goes away."""
        self._process.close_input()

    async def ends(self) -> int:
        """Wait until the agent has ended by itself, and return its exit code.

        Raises:
            AgentTimeoutError: it went on.
        """
        if not await self._process.done_within(self._limits.eof):
            raise AgentTimeoutError("the agent goes on after its stdin was closed", self.stderr)
        return self._process.exit_code or 0

    def kill(self) -> None:
        """Kill the agent at once, as a crash does."""
        self._process.kill()

    def check_stdout(self) -> None:
        """Raise `StdoutError` if a line on stdout is no message."""
        if self.tee.fault is not None:
            raise self._with_stderr(self.tee.fault)

    def _with_stderr(self, fault: StdoutError) -> StdoutError:
        return StdoutError(fault.line, fault.number, fault.reason, self.stderr)

    def _late(self, what: str) -> AgentTimeoutError:
        return AgentTimeoutError(f"{what}: nothing within {self._limits.answer:g} s", self.stderr)

    async def _ended(self, what: str) -> AgentError:
        if self.tee.fault is not None:
            return self._with_stderr(self.tee.fault)
        await self._process.done_within(self._limits.pipes)
        code = self._process.exit_code
        how = "closed its stdout" if code is None else f"ended with exit code {code}"
        return AgentEndedError(f"{what}: the agent {how} before it answered", self.stderr)

    async def close(self) -> Ending:
        """End the agent; its process and its pipes are done when this returns."""
        if self.ending is None:
            try:
                self.ending = await self._process.end()
            finally:
                await self.connection.close()
        return self.ending


@asynccontextmanager
async def running_agent(
    launch: Launch,
    places: RunPlaces,
    *,
    environment: Environment | None = None,
    limits: Limits | None = None,
    permissions: Literal["deny", "allow"] = "deny",
) -> AsyncIterator[RunningAgent]:
    """Run an agent, connected to the SDK's client, and end it: EOF first, then signals.

    Once it has failed as a process, it is killed at once.

    Raises:
        AgentStartError: there is no such command.
        StdoutError: it wrote something else than messages, at its very end too.
    """
    tee = StdoutTee()
    limits = limits or Limits()
    process = await AgentProcess.start(
        launch.argv,
        cwd=places.workspace,
        env={**(environment or Environment()).variables_for(places), **launch.env},
        limits=limits,
        feed=tee.feed,
        feed_end=tee.feed_end,
    )
    agent = RunningAgent(process, tee, RecordingClient(permissions), limits)
    try:
        yield agent
    except AgentError:
        # It failed as a process already: how it would end does not matter, and may take long.
        agent.kill()
        raise
    finally:
        await agent.close()
    agent.check_stdout()
