"""`session-query trace`: where a session or an event comes from, and what became of it (CLI-1)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import click
from rich.text import Text
from rich.tree import Tree
from session_query import EventDocument, EventTrace, LineageNode, LineageTrace, SessionRecord

from session_query_sqlite.cli._application import Application, Job
from session_query_sqlite.cli._common import common_options
from session_query_sqlite.cli._completion import complete_session
from session_query_sqlite.cli._help import Command, Option
from session_query_sqlite.cli._neutral import visible, visible_line
from session_query_sqlite.cli._sessions import ShortIds, kinship, resolve, title_text, titles
from session_query_sqlite.cli._times import iso_local, iso_utc, local_and_utc

__all__ = ["trace_command"]

_DEPTH = 16
_MOST = 1_000
_PREVIEW = 4_000


@click.command(
    "trace",
    cls=Command,
    short_help="Show the ancestors and descendants of a session, or the ties of an event.",
    examples=[
        ("Where a session comes from, and what was forked off it", "session-query trace 9f3a"),
        ("What replaced an event, and what cites it", "session-query trace 9f3a 12"),
    ],
)  # fmt: skip
@click.argument("session", shell_complete=complete_session)
@click.argument("seq", type=int, required=False)
@Option.of(
    "--depth",
    metavar="N",
    type=click.IntRange(min=1, max=500),
    default=_DEPTH,
    show_default=True,
    section="Output",
    help="On a terminal, draw so many generations on either side.",
)
@common_options
@click.pass_obj
def trace_command(application: Application, session: str, seq: int | None, depth: int) -> int:
    """Show whom a session descends from and who descends from it, or what ties an event to others.

    SESSION is an id or the unique beginning of one; with SEQ, that event is traced: what replaced
    it, what it replaced, what it cites and what cites it.

    Elsewhere than on a terminal, each session is one line of fields between tabs: what it is to
    SESSION, how many generations away, id, created (local), created (UTC), workspace, title; each
    related event one of: relation, seq.
    """

    async def operation(job: Job) -> int:
        name = await resolve(job, session)
        if seq is None:
            await _trace_session(job, name, depth)
        else:
            await _trace_event(job, name, seq)
        return 0

    return application.read(operation)


# -- sessions ---------------------------------------------------------------------------------


async def _trace_session(job: Job, session_id: str, depth: int) -> None:
    trace = await job.engine.trace_session(session_id, job.signal)
    if not job.output.for_people:
        job.output.json(trace.to_json())
    elif job.output.on_terminal:
        await _Family(job, trace, depth).print()
    else:
        await _print_rows(job, trace)


def _descendants(trace: LineageTrace) -> list[tuple[int, SessionRecord]]:
    return [
        (depth + 1, node.session) for child in trace.descendants for depth, node in child.walk()
    ]


async def _print_rows(job: Job, trace: LineageTrace) -> None:
    rows = [
        *(("ancestor", count, record) for count, record in enumerate(trace.ancestors, 1)),
        ("target", 0, trace.target),
        *(("descendant", count, record) for count, record in _descendants(trace)),
    ]
    found = await titles(job, [record.id for _, _, record in rows])
    if trace.unresolved_parent_id is not None:
        job.output.row("missing", len(trace.ancestors) + 1, trace.unresolved_parent_id)
    for relation, count, record in rows:
        created = record.header.created_at
        job.output.row(
            relation, count, record.id, iso_local(created), iso_utc(created),
            record.header.cwd or "", title_text(found[record.id]).plain,
        )  # fmt: skip


class _Family:
    """The tree of a session's relatives; only those that are drawn have their titles read."""

    def __init__(self, job: Job, trace: LineageTrace, depth: int) -> None:
        self._job = job
        self._trace = trace
        self._depth = depth
        self._ancestors = trace.ancestors[:depth]
        drawn = (
            (generation, node)
            for child in trace.descendants
            for generation, node in child.walk()
            if generation < depth
        )
        self._drawn: list[tuple[int, LineageNode]] = [*islice(drawn, _MOST)]
        self._undrawn = sum(1 for _ in drawn)

    async def print(self) -> None:
        """Print the tree, from the oldest ancestor that is drawn to the youngest descendants."""
        records = [self._trace.target, *self._ancestors, *(node.session for _, node in self._drawn)]
        self._titles = await titles(self._job, [record.id for record in records])
        self._ids = await ShortIds.of(self._job)
        self._job.output.tree(self._tree())

    def _tree(self) -> Tree:
        beyond = len(self._trace.ancestors) - len(self._ancestors)
        labels = [self._label(record) for record in reversed(self._ancestors)]
        if beyond:
            labels.insert(0, Text(f"… {beyond} older; --depth draws more", style="dim"))
        elif self._trace.unresolved_parent_id is not None:
            missing = visible(self._trace.unresolved_parent_id)
            labels.insert(0, Text(f"{missing} (not in this store)", style="red"))
        labels.append(self._label(self._trace.target))
        root = node = Tree(labels[0], guide_style="dim")
        for label in labels[1:]:
            node = node.add(label)
        self._grow(node)
        return root

    def _grow(self, target: Tree) -> None:
        branches = [target]
        for generation, node in self._drawn:
            del branches[generation + 1 :]
            branch = branches[generation].add(self._label(node.session))
            branches.append(branch)
            if generation + 1 == self._depth and node.descendants:
                below = sum(1 for child in node.descendants for _ in child.walk())
                branch.add(Text(f"… {below} more below; --depth draws more", style="dim"))
        if self._undrawn:
            target.add(Text(f"… {self._undrawn} more; --json prints all", style="dim"))

    def _label(self, record: SessionRecord) -> Text:
        header = record.header
        is_target = record.id == self._trace.target.id
        relation = kinship(header)
        label = Text.assemble(
            ("▶ " if is_target else "", "bold yellow"),
            title_text(self._titles[record.id]),
            "\n",
            self._ids.text(record.id),
            (f"  {local_and_utc(header.created_at)}", "green"),
        )
        if relation is not None:
            label.append(f"  {relation.removesuffix(' of')}", "magenta")
        target_cwd = self._trace.target.header.cwd
        if header.cwd != target_cwd or is_target:
            label.append(
                f"\n{'(no workspace)' if header.cwd is None else visible(header.cwd)}", "dim"
            )
        return label


