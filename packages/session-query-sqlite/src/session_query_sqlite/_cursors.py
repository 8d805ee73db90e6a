"""Cursors: where a page ended, for whom, and of which generation (CURSOR-1 to CURSOR-3)."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import secrets
from typing import NamedTuple

from session_query.errors import ErrorCode, SessionQueryError

__all__ = ["Cursors", "Position", "stale"]

_SEAL_BYTES = 16
_LONGEST = 4096


class Position(NamedTuple):
    """What a cursor holds: the generation of the answer, and how many items came before."""

    generation: str
    start: int


class Cursors:
    """Makes and reads the cursors of one engine; those of another don't fit its seal."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def issue(self, digest: bytes, position: Position) -> str:
        """Return the cursor for the page that begins at ``position`` of a request."""
        payload = json.dumps([position.generation, position.start]).encode()
        return base64.urlsafe_b64encode(self._seal(digest, payload) + payload).decode()

    def read(self, digest: bytes, cursor: str | None) -> Position | None:
        """Return what a cursor holds, None without one.

        Raises:
            SessionQueryError: ``SESSION_QUERY_INVALID_CURSOR`` for anything that this engine did
                not issue for this very request.
        """
        if cursor is None:
            return None
        if len(cursor) > _LONGEST:
            raise _invalid()
        try:
            sealed = base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True)
        except (ValueError, binascii.Error):
            raise _invalid() from None
        seal, payload = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
        if not hmac.compare_digest(seal, self._seal(digest, payload)):
            raise _invalid()
        if base64.urlsafe_b64encode(sealed).decode() != cursor:
            raise _invalid()
        generation, start = json.loads(payload)
        return Position(generation, start)

    def _seal(self, digest: bytes, payload: bytes) -> bytes:
        return hmac.digest(self._key, digest + payload, "sha256")[:_SEAL_BYTES]


def _invalid() -> SessionQueryError:
    return SessionQueryError(
        "the cursor is not one that this engine issued for this request; start again without it",
        ErrorCode.INVALID_CURSOR,
    )


def stale() -> SessionQueryError:
    """Return the error for a cursor of an earlier generation (CURSOR-3)."""
    return SessionQueryError(
        "the sessions have changed since the page before; start again without the cursor",
        ErrorCode.STALE_CURSOR,
    )
