"""Five tools with which a model searches and reads its own earlier sessions, and no others."""

from tool_session_query._calls import TOOL_TIMEOUT, ToolCalls, ToolResult
from tool_session_query._config import ToolSessionQueryConfig
from tool_session_query._errors import SessionQueryToolError, ToolErrorCode
from tool_session_query._mounting import SECTION_NAME, ToolHost, mount
from tool_session_query._presentation import CallCard
from tool_session_query._run import Agent, Run, ToolAgent, ToolRun
from tool_session_query._toolset import ToolDefinition, Toolset, session_query_toolset

__all__ = [
    "SECTION_NAME",
    "TOOL_TIMEOUT",
    "Agent",
    "CallCard",
    "Run",
    "SessionQueryToolError",
    "ToolAgent",
    "ToolCalls",
    "ToolDefinition",
    "ToolErrorCode",
    "ToolHost",
    "ToolResult",
    "ToolRun",
    "ToolSessionQueryConfig",
    "Toolset",
    "mount",
    "session_query_toolset",
]
