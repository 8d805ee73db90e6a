"""A call that is ended while the store is busy with it, as data (CANCEL-2 to CANCEL-5)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from session_query import AbortController, AbortSignal, SessionQueryEngine

from session_query_specs._subjects import ProviderUnderTest
from session_query_specs.corpora._calls import Call, Outcome, opened, program
from session_query_specs.corpora._corpus import Corpus
from session_query_specs.stores import MemoryPersistence

__all__ = ["REASONS", "Ended", "Interruption", "Reason", "Stop", "abort_for"]

Reason = Literal["LookupError", "AbortError", "Stop"]
REASONS: Final[tuple[Reason, ...]] = ("LookupError", "AbortError", "Stop")
"""What is aborted with: an exception of Python's, the default of signals, and a caller's own."""

_BUSY: Final = 10
"""Passes of the loop for which a store call goes on after the operation was ended."""


class Stop(Exception):  # noqa: N818 - it is a reason, and no error
    """An exception that only a caller knows."""


def abort_for(reason: Reason, controller: AbortController) -> BaseException | None:
    """Abort a signal, and return the reason that its operations must raise."""
    if reason == "AbortError":
        controller.abort()
    else:
        own = Stop if reason == "Stop" else LookupError
        controller.abort(own("the reason of this abort"))
    return controller.signal.reason


@dataclass(frozen=True, slots=True)
class Ended:
    """How an interrupted call ended.

    Attributes:
        landed: whether the store was called so often that the interruption took place.
        error: what was raised; None for an answer.
        is_reason: whether that is the very reason of the abort.
        running: the store calls that had not ended when the operation ended.
        late: the store calls that began after the interruption.
        deaf: the store calls whose signal did not tell them to end.
        foreign: the store calls that got another signal than the caller's.
        again: how the same call ends afterwards.
    """

    landed: bool
    error: BaseException | None = None
    is_reason: bool = False
    running: Sequence[str] = ()
    late: Sequence[str] = ()
    deaf: Sequence[str] = ()
    foreign: Sequence[str] = ()
    again: Outcome = field(default_factory=Outcome)


@dataclass(frozen=True, slots=True)
class Interruption:
    """One call, ended in the middle of a store call.

    Attributes:
        corpus: what the sources hold.
        call: the call.
        at: in the store call of which number, from 0.
        how: by the caller's signal, or by cancelling the calling task, once or twice.
        reason: what it is aborted with, if it is.
        settings: those of the provider.
    """

    corpus: Corpus
    call: Call
    at: int
    how: Literal["abort", "cancel", "cancel twice"]
    reason: Reason = "LookupError"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def described(self) -> list[str]:
        """Return corpus, call and interruption in lines that a person reads."""
        what = {
            "abort": f"the signal is aborted with {_SAID[self.reason]}",
            "cancel": "the task is cancelled",
        }
        done = what.get(self.how, "the task is cancelled twice")
        when = (
            f"in store call {self.at + 1} {done}; that call goes on for {_BUSY} passes of the loop"
        )
        return [*self.corpus.described(), f"call {self.call}", when]

    def script(self, subject: str) -> str:
        """Return a program that makes the call, ends it, and prints how it ended."""
        ending = {"abort": [f"controller.abort({_MADE[self.reason]})"], "cancel": ["task.cancel()"]}
        twice = ["task.cancel()", "await asyncio.sleep(0)", "task.cancel()"]
        signal = ["signal=controller.signal"] if self.how == "abort" else []
        given = ", ".join([*map(repr, self.call.arguments), *signal])
        lines = _SCRIPT.format(
            at=self.at,
            busy=_BUSY,
            ending="\n                ".join(ending.get(self.how, twice)),
            call=f"engine.{self.call.method}({given})",
        )
        return program(subject, self.corpus, self.settings, lines.splitlines())

    async def ended(self, provider: ProviderUnderTest) -> Ended:
        """Make the call, end it, and tell how it ended."""
        sources, _, persistence = self.corpus.open()
        async with opened(provider, sources, self.settings) as engine:
            return await _Interrupted(self, engine, persistence).run()


class _Interrupted:
    def __init__(
        self, given: Interruption, engine: SessionQueryEngine, persistence: MemoryPersistence
    ) -> None:
        self._given = given
        self._engine = engine
        self._persistence = persistence
        self._controller = AbortController()
        self._task: asyncio.Task[Any] | None = None
        self._landed = False
        self._started = 0
        self._running: list[str] = []
        self._late: list[str] = []
        self._deaf: list[str] = []
        self._foreign: list[str] = []

    async def run(self) -> Ended:
        """Run the call in a task of its own, to its end."""
        call, aborts = self._given.call, self._given.how == "abort"
        keywords = {"signal": self._controller.signal} if aborts else {}
        method = getattr(self._engine, call.method)
        self._persistence.before = self._store_call
        self._task = asyncio.ensure_future(method(*call.arguments, **keywords))
        error: BaseException | None = None
        try:
            await self._task
        except asyncio.CancelledError as cancelled:
            error = cancelled
        except Exception as raised:  # noqa: BLE001 - how it ended is what is asked
            error = raised
        running = list(self._running)
        await asyncio.sleep(0)
        self._persistence.before = None
        again = await call.on(self._engine)
        return Ended(
            self._landed,
            error,
            error is not None and error is self._controller.signal.reason,
            running,
            self._late,
            self._deaf,
            self._foreign,
            again,
        )

    async def _store_call(self, what: str, signal: AbortSignal | None) -> None:
        number = self._started
        self._started += 1
        if self._landed:
            self._late.append(what)
        if self._given.how == "abort" and signal is not self._controller.signal:
            self._foreign.append(what)
        self._running.append(what)
        try:
            if number == self._given.at:
                await self._interrupt()
            if self._landed:
                await _passes(_BUSY)
                if signal is None or not signal.aborted:
                    self._deaf.append(what)
        finally:
            self._running.remove(what)

    async def _interrupt(self) -> None:
        await _passes(1)
        self._landed = True
        if self._given.how == "abort":
            abort_for(self._given.reason, self._controller)
        elif self._task is not None:
            self._task.cancel()
            if self._given.how == "cancel twice":
                await _passes(1)
                self._task.cancel()


async def _passes(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


_SAID: Final[dict[Reason, str]] = {
    "LookupError": "a LookupError",
    "AbortError": "no reason of the caller's, so with an AbortError",
    "Stop": "an exception of the caller's own",
}
_MADE: Final[dict[Reason, str]] = {
    "LookupError": 'LookupError("the reason of this abort")',
    "AbortError": "",
    "Stop": 'type("Stop", (Exception,), {})("the reason of this abort")',
}
_SCRIPT: Final = """\
from session_query import AbortController

controller = AbortController()
begun, running, late, ended = [], [], [], []

def held(name, ask):
    async def store_call(*given):
        begun.append(name)
        late.extend([name] if ended else [])
        running.append(name)
        try:
            if len(begun) == {at} + 1:
                await asyncio.sleep(0)
                ended.append(True)
                {ending}
            for _ in range({busy} if ended else 0):
                await asyncio.sleep(0)
            return await ask(*given)
        finally:
            running.remove(name)
    return store_call

for name in ("list_snapshots", "inspect"):
    setattr(stored, name, held(name, getattr(stored, name)))
task = asyncio.ensure_future({call})
try:
    print("answered:", await task)
except BaseException as error:
    print(f"raised {{error!r}}, the very reason: {{error is controller.signal.reason}}")
print(f"store calls still running: {{running}}, begun after the end: {{late}}")
"""
