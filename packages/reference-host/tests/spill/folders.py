"""A local store in a folder, used as plainly as a test wants to."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from reference_host.spill import LocalSpillStore, SpillRef, SpillSource

__all__ = ["SOURCE", "TOKEN", "file_of", "files", "opened", "save", "store_with_token"]

SOURCE: Final = SpillSource("search", "c1", "result of search")
TOKEN: Final = "0123456789abcdef"


def store_with_token(root: Path) -> LocalSpillStore:
    """A store whose next file has a known name."""
    return LocalSpillStore(root, new_token=lambda: TOKEN)


def save(
    store: LocalSpillStore, text: str = "text", *, owner: str = "s", name: str = "x"
) -> SpillRef:
    """Save a text."""
    return asyncio.run(store.save_text(owner, SOURCE, name, text))


def opened(store: LocalSpillStore, ref: SpillRef) -> bytes:
    """The bytes of a saved text."""
    with store.open_spilled(ref.locator) as file:
        return file.read()


def file_of(root: Path, ref: SpillRef) -> Path:
    """Where a text lies."""
    return root / ref.locator.removeprefix("spill:")


def files(root: Path) -> list[Path]:
    """All files and symlinks below a folder."""
    return sorted(path for path in root.rglob("*") if path.is_symlink() or not path.is_dir())
