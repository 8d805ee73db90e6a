"""Cursors: where the next page begins, for whom, and of which generation (CURSOR-2, CURSOR-3)."""

from __future__ import annotations

import hashlib
import secrets

from session_query import ErrorCode, SessionQueryError

__all__ = ["Cursors"]


class Cursors:
    """The part of the oracle that makes and checks cursors: `start.generation.seal`."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(16)

    def cursor(self, digest: bytes, generation: str, start: int) -> str:
        """Return the cursor of the page that begins at `start`."""
        name = hashlib.blake2b(repr(generation).encode(), digest_size=8).hexdigest()
        return self.sealed(digest, f"{start}.{name}")

    def sealed(self, digest: bytes, text: str) -> str:
        """Add a seal that only this engine can make, and for this request only."""
        seal = hashlib.blake2b(digest + text.encode(), key=self._secret, digest_size=16)
        return f"{text}.{seal.hexdigest()}"

    def check_cursor(self, digest: bytes, cursor: str | None) -> None:
        """Raise `SESSION_QUERY_INVALID_CURSOR` for what this engine didn't make for the request."""
        if cursor is None:
            return
        text = cursor.rpartition(".")[0]
        if not text.isascii() or self.sealed(digest, text) != cursor:
            raise SessionQueryError("no cursor of this request", ErrorCode.INVALID_CURSOR)

    def start(self, digest: bytes, cursor: str | None, generation: str) -> int:
        """Return where a page begins; raise `SESSION_QUERY_STALE_CURSOR` if it's of another time.

        The cursor was checked.
        """
        if cursor is None:
            return 0
        start = int(cursor.partition(".")[0])
        if self.cursor(digest, generation, start) != cursor:
            raise SessionQueryError("the sessions have changed", ErrorCode.STALE_CURSOR)
        return start
