"""What the adapters share: arguments as text, and the error where a framework is missing."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeAlias

from session_query import LiveSession

__all__ = ["SessionOf", "missing", "parsed"]

SessionOf: TypeAlias = Callable[..., LiveSession | None]
"""Returns the caller's session; called with what the host put into the run context."""


def parsed(arguments: str | bytes | bytearray) -> object:
    """Return the JSON value of what a model sent; the text itself if it is none.

    The tools refuse both alike if they are no object. No text at all means no arguments.
    """
    if not arguments:
        return {}
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def missing(extra: str) -> ImportError:
    """Return the error for an adapter whose framework can't be imported."""
    return ImportError(f"install the framework with it: pip install 'tool-session-query[{extra}]'")
