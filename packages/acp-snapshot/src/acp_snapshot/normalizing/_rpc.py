"""The ids of JSON-RPC, in the order in which they are first seen (SNAP-3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["renumbered"]


def renumbered(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages of one direction of a connection with their ids renumbered.

    Answers carry ids that the other side chose: 1, 2, 3 …; requests carry this side's own:
    `agent-1`, `agent-2` …. An answer to a request that could not be read has none (null).
    """
    answers: dict[tuple[type, Any], int] = {}
    requests: dict[tuple[type, Any], str] = {}
    found = []
    for message in messages:
        copy = dict(message)
        number = message.get("id")
        if number is not None:
            key = (type(number), number)
            if "method" in message:
                copy["id"] = requests.setdefault(key, f"agent-{len(requests) + 1}")
            else:
                copy["id"] = answers.setdefault(key, len(answers) + 1)
        found.append(copy)
    return found
