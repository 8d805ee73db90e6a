"""What differs from run to run and can be told by its looks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from acp_snapshot.normalizing._tokens import KIND

__all__ = ["DEFAULT_TIME_KEYS", "DEFAULT_VOLATILES", "Rules", "Volatile"]


@dataclass(frozen=True, slots=True)
class Volatile:
    """A regular expression for values that differ from run to run.

    Each named group of a match is replaced by a token that says the group's name, with `_` as `-`.
    Groups and flags of one expression say nothing to another: names may be used again.

    Raises:
        ValueError: it can't be used; the message says why.
    """

    pattern: str

    def __post_init__(self) -> None:
        try:
            compiled = re.compile(self.pattern)
        except re.error as error:
            raise ValueError(f"no regular expression: {error}: {self.pattern!r}") from error
        if not compiled.groupindex:
            raise ValueError(f"no named group says what is volatile: {self.pattern!r}")
        for name in compiled.groupindex:
            if not KIND.fullmatch(name.replace("_", "-")):
                raise ValueError(
                    f"a group's name is words like `run_name`, not {name!r}: {self.pattern!r}"
                )
        if compiled.search(""):
            raise ValueError(f"it matches the empty text: {self.pattern!r}")


_UUID = r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"

DEFAULT_VOLATILES = (
    # A result that was spilled: whose it is, and under which random name.
    Volatile(r"(?<![\w-])session-(?P<owner>[0-9A-Za-z_]{8,})/(?P<spill>[0-9A-Za-z_]{6,}(?=-))"),
    Volatile(rf"(?<![0-9A-Za-z])(?P<id>{_UUID})(?![0-9A-Za-z])"),
    # A digest, or a UUID without dashes. A number is none, nor is a word.
    Volatile(
        r"(?<![0-9A-Za-z])(?P<hash>(?=[0-9]*[A-Fa-f])(?=[A-Fa-f]*[0-9])[0-9A-Fa-f]{16,128})"
        r"(?![0-9A-Za-z])"
    ),
)

DEFAULT_TIME_KEYS = frozenset(
    {
        "time",
        "time0",
        "timestamp",
        "createdAt",
        "created_at",
        "updatedAt",
        "updated_at",
        "startedAt",
        "endedAt",
        "durationMs",
        "duration_ms",
        "elapsedMs",
        "elapsed_ms",
    }
)


@dataclass(frozen=True, slots=True)
class Rules:
    """What is taken for volatile.

    Attributes:
        volatiles: patterns, tried in this order.
        time_keys: keys whose numbers are times.
    """

    volatiles: tuple[Volatile, ...] = DEFAULT_VOLATILES
    time_keys: frozenset[str] = field(default=DEFAULT_TIME_KEYS)
