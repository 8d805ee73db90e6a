"""Each mutant of hosts around the real tools, under its own name: a program can import it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from session_query_specs import HostUnderTest
from session_query_specs.mutants import MUTANTS

from ..hosts.broken import Tools

__all__ = ["Tools"]


def __getattr__(name: str) -> Callable[[], HostUnderTest]:
    """Return what makes the mutant of this name."""
    mutant = MUTANTS.get(name)
    if mutant is None or mutant.kind != "host":
        raise AttributeError(name)
    return partial(mutant.make, Tools())
