"""What a tool is, the registry of them, and the tools that this host brings."""

from reference_host.tools._read import ReadTool
from reference_host.tools._registry import ToolRegistry
from reference_host.tools._session_query import mount_session_query
from reference_host.tools._todo import TodoTool
from reference_host.tools._tool import (
    CallCard,
    Card,
    Concurrency,
    Content,
    HostAgent,
    HostRun,
    Tool,
    ToolOutput,
)

__all__ = [
    "CallCard",
    "Card",
    "Concurrency",
    "Content",
    "HostAgent",
    "HostRun",
    "ReadTool",
    "TodoTool",
    "Tool",
    "ToolOutput",
    "ToolRegistry",
    "mount_session_query",
]
