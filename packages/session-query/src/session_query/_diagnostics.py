"""The one log record that the service writes for what it leaves out (ERR-5)."""

from __future__ import annotations

import logging
from collections import OrderedDict

__all__ = ["Diagnostics", "escape_controls", "logger"]

logger = logging.getLogger("session_query")

_REMEMBERED = 100_000


def escape_controls(text: str) -> str:
    """Return ``text`` with everything that is not printable written as an escape."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
        for char in text
    )


class Diagnostics:
    """Writes one WARNING per session, cause and revision; what it remembers is bounded."""

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str, str], None] = OrderedDict()

    def record(self, session_id: str, code: str, reason: str, revision: str = "") -> None:
        """Log that ``session_id`` is left out because of ``reason``, unless it was said before."""
        key = (session_id, f"{code} {reason}", revision)
        if key in self._seen:
            self._seen.move_to_end(key)
            return
        self._seen[key] = None
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        logger.warning(
            "session %s is left out: %s (%s)",
            escape_controls(session_id),
            escape_controls(reason),
            code,
            extra={"session_id": escape_controls(session_id), "code": code},
        )