# -- events -----------------------------------------------------------------------------------


async def _trace_event(job: Job, session_id: str, seq: int) -> None:
    trace = await job.engine.trace_event(session_id, seq, job.signal)
    if not job.output.for_people:
        job.output.json(trace.to_json())
    elif job.output.on_terminal:
        documents = await job.engine.filter_events(session_id, [], job.signal)
        _print_event_trace(job, trace, {document.seq: document for document in documents})
    else:
        job.output.row("target", trace.target.seq)
        for relation, seqs in _relations(trace):
            for one in seqs:
                job.output.row(relation, one)


def _relations(trace: EventTrace) -> list[tuple[str, Sequence[int]]]:
    return [
        ("replaced by", trace.replacement_chain),
        ("replaces", trace.replaced_event_seqs),
        ("cites", trace.source_event_seqs),
        ("cited by", trace.derived_event_seqs),
    ]


def _print_event_trace(job: Job, trace: EventTrace, documents: dict[int, EventDocument]) -> None:
    target = trace.target
    job.output.line(
        Text.assemble(
            ("▶ ", "bold yellow"),
            (f"{target.seq}", "bold cyan"),
            (f" {visible(target.type)} ", "bold"),
            (f"{target.surface} ", "dim"),
            (local_and_utc(target.time), "green"),
        )
    )
    job.output.line(_preview(target.seq, documents), crop=True)
    ties = [(relation, seqs) for relation, seqs in _relations(trace) if seqs]
    for relation, seqs in ties:
        job.output.line(Text(relation, style="magenta"))
        for seq in seqs:
            job.output.line(
                Text.assemble("  ", (f"{seq}", "bold cyan"), _preview(seq, documents)), crop=True
            )
    if not ties:
        job.output.line(Text("  It replaces and cites nothing, and nothing does so to it.", "dim"))


def _preview(seq: int, documents: dict[int, EventDocument]) -> Text:
    document = documents.get(seq)
    return Text(f"  {visible_line(document.text[:_PREVIEW])}" if document is not None else "")
