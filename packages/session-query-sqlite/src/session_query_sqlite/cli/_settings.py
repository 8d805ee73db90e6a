"""What holds for one whole invocation (CLI-1 to CLI-3)."""

from __future__ import annotations

import hashlib
import os
import shlex
from dataclasses import dataclass, field
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
    typed: dict[str, str] = field(default_factory=dict)
    """The paths among them that were typed, by the names of their options."""

    @property
    def store(self) -> str:
        """The root of the store, as it was given or where the harness keeps its sessions."""
        return self.root or str(Path("~/.dsh/sessions").expanduser())

    def command(self, *words: str) -> str:
        """Return what to type so that it works with the same store and index."""
        paths = [
            part
            for name in ("root", "index")
            if name in self.typed
            for part in (f"--{name}", self.typed[name])
        ]
        return shlex.join([NAME, *paths, *words])

    @property
    def index_path(self) -> str:
        """The index file; without one given, one per store in the user's cache directory."""
        if self.index:
            return self.index
        store = os.fsencode(os.path.realpath(self.store))
        name = hashlib.sha256(store).hexdigest()[:16]
        return str(platformdirs.user_cache_path(NAME, appauthor=False) / f"{name}.sqlite")
