"""Makes what two runs give comparable (SNAP-3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from acp_snapshot.normalizing._cuts import CutPaths
from acp_snapshot.normalizing._matching import matches
from acp_snapshot.normalizing._patterns import Rules
from acp_snapshot.normalizing._spellings import Place, spellings
from acp_snapshot.normalizing._tokens import KIND, TOKEN, TokenTable

__all__ = ["ZERO_TIME", "normalize"]

ZERO_TIME = "1970-01-01T00:00:00Z"

_TIME = (
    r"(?<![0-9A-Za-z])[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?(?![0-9A-Za-z])"
)
_EPOCH_MS = r"(?<![0-9A-Za-z.-])1[5-9][0-9]{11}(?![0-9A-Za-z]|\.[0-9])"

_KINDS = {
    "sessionId": "session",
    "parentSession": "session",
    "messageId": "message",
    "toolCallId": "call",
    "callId": "call",
}
"""Under which keys an id says what it is the id of."""


def normalize(
    value: Any,
    places: Sequence[Place] = (),
    ids: Mapping[str, str] | None = None,
    rules: Rules | None = None,
) -> Any:
    """Return a JSON value, or a text, with all that differs from run to run replaced by tokens.

    One call is one world: within it, one value always has one token, and two values never share
    one, times aside, which are zeroed. What looks like a token already stays, and no other value
    gets that token; so a normalized value comes back unchanged. Keys of one object that would
    become one key, such as two times, stay apart: all but the first get tokens of their own.

    Args:
        value: what to normalize; it isn't changed.
        places: paths, each replaced in every spelling, the longest first; what is left of one that
            was cut is replaced too.
        ids: ids that don't look like ids, each with its kind, such as `session`; an empty id, which
            would stand everywhere, is passed over.
        rules: what else is volatile.

    Raises:
        ValueError: a kind is no word of a token.
    """
    return _World(value, places, ids or {}, rules or Rules()).rewritten(value)


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield all texts of a value, keys included, each with the key that it stands under."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield "", name
            yield from _texts(item, "messageId" if name == "id" and "role" in value else name)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _texts(item, key)


class _World:
    """What one call of `normalize` knows."""

    def __init__(
        self, value: Any, places: Sequence[Place], ids: Mapping[str, str], rules: Rules
    ) -> None:
        self._ids = {one: kind for one, kind in ids.items() if one}
        for kind in self._ids.values():
            if not KIND.fullmatch(kind):
                raise ValueError(f"a kind of id is words like `tool-call`, not {kind!r}")
        self._kinds: dict[str, str] = {}
        taken: set[str] = set()
        for key, text in _texts(value):
            taken.update(TOKEN.findall(text))
            if key in _KINDS:
                self._kinds.setdefault(text, _KINDS[key])
        self._table = TokenTable(taken)
        self._time_keys = rules.time_keys
        self._places = _by_spelling(places)
        self._cut_paths = CutPaths(places)
        self._patterns = [
            self._named(),
            *(re.compile(one.pattern) for one in rules.volatiles),
            re.compile(f"(?P<time>{_TIME})|(?P<epoch>{_EPOCH_MS})"),
        ]

    def _named(self) -> re.Pattern[str]:
        """What is known by name: tokens, places and ids."""
        longest = sorted(self._places, key=lambda one: (-len(one), one))
        known = sorted(self._ids, key=lambda one: (-len(one), one))
        parts = [f"(?P<token>{TOKEN.pattern})"]
        if longest:
            # Few positions begin with one of these: most texts are passed over quickly.
            first = "".join(sorted({re.escape(one[0]) for one in longest}))
            either = "|".join(map(re.escape, longest))
            parts.append(f"(?P<place>(?=[{first}])(?:{either}))")
        if known:
            either = "|".join(map(re.escape, known))
            parts.append(f"(?<![0-9A-Za-z])(?P<id>{either})(?![0-9A-Za-z])")
        return re.compile("|".join(parts))

    def rewritten(self, value: Any, key: str = "") -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, (int, float)):
            return 0 if key in self._time_keys else value
        if isinstance(value, Mapping):
            return self._object(value)
        return [self.rewritten(item, key) for item in value]

    def _object(self, value: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        again: Counter[str] = Counter()
        for name, item in value.items():
            key = self._text(name)
            if key in found:
                # By its place in the object, as the times themselves say nothing from run to run.
                again[key] += 1
                key = self._table.numbered("key", (key, again[key]))
            found[key] = self.rewritten(item, name)
        return found

    def _text(self, text: str) -> str:
        """Replace until nothing is left: a replacement can lay bare what stood beside it."""
        while (replaced := self._replaced(text)) != text:
            text = replaced
        return self._cut_paths.replaced(text, lambda cut: self._table.numbered("cut-path", cut))

    def _replaced(self, text: str) -> str:
        """Replace everything once: nothing is looked at twice in one pass."""
        cuts = {
            at for token in TOKEN.finditer(text) for at in range(token.start() + 1, token.end())
        }
        pieces = []
        end = 0
        for index, match in matches(self._patterns, text):
            pieces.append(text[end : match.start()])
            if index == 0:
                pieces.append(self._name_of(match))
            elif index < len(self._patterns) - 1:
                pieces.append(self._volatile(match, cuts))
            else:
                pieces.append(ZERO_TIME if match.lastgroup == "time" else "0")
            end = match.end()
        return "".join(pieces) + text[end:]

    def _name_of(self, match: re.Match[str]) -> str:
        if match.lastgroup == "place":
            return self._table.named(self._places[match[0]])
        if match.lastgroup == "id":
            return self._table.numbered(self._ids[match[0]], match[0])
        return match[0]

    def _volatile(self, match: re.Match[str], cuts: set[int]) -> str:
        """Replace the named groups of a match, and leave what stands around them.

        A group that is a token already, or that ends inside of one, stays: replacing it would never
        come to an end.
        """
        end = match.start()
        pieces = []
        for name in sorted(match.re.groupindex, key=match.start):
            value = match[name]
            first, last = match.span(name)
            if not value or first < end or last > match.end():
                continue
            if TOKEN.fullmatch(value) or first in cuts or last in cuts:
                continue
            kind = self._kinds.get(value, "") or name.replace("_", "-")
            pieces += [match.string[end:first], self._table.numbered(kind, value)]
            end = last
        return "".join(pieces) + match.string[end : match.end()]


def _by_spelling(places: Sequence[Place]) -> dict[str, str]:
    """Return what each spelling names; a path as it stands goes before what is only spelled so."""
    found: dict[str, str] = {}
    for place in places:
        for path in place.paths:
            found.setdefault(path, place.name)
    for place in places:
        for path in place.paths:
            for spelling in spellings(path):
                found.setdefault(spelling, place.name)
    return found
