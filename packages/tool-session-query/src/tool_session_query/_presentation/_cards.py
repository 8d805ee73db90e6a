"""What a person sees of a call while it runs (TOOL-3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from tool_session_query._presentation._visible import visible

__all__ = ["CallCard", "card_of"]

_LONGEST: Final = 80


@dataclass(frozen=True, slots=True)
class CallCard:
    """A call for people: `kind` as the Agent Client Protocol has it, a title, and the arguments."""

    kind: Literal["search", "read"]
    title: str
    raw_input: Any


def card_of(
    kind: Literal["search", "read"],
    title: Callable[[Mapping[str, Any]], str],
    arguments: object,
) -> CallCard:
    """Return the card of a call, whatever its arguments are."""
    try:
        told = visible(title(arguments if isinstance(arguments, Mapping) else {}))
    except Exception:  # noqa: BLE001 - arguments come from a model, and may be anything
        told = title({})
    told = " ".join(told.split())
    return CallCard(kind, told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…", arguments)
