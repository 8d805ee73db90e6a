"""What is wrong with a store of logs, and what to do about it (CLI-5).

The index is looked at in `_checkup`; the proof that nothing deleted is left in it is in `_proof`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from session_query import (
    AbortSignal,
    JsonValue,
    PersistedSnapshot,
    PersistenceCorruptionError,
    PersistenceError,
    SessionPersistence,
    SessionQueryError,
    StoredSession,
    SurfaceError,
    SurfaceFold,
    fold_surface,
    fold_title,
    map_bounded,
    run_blocking,
)

__all__ = ["Comparison", "Finding", "Status", "corrupt_log", "examine_logs", "examine_root"]

Status = Literal["ok", "note", "problem"]

_INSPECTIONS: Final = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        check: what was looked at, such as `store.log`.
        status: `ok`; `note` for what is worth knowing; `problem` for what is wrong.
        message: what was found.
        advice: what to do about it, if anything.
        session_id: the session that it is about, if it's about one.
        line: the line of its log that is to blame, if one is.
    """

    check: str
    status: Status
    message: str
    advice: str = ""
    session_id: str | None = None
    line: int | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{check, status, message, advice?, sessionId?, line?}`."""
        optional = {"advice": self.advice or None, "sessionId": self.session_id, "line": self.line}
        return {
            "check": self.check,
            "status": self.status,
            "message": self.message,
            **{key: value for key, value in optional.items() if value is not None},
        }


# -- the store --------------------------------------------------------------------------------


def examine_root(root: str) -> Finding:
    """Tell whether the directory of a store can be read."""
    advice = "name the store with --root or SESSION_QUERY_ROOT"
    if not os.path.isdir(root):  # noqa: PTH112 - the path is a text
        what = "is not a directory" if os.path.exists(root) else "does not exist"  # noqa: PTH110
        return Finding("store.root", "problem", f"the store {root!r} {what}", advice)
    try:
        os.listdir(root)  # noqa: PTH208 - likewise
    except OSError as error:
        return Finding(
            "store.root", "problem", f"the store {root!r} can't be read: {error.strerror}",
            "give yourself the right to read it",
        )  # fmt: skip
    return Finding("store.root", "ok", f"the store is {root!r}")


class Comparison:
    """Is told of every sound log; by default it does nothing with them."""

    def compare(self, stored: StoredSession, fold: SurfaceFold) -> None:
        """Compare a log and its fold with something; called in worker threads, also at once."""


async def examine_logs(
    persistence: SessionPersistence,
    snapshots: list[PersistedSnapshot],
    comparison: Comparison,
    signal: AbortSignal | None,
    on_progress: Callable[[int, int], None],
) -> list[Finding]:
    """Read every log and tell which can't be used and why; memory holds a few at a time."""
    findings: list[Finding] = []
    done = 0

    async def examine(snapshot: PersistedSnapshot) -> None:
        nonlocal done
        finding = await _examine_log(persistence, snapshot.header.id, comparison, signal)
        if finding is not None:
            findings.append(finding)
        done += 1
        on_progress(done, len(snapshots))

    await map_bounded(snapshots, examine, _INSPECTIONS, signal)
    findings.sort(key=lambda finding: finding.session_id or "")
    return findings


async def _examine_log(
    persistence: SessionPersistence,
    session_id: str,
    comparison: Comparison,
    signal: AbortSignal | None,
) -> Finding | None:
    try:
        stored = await persistence.inspect(session_id, signal)
    except PersistenceCorruptionError as error:
        return corrupt_log(error)
    except PersistenceError as error:
        return Finding(
            "store.log", "problem", str(error),
            "see whether the file exists and may be read, then try again", session_id,
        )  # fmt: skip

    def fold() -> Finding | None:
        try:
            surface = fold_surface(stored.events)
        except SurfaceError as error:
            return Finding(
                "store.log", "problem", f"the log is invalid: {error}",
                "it can still be read with `show SESSION SEQ`, but not searched; restore it from a"
                " backup", session_id,
            )  # fmt: skip
        comparison.compare(stored, surface)
        try:
            fold_title(stored.events)
        except SessionQueryError as error:
            return Finding(
                "store.title", "note", error.message, "only the title is lost", session_id
            )
        return None

    return await run_blocking(fold, signal=signal)


def corrupt_log(error: PersistenceCorruptionError) -> Finding:
    """Return the finding for a damaged log."""
    advice = (
        "no other log is affected; restore it from a backup, or move it out of the store"
        if error.line is None or error.line == 1
        else "no other log is affected; restore it from a backup, or cut it before line"
        f" {error.line} if what follows may be lost"
    )
    return Finding("store.log", "problem", error.reason, advice, error.session_id, error.line)
