"""In which order checks run: what a check builds on comes before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from session_query_specs.checks import Check

__all__ = ["in_order"]


def in_order(checks: Mapping[str, Check[Any]]) -> list[Check[Any]]:
    """Return the checks as they were registered, each after those that it builds on.

    Raises:
        ValueError: a check builds on one that doesn't exist, or on itself.
    """
    ordered: dict[str, Check[Any]] = {}
    for name in checks:
        _place(name, checks, ordered, ())
    return list(ordered.values())


def _place(
    name: str,
    checks: Mapping[str, Check[Any]],
    ordered: dict[str, Check[Any]],
    path: tuple[str, ...],
) -> None:
    if name in path:
        raise ValueError(f"checks build on each other: {' -> '.join((*path, name))}")
    if name not in checks:
        raise ValueError(f"{path[-1]} builds on {name}, which is no check")
    if name not in ordered:
        for before in sorted(checks[name].after):
            _place(before, checks, ordered, (*path, name))
        ordered[name] = checks[name]
