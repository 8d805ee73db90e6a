"""Two runs side by side: what got better and what got worse (CONF-16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from session_query_specs.running import Status

__all__ = ["Change", "Comparison", "compare"]


@dataclass(frozen=True, slots=True)
class Change:
    """A check that came to something else; None where a run doesn't have it."""

    check: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two runs.

    Attributes:
        conditions: what was different about the runs themselves, as `profile: quick, then full`.
        better: what failed and doesn't, or passes now and didn't.
        worse: what fails and didn't, or passed and doesn't now, or isn't there.
        otherwise: what is neither, such as failing and being blocked.
        appeared: what only the new run has.
        went: what only the old run has, where it didn't pass.
    """

    conditions: Sequence[str]
    better: Sequence[Change]
    worse: Sequence[Change]
    otherwise: Sequence[Change]
    appeared: Sequence[Change]
    went: Sequence[Change]


def compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> Comparison:
    """Compare two reports as JSON."""
    before, after = _statuses(old), _statuses(new)
    changed = [
        Change(name, status, after[name])
        for name, status in before.items()
        if name in after and after[name] != status
    ]
    ranked = [(_rank(one.new) - _rank(one.old), one) for one in changed]
    gone = [Change(name, status, None) for name, status in before.items() if name not in after]
    return Comparison(
        conditions=[
            f"{key}: {old.get(key)}, then {new.get(key)}"
            for key in ("where", "profile", "seed", "contractVersion", "suiteVersion")
            if old.get(key) != new.get(key)
        ],
        better=[one for difference, one in ranked if difference > 0],
        worse=[
            *(one for difference, one in ranked if difference < 0),
            *(one for one in gone if one.old == Status.PASSED),
        ],
        otherwise=[one for difference, one in ranked if difference == 0],
        appeared=[Change(name, None, after[name]) for name in after if name not in before],
        went=[one for one in gone if one.old != Status.PASSED],
    )


def _statuses(report: Mapping[str, Any]) -> dict[str, str]:
    return {result["check"]: result["status"] for result in report["results"]}


def _rank(status: str | None) -> int:
    """Return 2 for what passes, 0 for what spoils a run, 1 for all between."""
    if status == Status.PASSED:
        return 2
    return 0 if any(one == status and one.spoils for one in Status) else 1
