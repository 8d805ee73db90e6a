"""A check: one claim about a provider or a host, judged on drawn examples (CONF-7, CONF-12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, TypeVar

from hypothesis.strategies import SearchStrategy

__all__ = ["CHECKS", "SITUATIONS", "Check", "Example", "Violation", "check", "reached"]


class Example(Protocol):
    """What a check is judged on: data that can be shown, and turned into a script."""

    def described(self) -> list[str]:
        """Return the example in lines that a person reads: the corpus, then the call."""

    def script(self, subject: str) -> str:
        """Return a program of a few lines that shows the same without the suite.

        Args:
            subject: where the class under test is, as `package.module:Class`.
        """


E = TypeVar("E", bound=Example)


class Violation(AssertionError):  # noqa: N818 - it is what a check finds, not a fault of the suite
    """Raised by a check whose claim does not hold.

    Args:
        expected: what the contract expects, in words.
        got: what came, in words.
        schedule: what ran in which order, a line each, where that matters.
        example: the part of the example that shows it, where it is not all of it.
    """

    def __init__(
        self,
        expected: str,
        got: str,
        schedule: Sequence[str] = (),
        example: Example | None = None,
    ) -> None:
        super().__init__(f"expected {expected}, got {got}")
        self.expected = expected
        self.got = got
        self.schedule = tuple(schedule)
        self.example = example


@dataclass(frozen=True, slots=True)
class Check(Generic[E]):
    """One claim.

    Attributes:
        name: requirement and claim, as in `SEARCH-9/order`; unique.
        requirement: the id of the sentence that it judges.
        claim: what must hold, in one sentence.
        subject: `provider` or `host`.
        examples: draws what it is judged on; simplest first.
        judge: raises `Violation`; gets the subject and an example. It is a coroutine function, or a
            plain one that runs loops of its own.
        needs: capabilities without which there is nothing to judge, as `ranking=contract`.
        after: checks that must have passed: what fails only because one of them does is folded
            under it (CONF-14).
        weight: how many examples it gets, relative to others.
    """

    name: str
    requirement: str
    claim: str
    subject: str
    examples: SearchStrategy[E]
    judge: Callable[[Any, E], Awaitable[None] | None]
    needs: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    weight: float = 1.0
    details: Mapping[str, Any] = field(default_factory=dict)


SITUATIONS: Final[ContextVar[Counter[str] | None]] = ContextVar("situations", default=None)
"""Where the check that is being judged counts what its examples have reached."""


def reached(situation: str) -> None:
    """Take note that an example has reached something that is worth reaching."""
    found = SITUATIONS.get()
    if found is not None:
        found[situation] += 1


CHECKS: Final[dict[str, Check[Any]]] = {}
"""Every check by its name, in the order in which they run."""


def check(  # noqa: PLR0913 - all that a check is made of
    name: str,
    examples: SearchStrategy[E],
    *,
    subject: str = "provider",
    needs: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
    weight: float = 1.0,
) -> Callable[[Callable[[Any, E], Awaitable[None] | None]], Check[E]]:
    """Register a function as a check; its docstring is the claim.

    Args:
        name: `SEARCH-9/order`.
        examples: what it is judged on.
        subject: `provider` or `host`.
        needs: see `Check`.
        after: see `Check`.
        weight: see `Check`.
    """

    def register(judge: Callable[[Any, E], Awaitable[None] | None]) -> Check[E]:
        claim = " ".join((judge.__doc__ or "").split())
        if name in CHECKS or not claim:
            raise ValueError(f"{name}: a check has a name of its own and a claim")
        made = Check(
            name,
            name.partition("/")[0],
            claim,
            subject,
            examples,
            judge,
            frozenset(needs),
            frozenset(after),
            weight,
        )
        CHECKS[name] = made
        return made

    return register
