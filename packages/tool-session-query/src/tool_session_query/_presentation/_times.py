"""Times as a reader needs them (INPUT-3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["time_text"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def time_text(milliseconds: int) -> str:
    """Return epoch milliseconds in UTC, as ISO 8601; outside years 1 to 9999 as the number."""
    try:
        moment = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return str(milliseconds)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z".rjust(24, "0")
