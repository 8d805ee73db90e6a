"""Where results that are too long for a model are kept whole (SPILL-1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO, Protocol

__all__ = ["SpillRef", "SpillSource", "SpillStore"]


@dataclass(frozen=True, slots=True)
class SpillSource:
    """What a spilled text is: the result of a call of a tool, and a label for people."""

    tool_name: str
    call_id: str
    label: str


@dataclass(frozen=True, slots=True)
class SpillRef:
    """A spilled text: how to name it, its length in bytes of UTF-8, and how to get it back.

    The locator is opaque, and as long on every machine: no path is part of it.
    """

    locator: str
    bytes: int
    retrieval_hint: str


class SpillStore(Protocol):
    """Keeps texts whole. UTF-8 here has lone surrogates too (`surrogatepass`)."""

    def draft(self, suggested_name: str, size: int) -> SpillRef:
        """Return a ref exactly as long as `save_text` would; nothing is kept.

        It tells whether a ref has room in a result before anything is saved.

        Args:
            suggested_name: as for `save_text`.
            size: the length of the text in bytes of UTF-8.
        """

    async def save_text(
        self, owner_session_id: str, source: SpillSource, suggested_name: str, content: str
    ) -> SpillRef:
        """Keep a text, and return how to get it back (SPILL-1).

        Raises:
            OSError: it could not be kept; nothing of it stays.
        """

    def open_spilled(self, locator: str) -> BinaryIO:
        """Open a kept text, as UTF-8; this blocks, so it is for a worker thread.

        Whether a session may read it is for the caller to know (SPILL-4).

        Raises:
            OSError: there is none, or it can't be read.
        """
