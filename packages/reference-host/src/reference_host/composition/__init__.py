"""What a host is made of, as one TOML file says it."""

from reference_host.composition._composition import (
    Composition,
    DeadlinePolicy,
    IndexSettings,
    JsonlSettings,
    OpenAICompatibleSettings,
    PermissionPolicy,
    Policies,
    ReadToolSettings,
    ReplaySettings,
    SessionQuerySettings,
    SpillSettings,
    TodoToolSettings,
    ToolSettings,
)
from reference_host.composition._loading import SHIPPED, load_composition, parse_composition

__all__ = [
    "SHIPPED",
    "Composition",
    "DeadlinePolicy",
    "IndexSettings",
    "JsonlSettings",
    "OpenAICompatibleSettings",
    "PermissionPolicy",
    "Policies",
    "ReadToolSettings",
    "ReplaySettings",
    "SessionQuerySettings",
    "SpillSettings",
    "TodoToolSettings",
    "ToolSettings",
    "load_composition",
    "parse_composition",
]
