"""What a mutant is, and how one is made of a class with a single fault (CONF-11)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

from session_query_specs.mutants._spoiled_host import SpoiledHost
from session_query_specs.mutants._store_view import StoreView, ViewedSources
from session_query_specs.oracle import Oracle, OracleEngine

__all__ = ["MUTANTS", "Mutant", "host_mutant", "provider_mutant", "store_mutant"]

Kind = Literal["provider", "store", "host"]
H = TypeVar("H", bound=SpoiledHost)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A subject with one fault.

    Attributes:
        name: the name of its class.
        kind: what has the fault; one in the store of a provider is seen through that provider.
        requirement: the id of the sentence that it breaks.
        fault: what it does wrong, in one sentence.
        checks: the checks that must kill it, all of them of that requirement.
        where: where the class is, as `package.module:Class`.
        make: makes it; the host that is to be spoiled is its argument.
    """

    name: str
    kind: Kind
    requirement: str
    fault: str
    checks: tuple[str, ...]
    where: str
    make: Callable[..., Any]


MUTANTS: Final[dict[str, Mutant]] = {}
"""Every mutant by its name."""


def provider_mutant(
    *checks: str, claims: tuple[str, ...] = ()
) -> Callable[[type[OracleEngine]], type[Oracle]]:
    """Register an engine with one fault; what stands for its name is a provider that opens it.

    Args:
        checks: the checks that must kill it.
        claims: flags that it claims beyond the oracle's.
    """

    def register(engine: type[OracleEngine]) -> type[Oracle]:
        flags = {**Oracle.capabilities, **dict.fromkeys(claims, True)}
        made = _provider(engine, {"engine": engine, "capabilities": flags})
        _register("provider", made, checks)
        return made

    return register


def store_mutant(*checks: str) -> Callable[[type[StoreView]], type[Oracle]]:
    """Register a store with one fault; what stands for its name is the oracle on top of it."""

    def register(view: type[StoreView]) -> type[Oracle]:
        class OnView(OracleEngine):
            """Looks at the sources through a store that is faulty."""

            def __init__(self, sources: Any, config: Any = None) -> None:
                super().__init__(ViewedSources(sources, view), config)

        made = _provider(view, {"engine": OnView})
        _register("store", made, checks)
        return made

    return register


def host_mutant(*checks: str) -> Callable[[type[H]], type[H]]:
    """Register a way to spoil a host."""

    def register(spoiled: type[H]) -> type[H]:
        spoiled.name = _words(spoiled.__name__)
        _register("host", spoiled, checks)
        return spoiled

    return register


def _provider(of: type[Any], more: dict[str, Any]) -> type[Oracle]:
    parts = {
        "__module__": of.__module__,
        "__qualname__": of.__qualname__,
        "__doc__": of.__doc__,
        "name": _words(of.__name__),
        **more,
    }
    return type(of.__name__, (Oracle,), parts)


def _register(kind: Kind, made: type[Any], checks: tuple[str, ...]) -> None:
    name, fault = made.__name__, " ".join((made.__doc__ or "").split())
    requirements = {check.partition("/")[0] for check in checks}
    if name in MUTANTS or not fault or len(requirements) != 1:
        raise ValueError(f"{name}: a mutant has a name of its own, a fault, and one requirement")
    where = f"{made.__module__}:{made.__qualname__}"
    MUTANTS[name] = Mutant(name, kind, requirements.pop(), fault, checks, where, made)


def _words(name: str) -> str:
    return re.sub("(?<=.)([A-Z])", r" \1", name).lower()
