"""Shows in which lines, and where in them, a snapshot differs from what a run gave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

__all__ = ["difference"]

_LINES_AROUND = 1
_LONGEST_LINE = 160
_AROUND = 60
"""How many characters of a longer line are shown on each side of what differs in it."""
_LONGEST_PART = 400


def difference(snapshot: str, received: str) -> list[str]:
    """Return what differs, line by line; of a long line, what differs and some of what is around.

    `- ` marks what only the snapshot has, `+ ` what only was received; other lines are context.
    """
    old, new = _lines(snapshot), _lines(received)
    told: list[str] = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_LINES_AROUND):
        told += ["  ..."] if told or group[0][1] else []
        for kind, first, last, other_first, other_last in group:
            if kind == "equal":
                told += [f"  {_cut(line, 0, 0)}" for line in old[first:last]]
            else:
                told += _replaced(old[first:last], new[other_first:other_last])
    return told


def _lines(text: str) -> list[str]:
    """Return the lines of a text, with what is special of their ends in words."""
    lines = text.replace("\r", "\\r").split("\n")
    if lines[-1]:
        return [*lines[:-1], f"{lines[-1]} (no line end)"]
    return lines[:-1]


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Yield the lines that were and those that are; each is compared with its counterpart."""
    pairs = list(zip_longest(old, new))
    for sign, other in (("-", 1), ("+", 0)):
        for pair in pairs:
            line, counterpart = pair[1 - other], pair[other]
            if line is not None:
                yield f"{sign} {_cut(line, *_differing(line, counterpart))}"


def _differing(line: str, other: str | None) -> tuple[int, int]:
    """Return the part of a line that differs from another one: where it begins and ends."""
    if other is None:
        return 0, 0
    shorter = min(len(line), len(other))
    first = next((i for i in range(shorter) if line[i] != other[i]), shorter)
    alike = next((i for i in range(shorter - first) if line[-1 - i] != other[-1 - i]), None)
    return first, len(line) - (shorter - first if alike is None else alike)


def _cut(line: str, first: int, last: int) -> str:
    """Return a line, or of a long one a part and what is around it."""
    if len(line) <= _LONGEST_LINE:
        return line
    begin = max(first - _AROUND, 0)
    end = min(max(last + _AROUND, begin + _LONGEST_LINE), len(line))
    end = min(end, begin + _LONGEST_PART)
    before = f"… ({begin} characters) " if begin else ""
    after = f" ({len(line) - end} characters) …" if end < len(line) else ""
    return f"{before}{line[begin:end]}{after}"
