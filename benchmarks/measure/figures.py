"""What comes out: a measured number, and what it ought to be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Figure"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the outcome.

    Args:
        name: what is measured, in a few words.
        measured: the number.
        target: the limit of it; None for a number that is only told.
        unit: ``x`` for ratios.
        at_least: the measured number ought not to be below the target, rather than above it.
        details: the numbers behind it.
    """

    name: str
    measured: float
    target: float | None
    unit: str = "x"
    at_least: bool = False
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def outcome(self) -> str:
        """Return ``ok``, ``over``, ``under``, or nothing where there is no target."""
        if self.target is None:
            return ""
        if self.at_least:
            return "ok" if self.measured >= self.target else "under"
        return "ok" if self.measured <= self.target else "over"

    def to_json(self) -> dict[str, Any]:
        """Return the figure with its outcome."""
        return {
            "name": self.name,
            "measured": self.measured,
            "target": self.target,
            "unit": self.unit,
            "atLeast": self.at_least,
            "outcome": self.outcome,
            "details": self.details,
        }
