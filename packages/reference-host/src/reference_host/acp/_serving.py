"""Serves one client over stdin and stdout, until it leaves (ACP-1, ACP-2)."""

from __future__ import annotations

import asyncio
import signal
from contextlib import AbstractAsyncContextManager
from typing import Any, cast

from acp.agent.connection import AgentSideConnection

from reference_host._host import Host
from reference_host.acp._agent import HostAgent
from reference_host.acp._transport import WireTransport
from reference_host.wire import LineReader, LineWriter, claimed_stdio

__all__ = ["serve", "serve_stdio"]


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
        await connection.close()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
    if transport.failure is not None:
        raise transport.failure


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
