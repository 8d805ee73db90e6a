"""`session-query doctor`: what is wrong with store and index, and what to do about it (CLI-5)."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import click
from rich.text import Text
from session_query import (
    AbortSignal,
    JsonlPersistence,
    PersistedSnapshot,
    PersistenceCorruptionError,
    PersistenceError,
    run_blocking,
)

from session_query_sqlite._checkup import examine_index
from session_query_sqlite._doctor import (
    Comparison,
    Finding,
    Status,
    corrupt_log,
    examine_logs,
    examine_root,
)
from session_query_sqlite._proof import Proof
from session_query_sqlite.cli._application import Application, Job
from session_query_sqlite.cli._common import common_options
from session_query_sqlite.cli._help import Command, Option
from session_query_sqlite.cli._index import refreshed
from session_query_sqlite.cli._logging import LeftOut, left_out
from session_query_sqlite.cli._neutral import visible

__all__ = ["doctor_command"]

_FAILED = 3
_MARKS: Mapping[Status, tuple[str, str]] = {
    "ok": ("✓", "green"),
    "note": ("!", "yellow"),
    "problem": ("✗", "bold red"),
}


@click.command(
    "doctor",
    cls=Command,
    short_help="Check the store and the index, and explain what is wrong.",
    examples=[
        ("A quick look", "session-query doctor"),
        ("Compare index and logs, and prove that nothing deleted is left",
         "session-query doctor --verify"),
        ("Start the index over", "session-query doctor --rebuild"),
        ("Only what is wrong, for a script",
         "session-query doctor --json | jq 'select(.status == \"problem\")'"),
    ],
)  # fmt: skip
@Option.of(
    "--verify",
    is_flag=True,
    section="What to do",
    help="Compare every log with what the index holds of it, and prove that no deleted text is left"
    " in the index. It takes about as long as indexing, and changes nothing.",
)
@Option.of(
    "--rebuild",
    is_flag=True,
    section="What to do",
    help="First empty the index, and build it anew from the store.",
)
@common_options
@click.pass_obj
def doctor_command(
    application: Application,
    verify: bool,  # noqa: FBT001 - click passes it by name
    rebuild: bool,  # noqa: FBT001 - likewise
) -> int:
    """Check the store and the index, and say of each finding what to do.

    Every log is read. The exit code is 3 if there is a problem; notes are none. Elsewhere than on a
    terminal, each finding is one line of fields between tabs: status, check, session, line,
    message, advice.
    """
    findings = _Findings(application)
    if rebuild:
        findings.add(_rebuilt(application))
    application.interruption.run(lambda signal: _examine(application, findings, signal, verify))
    return findings.end()


class _Findings:
    """Prints findings as they come."""

    def __init__(self, application: Application) -> None:
        self._output = application.output
        self._counts: dict[Status, int] = {"ok": 0, "note": 0, "problem": 0}

    def add(self, *findings: Finding) -> None:
        """Print some findings."""
        for finding in findings:
            self._counts[finding.status] += 1
            if not self._output.for_people:
                self._output.json(finding.to_json())
            elif self._output.on_terminal:
                self._print(finding)
            else:
                self._output.row(
                    finding.status, finding.check, finding.session_id or "",
                    finding.line or "", finding.message, finding.advice,
                )  # fmt: skip

    def _print(self, finding: Finding) -> None:
        text = Text.assemble(_MARKS[finding.status], " ")
        if finding.session_id is not None:
            text.append(visible(finding.session_id), "cyan")
            text.append(f", line {finding.line}: " if finding.line is not None else ": ")
        text.append(visible(finding.message))
        self._output.line(text)
        if finding.advice:
            self._output.line(Text(f"→ {visible(finding.advice)}", "dim"), indent=2)

    def end(self) -> int:
        """Print a summary; return the exit code."""
        problems, notes = self._counts["problem"], self._counts["note"]
        if self._output.on_terminal:
            told = [
                f"{count} {what}{'' if count == 1 else 's'}"
                for count, what in ((problems, "problem"), (notes, "note"))
                if count
            ]
            self._output.line(Text(", ".join(told) or "Everything is fine.", "bold"))
        return _FAILED if problems else 0


def _rebuilt(application: Application) -> Finding:
    async def operation(job: Job) -> Finding:
        await job.engine.rebuild(job.signal)
        report, _ = await refreshed(job)
        return Finding(
            "index.rebuilt", "ok", f"the index was built anew: {report.indexed:,} sessions indexed"
        )

    return application.search(operation)


async def _examine(
    application: Application,
    findings: _Findings,
    signal: AbortSignal,
    verify: bool,  # noqa: FBT001 - there is no other way to call it
) -> None:
    root = examine_root(application.settings.store)
    findings.add(root)
    store = application.store() if root.status == "ok" else None
    config = application.config()
    identity = None if store is None else store.identity
    state = await run_blocking(lambda: examine_index(config, identity), signal=signal)
    proof = None
    if verify and store is not None and state.usable:
        proof = Proof(config, store.identity)
    try:
        if proof is not None:
            await run_blocking(proof.open, signal=signal, interrupt=proof.stop)
        if store is not None:
            snapshots = await _examine_store(application, store, findings, proof, signal)
            if proof is not None:
                proof.listed(snapshot.header.id for snapshot in snapshots)
        findings.add(*state.findings)
        if proof is not None:
            concluded = await run_blocking(proof.conclude, signal=signal, interrupt=proof.stop)
            findings.add(*concluded)
    except (sqlite3.Error, OSError, ValueError) as error:
        findings.add(_unverifiable(str(error)))
    finally:
        if proof is not None:
            await run_blocking(proof.close)
    if verify and proof is None:
        findings.add(_unverifiable("there is no readable store, or no index that fits it"))


def _unverifiable(reason: str) -> Finding:
    return Finding(
        "verify", "problem", f"the index can't be compared with the store: {reason}",
        "see to the other findings first",
    )  # fmt: skip


async def _examine_store(
    application: Application,
    store: JsonlPersistence,
    findings: _Findings,
    proof: Proof | None,
    signal: AbortSignal,
) -> list[PersistedSnapshot]:
    with left_out() as reasons:
        try:
            snapshots = [*await store.list_snapshots(signal)]
        except PersistenceError as error:
            findings.add(Finding("store.root", "problem", str(error), "make all of it readable"))
            return []
    for session_id, why in sorted(reasons.items()):
        findings.add(await _unlisted(store, session_id, why, signal))
    with application.output.progress("Reading logs") as advance:
        found = await examine_logs(store, snapshots, proof or Comparison(), signal, advance)
    findings.add(*found)
    sound = len(snapshots) - sum(1 for finding in found if finding.status == "problem")
    findings.add(Finding("store.logs", "ok", f"{sound:,} logs are sound"))
    return snapshots


async def _unlisted(
    store: JsonlPersistence, session_id: str, why: LeftOut, signal: AbortSignal
) -> Finding:
    """Return what is wrong with a log that the store does not even list."""
    try:
        await store.inspect(session_id, signal)
    except PersistenceCorruptionError as error:
        return corrupt_log(error)
    except PersistenceError:
        pass
    advice = "look into its directory in the store; no other log is affected"
    return Finding("store.log", "problem", why.told, advice, session_id)
