"""Identity, authority, titles and lineage: what a caller may see, judged on what came back."""

from tool_session_query._workspace_access._caller import Caller, is_workspace
from tool_session_query._workspace_access._lineage import VisibleLineage, visible_lineage
from tool_session_query._workspace_access._targets import authorize, visible_ids
from tool_session_query._workspace_access._titles import VisibleTitle, read_visible_titles

__all__ = [
    "Caller",
    "VisibleLineage",
    "VisibleTitle",
    "authorize",
    "is_workspace",
    "read_visible_titles",
    "visible_ids",
    "visible_lineage",
]
