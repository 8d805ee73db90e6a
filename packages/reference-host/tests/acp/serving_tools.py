"""An agent with tools of its own, for a process: `python serving_tools.py STATE SCRIPT`."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

from reference_host import Host
from reference_host.acp import serve_stdio
from reference_host.composition import load_composition
from reference_host.models import ReplayModel
from reference_host.tools import CallCard, Card, Concurrency, HostRun

NOISES: Final = ("print", "descriptor", "process", "warning", "stdin", "original")


class _OwnTool:
    """What the tools here have in common."""

    name = ""
    description = "A tool of a test."
    timeout_ms: int | None = None
    concurrency: Concurrency = "exclusive"

    @property
    def parameters(self) -> dict[str, Any]:
        return {"type": "object"}

    def present_call(self, arguments: Any) -> Card:
        return CallCard("other", f"Use {self.name}", arguments)


class Noisy(_OwnTool):
    """Prints in every way there is, and reads stdin."""

    name = "noisy"

    async def execute(self, arguments: Any, run: HostRun) -> str:
        del arguments, run
        print("noise: print", flush=True)  # noqa: T201 - that it prints is the point
        os.write(1, b"noise: descriptor\n")
        subprocess.run(["echo", "noise: process"], check=True)  # noqa: ASYNC221 - it may block
        warnings.warn("noise: warning", UserWarning, stacklevel=1)
        print("noise: original", file=sys.__stdout__, flush=True)
        rest = os.read(0, 100)
        sys.stderr.write(f"noise: stdin {rest!r}\n")
        return "made noise"


class Waiting(_OwnTool):
    """Waits until it is aborted."""

    name = "waiting"

    async def execute(self, arguments: Any, run: HostRun) -> str:
        del arguments
        run.agent.session.append("todo/write", {"todos": []})  # which tells that it was entered
        await run.signal.wait()
        run.signal.raise_if_aborted()
        return "never"


class Deaf(_OwnTool):
    """Never ends, whatever happens."""

    name = "deaf"

    async def execute(self, arguments: Any, run: HostRun) -> str:
        del arguments
        run.agent.session.append("todo/write", {"todos": []})  # which tells that it was entered
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.get_running_loop().create_future()


class BadCard(_OwnTool):
    """Can't say what it does."""

    name = "bad-card"

    async def execute(self, arguments: Any, run: HostRun) -> str:
        del arguments, run
        return "done"

    def present_call(self, arguments: Any) -> Card:
        raise RuntimeError(arguments)


@asynccontextmanager
async def opened(state: Path, script: Path) -> AsyncIterator[Host]:
    """Open a host that has the tools."""
    model = ReplayModel.of_file(script)
    async with Host.open(load_composition("acp"), state, model=model) as host:
        for tool in (Noisy(), Waiting(), Deaf(), BadCard()):
            host.tools.register(tool)
        yield host


if __name__ == "__main__":
    sys.exit(asyncio.run(serve_stdio(opened(Path(sys.argv[1]), Path(sys.argv[2])))))
