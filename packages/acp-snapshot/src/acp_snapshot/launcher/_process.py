"""A process with pipes of its own, which is gone for good when it is ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, Self

from acp_snapshot.errors import AgentStartError, AgentTimeoutError
from acp_snapshot.launcher._launch import Limits

__all__ = ["AgentProcess", "Ending"]

_STDERR_KEPT = 4 * 2**20
"""How many bytes of stderr are kept, at its end."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a process ended.

    Attributes:
        after: the last thing it took: `eof` if it ended by itself or when its stdin was closed.
        exit_code: negative for a signal.
        left_behind: whether it left processes of its own, which had to be killed.
    """

    after: Literal["eof", "SIGTERM", "SIGKILL"]
    exit_code: int
    left_behind: bool

    @property
    def problem(self) -> str | None:
        """What was wrong with it, if anything."""
        if self.after != "eof":
            return f"the agent went on after its stdin was closed, and ended only on {self.after}"
        if self.left_behind:
            return "the agent left processes of its own behind"
        return None


class _Output(asyncio.Protocol):
    """One pipe of output, drained as it fills."""

    def __init__(self, feed: Callable[[bytes], object], end: Callable[[], object]) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._feed = feed
        self._end = end

    def data_received(self, data: bytes) -> None:
        self._feed(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the end is the end
        if not self.ended.done():
            self.ended.set_result(None)
            self._end()


class _Input(asyncio.BaseProtocol):
    """The pipe of input; `lost` once nothing can be written to it any more."""

    def __init__(self) -> None:
        self.lost = False

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the end is the end
        self.lost = True


class AgentProcess:
    """A running command, at the head of a session of its own, so that what it starts is found."""

    def __init__(self, popen: subprocess.Popen[bytes], limits: Limits) -> None:
        self._popen = popen
        self._limits = limits
        self._exit = asyncio.get_running_loop().run_in_executor(None, popen.wait)
        self._input: asyncio.WriteTransport
        self._input_state: _Input
        self._outputs: list[tuple[asyncio.ReadTransport, _Output]] = []
        self._stderr = bytearray()
        self._stderr_is_cut = False

    @classmethod
    async def start(  # noqa: PLR0913 - a process has this many sides
        cls,
        argv: Sequence[str | os.PathLike[str]],
        *,
        cwd: Path,
        env: Mapping[str, str],
        limits: Limits,
        feed: Callable[[bytes], bool],
        feed_end: Callable[[], object],
    ) -> Self:
        """Start a command, and begin to drain both of its outputs.

        It's killed once `feed` tells that there is no room for more of its stdout.

        Raises:
            AgentStartError: there is no such command.
        """
        command = [os.fspath(part) for part in argv]
        try:
            popen = subprocess.Popen(  # noqa: S603, ASYNC220 - the command is the caller's; it takes a fork
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=cwd,
                env=dict(env),
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise AgentStartError(f"the agent could not be started: {error}: {command}") from error
        process = cls(popen, limits)
        try:
            await process._connect(feed, feed_end)
        except BaseException:
            process.kill()
            raise
        return process

    async def _connect(self, feed: Callable[[bytes], bool], feed_end: Callable[[], object]) -> None:
        loop = asyncio.get_running_loop()
        popen = self._popen

        def take(data: bytes) -> None:
            if not feed(data):
                self.kill()

        stdin = _opened(popen.stdin)
        self._input, self._input_state = await loop.connect_write_pipe(_Input, stdin)
        for pipe, drained, end in (
            (popen.stdout, take, feed_end),
            (popen.stderr, self._keep_stderr, lambda: None),
        ):
            output = _Output(drained, end)
            transport, _ = await loop.connect_read_pipe(lambda it=output: it, _opened(pipe))  # type: ignore[misc] # the default binds it
            self._outputs.append((transport, output))

    @property
    def exit_code(self) -> int | None:
        """The exit code once the process has ended."""
        return self._exit.result() if self._exit.done() else None

    def write(self, data: bytes) -> None:
        """Write to stdin.

        Raises:
            ConnectionError: stdin is closed.
        """
        if self._input.is_closing():
            raise ConnectionError("the agent's stdin is closed")
        self._input.write(data)

    def close_input(self) -> None:
        """Close stdin once all that was written to it has been taken."""
        self._input.close()

    def kill(self) -> None:
        """Kill the process and all that it started, at once."""
        self._signal(signal.SIGKILL)

    async def done_within(self, seconds: float) -> bool:
        """Wait until the process has ended and its pipes are done; tell whether they are."""
        waiting: list[asyncio.Future[Any]] = [self._exit]
        waiting += [output.ended for _, output in self._outputs]
        _, pending = await asyncio.wait(waiting, timeout=seconds)
        return not pending

    async def end(self) -> Ending:
        """Close stdin, and see the process and its pipes to their end, with signals if need be.

        Raises:
            AgentTimeoutError: something outlives even SIGKILL, in a session of its own.
        """
        try:
            return await self._end()
        finally:
            self.kill()  # only what is still there, if this was interrupted
            if not self._input_state.lost:
                self._input.abort()
            for transport, _ in self._outputs:
                transport.close()

    async def _end(self) -> Ending:
        self.close_input()
        limits = self._limits
        after = await self._exited()
        # What it started may still hold the pipes, or run on without them.
        left = not await self.done_within(limits.pipes)
        for number in (signal.SIGTERM, signal.SIGKILL):
            if not left or await self.done_within(0):
                break
            self._signal(number)
            await self.done_within(limits.signal)
        if not await self.done_within(0):
            raise AgentTimeoutError(
                "the agent has ended, but a process that it started in a session of its own still"
                " holds its pipes",
                self.stderr_text(),
            )
        left |= self._signal(signal.SIGKILL)
        return Ending(after, self._exit.result(), left)

    async def _exited(self) -> Literal["eof", "SIGTERM", "SIGKILL"]:
        if await self._exits_within(self._limits.eof):
            return "eof"
        self._signal(signal.SIGTERM)
        if await self._exits_within(self._limits.signal):
            return "SIGTERM"
        self._signal(signal.SIGKILL)
        if await self._exits_within(self._limits.signal):
            return "SIGKILL"
        raise AgentTimeoutError("the agent outlives SIGKILL", self.stderr_text())

    async def _exits_within(self, seconds: float) -> bool:
        done, _ = await asyncio.wait([self._exit], timeout=seconds)
        return bool(done)

    def _signal(self, number: signal.Signals) -> bool:
        """Send a signal to all that is left of the process group; tell whether anything was."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, number)
            return True
        return False

    def _keep_stderr(self, data: bytes) -> None:
        self._stderr += data
        if len(self._stderr) > 2 * _STDERR_KEPT:  # seldom, as all that is kept is moved
            del self._stderr[:-_STDERR_KEPT]
            self._stderr_is_cut = True

    def stderr_text(self) -> str:
        """What the process wrote to stderr until now; of too much, the end."""
        kept = self._stderr[-_STDERR_KEPT:].decode("utf-8", "replace")
        return f"… {kept}" if self._stderr_is_cut or len(self._stderr) > _STDERR_KEPT else kept


def _opened(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("a pipe that was asked for is there")
    return pipe
