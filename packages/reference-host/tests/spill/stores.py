"""Spill stores for tests of the policy, and outputs that they are asked to keep."""

from __future__ import annotations

import io
from typing import BinaryIO, Final

from reference_host.spill import SpillRef, SpillSource

__all__ = ["OWNER", "MemoryStore"]

OWNER: Final = "session-1"


class MemoryStore:
    """Keeps texts in memory; `failure` is raised instead."""

    def __init__(self, failure: BaseException | None = None) -> None:
        self.failure = failure
        self.kept: dict[str, bytes] = {}
        self.asked: list[tuple[str, SpillSource, str]] = []

    def draft(self, suggested_name: str, size: int) -> SpillRef:
        return SpillRef(f"memory:0:{suggested_name}", size, "Ask.")

    async def save_text(
        self, owner_session_id: str, source: SpillSource, suggested_name: str, content: str
    ) -> SpillRef:
        self.asked.append((owner_session_id, source, suggested_name))
        if self.failure is not None:
            raise self.failure
        data = content.encode("utf-8", "surrogatepass")
        locator = f"memory:{len(self.kept)}:{suggested_name}"
        self.kept[locator] = data
        return SpillRef(locator, len(data), "Ask.")

    def open_spilled(self, locator: str) -> BinaryIO:
        return io.BytesIO(self.kept[locator])
