"""What holds for one whole invocation (CLI-1 to CLI-3)."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import platformdirs

__all__ = ["INDEX_VARIABLE", "NAME", "ROOT_VARIABLE", "Settings"]

NAME: Final = "session-query"
ROOT_VARIABLE: Final = "SESSION_QUERY_ROOT"
INDEX_VARIABLE: Final = "SESSION_QUERY_INDEX"


@dataclass(slots=True)
class Settings:
    """The values of the options that every command takes, before or after its name."""

    root: str | None = None
    index: str | None = None
    json: bool = False
    plain: bool = False
    verbose: bool = False
    debug: bool = False

    @property
    def store(self) -> str:
        """The root of the store, as it was given or where the harness keeps its sessions."""
        return self.root or str(Path("~/.dsh/sessions").expanduser())

    @property
    def index_path(self) -> str:
        """The index file; without one given, one per store in the user's cache directory."""
        if self.index:
            return self.index
        store = os.fsencode(os.path.realpath(self.store))
        name = hashlib.sha256(store).hexdigest()[:16]
        return str(platformdirs.user_cache_path(NAME, appauthor=False) / f"{name}.sqlite")
