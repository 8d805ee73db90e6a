"""The outcome as a table, as Markdown and as JSON."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import Figure

__all__ = ["as_json", "as_markdown", "as_table", "machine", "replace_table"]

_SIGNS = {"x": "\u00d7"}
_HEADINGS = ("figure", "target", "measured", "")
_BEGIN, _END = "<!-- begin figures -->", "<!-- end figures -->"


def _rows(figures: Sequence[Figure]) -> list[tuple[str, str, str, str]]:
    return [
        (
            figure.name,
            ""
            if figure.target is None
            else f"{'≥' if figure.at_least else '≤'} {_number(figure.target, figure.unit)}",
            _number(figure.measured, figure.unit),
            figure.outcome,
        )
        for figure in figures
    ]


def _number(value: float, unit: str) -> str:
    digits = 0 if abs(value) >= 100 or value == int(value) else 1 if abs(value) >= 10 else 2
    text = f"{value:.{digits}f}"
    return f"{text} {_SIGNS.get(unit, unit)}".rstrip()


def as_table(figures: Sequence[Figure]) -> str:
    """Return lines for a terminal."""
    rows = [_HEADINGS, *_rows(figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        f"{name:<{widths[0]}}  {target:>{widths[1]}}  {measured:>{widths[2]}}  {outcome}".rstrip()
        for name, target, measured, outcome in rows
    ]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def as_markdown(figures: Sequence[Figure]) -> str:
    """Return a table for a document."""
    lines = ["| figure | target | measured | |", "|---|--:|--:|---|"]
    for name, target, measured, outcome in _rows(figures):
        shown = name.strip() if name == name.lstrip() else f"… {name.strip()}"
        lines.append(f"| {shown} | {target} | {measured} | {outcome} |")
    return "\n".join(lines)


def replace_table(document: Path, text: str) -> None:
    """Put text between the marks of a document.

    Raises:
        ValueError: the document has no such marks.
    """
    before, begin, rest = document.read_text("utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"{document} has no {_BEGIN} and {_END}")
    document.write_text(f"{before}{begin}\n{text}\n{end}{after}", "utf-8")


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
    }


def as_json(
    figures: Sequence[Figure], growth: Sequence[dict[str, Any]], settings: dict[str, Any]
) -> dict[str, Any]:
    """Return everything that was measured."""
    return {
        "machine": machine(),
        "settings": settings,
        "figures": [figure.to_json() for figure in figures],
        "growth": list(growth),
    }
