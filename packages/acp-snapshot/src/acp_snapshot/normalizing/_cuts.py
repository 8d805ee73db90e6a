"""What is left of a path that was cut, as a title is, or a result that was spilled."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from acp_snapshot.normalizing._spellings import Place, spellings

__all__ = ["CutPaths"]

_LEAST = 4
"""How many characters of a name tell a path that was cut from one that only looks like it."""

_GOES_ON = re.compile(r"[\w/~%-]|\.\w")
"""What follows where a path goes on, and is another one."""

_CAME_FROM = re.compile(r"(?<!\\)[\w./~%\\-]")
"""What stands before where a path came from elsewhere; what an escape is part of is not."""


class CutPaths:
    """Finds what is left of the paths of places, in every spelling, but for whole ones.

    A beginning counts from some characters below its first folder on. An ending counts from some
    characters above its last name on; below, it's the same on every machine.
    """

    def __init__(self, places: Sequence[Place]) -> None:
        self._spelled: list[str] = []
        beginnings = set()
        names = set()
        for path in dict.fromkeys(path for place in places for path in place.paths):
            first = path.find("/", 1)
            if first < 0:
                continue
            for spelling in spellings(path):
                # A spelling is longer all along its way.
                shortest = -(-(first + 1 + _LEAST) * len(spelling) // len(path))
                if shortest < len(spelling):
                    self._spelled.append(spelling)
                    beginnings.add(spelling[:shortest])
                if "/" in spelling:
                    names.add(spelling[spelling.rindex("/") :])
        self._beginning = _either(beginnings)
        self._name = _either(names)

    def replaced(self, text: str, token: Callable[[str], str]) -> str:
        """Return a text with each cut path replaced by its token."""
        pieces = []
        end = 0
        for at, stop in sorted([*self._beginnings(text), *self._endings(text)]):
            if at >= end:
                pieces += [text[end:at], token(text[at:stop])]
                end = stop
        return "".join(pieces) + text[end:]

    def _beginnings(self, text: str) -> Iterator[tuple[int, int]]:
        for match in self._beginning.finditer(text):
            at = match.start()
            longest = 0
            for spelling in self._spelled:
                common = _common(spelling, text[at : at + len(spelling)])
                if common == len(spelling):
                    break
                longest = max(longest, common)
            else:
                if not _GOES_ON.match(text, at + longest):
                    yield at, at + longest

    def _endings(self, text: str) -> Iterator[tuple[int, int]]:
        for match in self._name.finditer(text):
            stop = match.end()
            if re.match(r"[\w-]", text[stop : stop + 1]):
                continue
            longest = 0
            for spelling in self._spelled:
                before = text[max(stop - len(spelling), 0) : stop]
                common = _common(reversed(spelling), reversed(before))
                if common == len(spelling):
                    break
                longest = max(longest, common)
            else:
                at = stop - longest
                name = text[at : match.start()].rpartition("/")[2]
                if len(name) >= _LEAST and not (at and _CAME_FROM.match(text, at - 1)):
                    yield at, stop


def _common(text: Iterable[str], other: Iterable[str]) -> int:
    """Return how many characters two texts have in common until they differ."""
    alike = 0
    for one, another in zip(text, other, strict=False):
        if one != another:
            break
        alike += 1
    return alike


def _either(texts: set[str]) -> re.Pattern[str]:
    """Return a pattern for any of some texts; for none, one that nothing matches."""
    if not texts:
        return re.compile(r"(?!)")
    # Few positions begin with one of these: most texts are passed over quickly.
    first = "".join(sorted({re.escape(one[0]) for one in texts}))
    return re.compile(f"(?=[{first}])(?:{'|'.join(map(re.escape, sorted(texts)))})")
