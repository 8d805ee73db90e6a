"""Subjects and checks that are small enough to foresee each verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from session_query import AbortSignal, LiveSession, SessionQueryEngine, SessionSources
from session_query_specs import HostUnderTest, ProviderUnderTest, SuiteConfig, ToolOutcome
from session_query_specs.checks import CHECKS, Check, Violation, reached


class Doubler(ProviderUnderTest):
    """A provider of which the toy checks only ask that it doubles numbers."""

    name = "doubler"

    async def open(self, sources: SessionSources, config: SuiteConfig) -> SessionQueryEngine:
        raise NotImplementedError

    def double(self, number: int) -> int:
        """Return twice the number."""
        return 2 * number


class OffBeyondNine(Doubler):
    """Wrong for numbers of two digits."""

    name = "off beyond nine"

    def double(self, number: int) -> int:
        return 2 * number + (number > 9)


class Raising(Doubler):
    """Raises whatever it is asked, with text that would disturb a terminal."""

    name = "raising\x1b[31m"

    def double(self, number: int) -> int:
        raise RuntimeError(f"boom {number} \x1b[31m<b>\ud800 & co")


class Leaving(Doubler):
    """Ends the program whatever it is asked."""

    name = "leaving"

    def double(self, number: int) -> int:
        raise SystemExit(number)


class Wavering(Doubler):
    """Wrong the first time it is asked for a large number."""

    name = "wavering"

    def __init__(self) -> None:
        self.asked = 0

    def double(self, number: int) -> int:
        self.asked += number > 9
        return 2 * number + (self.asked == 1 and number > 9)


class Forgetful(Doubler):
    """Claims something."""

    name = "forgetful"
    capabilities = {"forgets": True}  # noqa: RUF012 - as an author writes it


class ToyHost(HostUnderTest):
    """A host of which the toy checks ask nothing."""

    name = "toy host"

    async def open(self, engine: SessionQueryEngine) -> Any:
        return engine

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        return ToolOutcome(f"{host}{tool}{arguments}{caller}{signal}")

    async def close(self, host: Any) -> None:
        del host


@dataclass(frozen=True)
class Number:
    """An example that is one number."""

    value: int

    def described(self) -> list[str]:
        return [f"number {self.value}"]

    def script(self, subject: str) -> str:
        module, _, name = subject.partition(":")
        return f"from {module} import {name}\n\nprint({name}().double({self.value}))\n"


async def _doubles(subject: Doubler, example: Number) -> None:
    if example.value > 9:
        reached("two digits")
    if (got := subject.double(example.value)) != 2 * example.value:
        raise Violation(str(2 * example.value), str(got))


async def _answers(subject: HostUnderTest, example: Number) -> None:
    await subject.close(example)


def toy(name: str, most: int = 9, **rest: Any) -> Check[Number]:
    """Return a check that numbers up to `most` are doubled."""
    return Check(
        name,
        name.partition("/")[0],
        f"Numbers up to {most} are doubled.",
        rest.pop("subject", "provider"),
        st.integers(0, most).map(Number),
        rest.pop("judge", _doubles),
        **rest,
    )


TOYS = {
    one.name: one
    for one in (
        toy("CURSOR-1/follows", 1000, after=frozenset({"SEARCH-9/order"})),
        toy("SEARCH-1/finds"),
        toy("SEARCH-9/order", 1000, after=frozenset({"SEARCH-1/finds"})),
        toy("SEARCH-9/few", after=frozenset({"SEARCH-1/finds"})),
        toy("INDEX-9/forgets", needs=frozenset({"forgets"})),
        toy("TOOL-4/answers", subject="host", judge=_answers),
    )
}
"""Checks that build on each other, one that needs a claim, and one for hosts."""


@contextmanager
def only_toys(checks: Mapping[str, Check[Any]] = TOYS) -> Iterator[None]:
    """Put the toy checks in the place of the suite's for a while."""
    kept = dict(CHECKS)
    CHECKS.clear()
    CHECKS.update(checks)
    try:
        yield
    finally:
        CHECKS.clear()
        CHECKS.update(kept)
