"""A call in which the engine raises what is meant for the process, in a loop that survives it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from session_query_specs._subjects import HostUnderTest
from session_query_specs.hosts._calls import HostCall
from session_query_specs.hosts._heard import Heard
from session_query_specs.hosts._workspaces import CANARY
from session_query_specs.loop import PATIENCE, HungError

__all__ = ["Interrupted"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A call whose engine raises an interrupt, or the exit of the process."""

    call: HostCall

    def described(self) -> list[str]:
        """Return the call in lines that a person reads."""
        return self.call.described()

    def script(self, subject: str) -> str:
        """Return a program that makes the call."""
        name = subject.partition(":")[2]
        imported = "from session_query_specs.hosts import HostCall\n"
        more = "from session_query_specs.hosts._interrupted import Interrupted\n"
        program = self.call.script(subject).removeprefix("import asyncio\n\n")
        return program.replace(imported, f"{imported}{more}", 1).replace(
            f"asyncio.run(HostCall.from_json(call).heard({name}()))",
            f"repr(Interrupted(HostCall.from_json(call)).heard({name}()))",
        )

    def heard(self, host: HostUnderTest) -> Heard | BaseException:
        """Make the call on a new host; return how it ended, or what is meant for the process."""
        try:
            return _run_through(self.call.heard(host))
        except (KeyboardInterrupt, SystemExit) as passed:
            if not _is_planted(passed):
                raise
            return passed


def _run_through(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, through each loop that a planted interrupt stops.

    A task that is interrupted stops the loop, and so does each that waits for it.
    """
    loop = asyncio.new_event_loop()
    try:
        task = loop.create_task(main)
        task.add_done_callback(lambda _: loop.stop())
        patience = PATIENCE.get()
        end = loop.time() + patience
        _ = loop.call_at(end, loop.stop)
        while not task.done() and loop.time() < end:
            _run_on(loop)
        if not task.done():
            raise HungError(patience, "none")
        return task.result()
    finally:
        left = asyncio.all_tasks(loop)
        for one in left:
            one.cancel()
        for _ in range(len(left) + 1):
            _ = loop.call_soon(loop.stop)
            _run_on(loop)
        loop.close()


def _run_on(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    except (KeyboardInterrupt, SystemExit) as passed:
        if not _is_planted(passed):
            raise


def _is_planted(passed: BaseException) -> bool:
    """Tell an interrupt of the engine's from one by whoever runs the suite."""
    return CANARY in str(passed)
