"""Makes what two runs give comparable (SNAP-3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from acp_snapshot.normalizing._patterns import Rules
from acp_snapshot.normalizing._spellings import Place, spellings
from acp_snapshot.normalizing._tokens import TOKEN, TokenTable

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
    gets that token; so a normalized value comes back unchanged.

    Args:
        value: what to normalize; it isn't changed.
        places: paths, each replaced in every spelling, the longest first.
        ids: ids that don't look like ids, each with its kind, such as `session`.
        rules: what else is volatile.
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
        self._ids = dict(ids)
        self._kinds: dict[str, str] = {}
        taken: set[str] = set()
        for key, text in _texts(value):
            taken.update(TOKEN.findall(text))
            if key in _KINDS:
                self._kinds.setdefault(text, _KINDS[key])
        self._table = TokenTable(taken)
        self._time_keys = rules.time_keys
        self._places = _by_spelling(places)
        self._names = [
            name for one in rules.volatiles for name in re.compile(one.pattern).groupindex
        ]
        self._pattern = self._compiled(rules)

    def _compiled(self, rules: Rules) -> re.Pattern[str]:
        """All that is replaced, in one expression: nothing is looked at twice in one pass."""
        longest = sorted(self._places, key=lambda one: (-len(one), one))
        known = sorted(self._ids, key=lambda one: (-len(one), one))
        parts = [f"(?P<token_>{TOKEN.pattern})"]
        if longest:
            # Few positions begin with one of these: most texts are passed over quickly.
            first = "".join(sorted({re.escape(one[0]) for one in longest}))
            either = "|".join(map(re.escape, longest))
            parts.append(f"(?P<place_>(?=[{first}])(?:{either}))")
        if known:
            either = "|".join(map(re.escape, known))
            parts.append(f"(?<![0-9A-Za-z])(?P<known_>{either})(?![0-9A-Za-z])")
        parts.extend(f"(?:{one.pattern})" for one in rules.volatiles)
        parts.append(f"(?P<time_>{_TIME})|(?P<epoch_>{_EPOCH_MS})")
        return re.compile("|".join(parts))

    def rewritten(self, value: Any, key: str = "") -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, (int, float)):
            return 0 if key in self._time_keys else value
        if isinstance(value, Mapping):
            return {self._text(name): self.rewritten(item, name) for name, item in value.items()}
        return [self.rewritten(item, key) for item in value]

    def _text(self, text: str) -> str:
        """Replace until nothing is left: a replacement can lay bare what stood beside it."""
        while (replaced := self._pattern.sub(self._replacement, text)) != text:
            text = replaced
        return text

    def _replacement(self, match: re.Match[str]) -> str:
        groups = match.groupdict()
        if groups["token_"] is not None:
            return match[0]
        if groups["time_"] is not None:
            return ZERO_TIME
        if groups["epoch_"] is not None:
            return "0"
        if groups.get("place_") is not None:
            return self._table.named(self._places[match[0]])
        if groups.get("known_") is not None:
            return self._table.numbered(self._ids[match[0]], match[0])
        return self._volatile(match)

    def _volatile(self, match: re.Match[str]) -> str:
        """Replace the named groups of a match, and leave what stands around them."""
        whole = match[0]
        end = match.start()
        pieces = []
        found = [name for name in self._names if match[name] is not None]
        for name in sorted(found, key=match.start):
            value = match[name]
            kind = self._kinds.get(value, "") or name.replace("_", "-")
            pieces += [whole[end - match.start() : match.start(name) - match.start()]]
            pieces += [self._table.numbered(kind, value)]
            end = match.end(name)
        return "".join(pieces) + whole[end - match.start() :]


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
