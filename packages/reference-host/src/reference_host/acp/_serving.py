"""Serves one client over stdin and stdout, until it leaves (ACP-1, ACP-2)."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any, Final, cast

from acp.agent.connection import AgentSideConnection

from reference_host._diagnostics import logger
from reference_host._host import Host
from reference_host.acp._agent import HostAgent
from reference_host.acp._transport import WireTransport
from reference_host.errors import SessionError
from reference_host.wire import LineReader, LineWriter, claimed_stdio

__all__ = ["serve", "serve_stdio"]

_SETTLING_SECONDS: Final = 3.0
_UNSETTLED: Final = 1


async def serve(host: Host, reader: LineReader, writer: LineWriter) -> None:
    """Answer a client until stdin ends, or a signal asks this process to end.

    Turns that are running then are ended and logged, and their requests answered.

    Raises:
        OSError: stdout can't be written to.
    """
    agent = HostAgent(host)
    transport = WireTransport(reader, writer, agent.end_turns)
    # the SDK takes any object with the methods of a transport, and says so in no type
    connection = AgentSideConnection(
        cast("Any", agent),
        cast("Any", transport),
        listening=False,
        use_unstable_protocol=True,
    )
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, reader.end)
    try:
        await connection.listen()
    finally:
        closing = asyncio.create_task(connection.close(), name="closing of the connection")
        _, unsettled = await asyncio.wait([closing], timeout=_SETTLING_SECONDS)
        if unsettled:
            await _abandon(host)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_IGN)  # what is left is short: closing the logs
    if transport.failure is not None:
        raise transport.failure


async def _abandon(host: Host) -> None:
    """End the process though a tool goes on for ever: nobody is there to see it end.

    Its turn stays open in the log, and is closed when the session is loaded.
    """
    for session in host.sessions.opened():
        with suppress(SessionError):
            await host.sessions.flush(session)
    logger.error(
        "a tool goes on though it was cancelled; the process ends without it",
        extra={"session_id": None, "code": "TOOL_NEVER_SETTLES"},
    )
    os._exit(_UNSETTLED)


async def serve_stdio(opening: AbstractAsyncContextManager[Host]) -> int:
    """Open a host and serve one client over this process's stdin and stdout.

    Args:
        opening: a host, not open yet.

    Returns:
        The exit code.
    """
    async with claimed_stdio() as (reader, writer), opening as host:
        await serve(host, reader, writer)
    return 0
