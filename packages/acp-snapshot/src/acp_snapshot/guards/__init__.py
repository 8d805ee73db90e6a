"""What keeps snapshots honest: each returns problems, in words (SNAP-6)."""

from acp_snapshot.guards._contents import header_problems, path_problems, sidecar_problems
from acp_snapshot.guards._folders import missing_problems, orphan_problems, unused_files
from acp_snapshot.guards._real_paths import real_path_problems, real_paths

__all__ = [
    "header_problems",
    "missing_problems",
    "orphan_problems",
    "path_problems",
    "real_path_problems",
    "real_paths",
    "sidecar_problems",
    "unused_files",
]
