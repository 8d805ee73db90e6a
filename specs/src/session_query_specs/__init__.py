"""The conformance suite for providers and hosts of session-query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from session_query_specs._subjects import (
    CAPABILITIES,
    Capabilities,
    HostUnderTest,
    ProviderUnderTest,
    SuiteConfig,
    ToolOutcome,
    UnknownCapabilityError,
    capabilities_of,
)

if TYPE_CHECKING:
    from session_query_specs.running import Report, run_conformance

__all__ = [
    "CAPABILITIES",
    "Capabilities",
    "HostUnderTest",
    "ProviderUnderTest",
    "Report",
    "SuiteConfig",
    "ToolOutcome",
    "UnknownCapabilityError",
    "capabilities_of",
    "run_conformance",
]


def __getattr__(name: str) -> object:
    """Load what runs checks when it is asked for: pytest imports this package in every project."""
    if name in {"Report", "run_conformance"}:
        from session_query_specs import running  # noqa: PLC0415

        found: object = getattr(running, name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
