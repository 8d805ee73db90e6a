"""The folders and files of one run of an agent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["RunPlaces"]


@dataclass(frozen=True, slots=True)
class RunPlaces:
    """Where a run happens; all of it lies under `root`, which nothing else uses.

    Attributes:
        root: the folder of the run.
        workspace: the `cwd` of its sessions.
        state: where the agent keeps logs, index and spilled results.
        temporary: what `TMPDIR` names.
        home: what `HOME` names.
    """

    root: Path
    workspace: Path
    state: Path
    temporary: Path
    home: Path

    @classmethod
    def under(cls, root: Path, *, temporary: Path | None = None) -> RunPlaces:
        """Make the folders of a run; `temporary` may lie elsewhere."""
        places = cls(
            root,
            root / "workspace",
            root / "state",
            temporary or root / "tmp",
            root / "home",
        )
        for folder in (places.workspace, places.state, places.temporary, places.home):
            folder.mkdir(parents=True, exist_ok=True)
        return places
