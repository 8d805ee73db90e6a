"""The conformance suite for providers and hosts of session-query."""

from session_query_specs._subjects import (
    CAPABILITIES,
    Capabilities,
    HostUnderTest,
    ProviderUnderTest,
    SuiteConfig,
    ToolOutcome,
    UnknownCapabilityError,
)

__all__ = [
    "CAPABILITIES",
    "Capabilities",
    "HostUnderTest",
    "ProviderUnderTest",
    "SuiteConfig",
    "ToolOutcome",
    "UnknownCapabilityError",
]
