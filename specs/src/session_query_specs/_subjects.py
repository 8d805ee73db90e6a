"""What is tested: a provider or a host, as its author plugs it in (CONF-1, CONF-2, CONF-3)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from session_query import (
    AbortSignal,
    LiveSession,
    SearchConfig,
    SessionQueryEngine,
    SessionSources,
)

__all__ = [
    "CAPABILITIES",
    "Capabilities",
    "HostUnderTest",
    "ProviderUnderTest",
    "SuiteConfig",
    "ToolOutcome",
    "UnknownCapabilityError",
    "capabilities_of",
]


class SuiteConfig(SearchConfig):
    """The settings that the suite asks a provider for.

    Args:
        directory: a directory of the provider's own, for whatever it keeps. Opened again with the
            same one, a provider with `persistent_index` finds its index there.
    """

    directory: Path


class ProviderUnderTest(ABC):
    """A provider, as the suite opens it. One class says all that there is to say (CONF-1).

    Attributes:
        name: what reports call it.
        capabilities: what it claims; see :data:`CAPABILITIES`. What is left out is not claimed.
    """

    name: ClassVar[str]
    capabilities: ClassVar[Mapping[str, Any]] = {}

    @abstractmethod
    async def open(self, sources: SessionSources, config: SuiteConfig) -> SessionQueryEngine:
        """Return an open engine over these sources; the suite closes it."""


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """How one call of a tool ended: `text` of an answer, or `code` and `message` of a failure."""

    text: str | None = None
    code: str | None = None
    message: str = ""


class HostUnderTest(ABC):
    """A host of the five tools, as the suite drives it (CONF-2).

    Attributes:
        name: what reports call it.
    """

    name: ClassVar[str]

    @abstractmethod
    async def open(self, engine: SessionQueryEngine) -> Any:
        """Return a host in which the tools are mounted over this engine."""

    @abstractmethod
    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        """Call one tool as an agent whose session is `caller` would, and return how it ended.

        An abort of `signal` is raised: the very reason.
        """

    @abstractmethod
    async def close(self, host: Any) -> None:
        """Let go of the host."""


CAPABILITIES: Final[Mapping[str, str]] = {
    "ranking": '"contract" for the order of SEARCH-9 and SEARCH-13, "provider" for one of its own',
    "segmentation": "the choices of `segmentation` that it honours, a collection of texts",
    "persistent_index": "opened again on the same directory, it indexes only what has changed",
    "interruptible": "an abort ends a search that is running within 100 ms",
    "multi_process": "several processes may share one directory",
    "forgets": "text that is gone from the sources is gone from the directory after `close`",
    "deterministic_loop": "all of its work goes through the running event loop: no threads",
}
"""Every capability and what claiming it means (CONF-3)."""


class UnknownCapabilityError(ValueError):
    """Raised for a capability that the suite doesn't know, or a value that it can't have."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a provider claims, checked; flags are False where they are not claimed."""

    ranking: str = "contract"
    segmentation: frozenset[str] = frozenset({"script"})
    persistent_index: bool = False
    interruptible: bool = False
    multi_process: bool = False
    forgets: bool = False
    deterministic_loop: bool = False

    def claims(self, name: str) -> bool:
        """Tell whether something is claimed: a flag, or one value as in `ranking=contract`."""
        name, _, value = name.partition("=")
        claimed = getattr(self, name)
        if isinstance(claimed, bool):
            return claimed
        return value in claimed if isinstance(claimed, frozenset) else bool(claimed == value)


def capabilities_of(claims: Mapping[str, Any]) -> Capabilities:
    """Return what a provider claims.

    Raises:
        UnknownCapabilityError: a name or a value that is none.
    """
    for name, value in claims.items():
        if name not in CAPABILITIES:
            known = ", ".join(CAPABILITIES)
            raise UnknownCapabilityError(f"unknown capability {name!r}; there are: {known}")
        if name == "ranking":
            if value not in {"contract", "provider"}:
                raise UnknownCapabilityError(f"ranking: {value!r} is none of contract, provider")
        elif name == "segmentation":
            if not set(value) <= {"script", "none"} or isinstance(value, str):
                raise UnknownCapabilityError(f"segmentation: {value!r} is no list of script, none")
        elif not isinstance(value, bool):
            raise UnknownCapabilityError(f"{name}: expected True or False, got {value!r}")
    checked: dict[str, Any] = dict(claims)
    if "segmentation" in checked:
        checked["segmentation"] = frozenset(checked["segmentation"])
    return Capabilities(**checked)
