"""Sessions as people name them: by the beginning of an id, and by their titles (CLI-1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

import click
from rich.text import Text
from session_query import (
    PersistenceCorruptionError,
    PersistenceError,
    SessionHeader,
    SessionRecord,
    TitleResult,
    session_not_found,
    translate_store_error,
)

from session_query_sqlite.cli._application import Job
from session_query_sqlite.cli._neutral import visible, visible_line

__all__ = ["ShortIds", "kinship", "resolve", "resolve_known", "title_text", "titles"]

_CANDIDATES: Final = 8
_TITLE_BATCH: Final = 64


async def resolve(job: Job, given: str) -> str:
    """Return the id that `given` is, or is the unique beginning of.

    What begins no known id is returned as it is: the engine says so.

    Raises:
        click.UsageError: several ids begin like this.
        SessionQueryError: `SESSION_QUERY_CORRUPT_SESSION` where there is such a log, but in a state
            in which the store does not list it.
    """
    [found] = await _resolve_among(job, [given], await job.engine.list_sessions(job.signal))
    return found


async def resolve_known(job: Job, given: Sequence[str], *, as_parents: bool = False) -> list[str]:
    """Return what `resolve` returns for each, from one listing; each is an id that is known.

    Args:
        job: what is being done.
        given: ids or unique beginnings.
        as_parents: know those, too, that are gone themselves, and have left descendants.

    Raises:
        SessionQueryError: `SESSION_QUERY_SESSION_NOT_FOUND`, and what `resolve` raises.
    """
    if not given:
        return []
    records = await job.engine.list_sessions(job.signal)
    names = await _resolve_among(job, given, records)
    known = {record.id for record in records}
    if as_parents:
        known.update(parent for one in records if (parent := one.header.parent_session) is not None)
    for name in names:
        if name not in known:
            raise session_not_found(name)
    return names


async def _resolve_among(
    job: Job, wanted: Sequence[str], records: Iterable[SessionRecord]
) -> list[str]:
    ids = sorted(record.id for record in records)
    known = set(ids)
    names = [one if one in known else _completed(one, ids) for one in wanted]
    for name in names:
        if name not in known:
            await _ask_for_unlisted(job, name)
    return names


async def _ask_for_unlisted(job: Job, session_id: str) -> None:
    store = job.engine.sources.persistence
    try:
        if store is not None:
            await store.inspect(session_id, job.signal)
    except PersistenceCorruptionError as error:
        raise translate_store_error(error, after_listing=True) from error
    except PersistenceError:
        return  # not there, or the engine meets it too


def _completed(given: str, ids: Sequence[str]) -> str:
    found = [one for one in ids if one.startswith(given)] if given else []
    if len(found) > 1:
        shown = ", ".join(map(visible, found[:_CANDIDATES]))
        rest = len(found) - _CANDIDATES
        more = f" and {rest} more" if rest > 0 else ""
        raise click.UsageError(
            f"several sessions begin with {visible(given)!r}: {shown}{more}; write more of the id"
        )
    return found[0] if found else given


def _shared(one: str, other: str) -> int:
    """Return how many characters two ids begin with alike."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))


class ShortIds:
    """Ids as they are shown: what of each is enough to name it stands out.

    Args:
        ids: all ids that there are.
    """

    def __init__(self, ids: Iterable[str]) -> None:
        ordered = sorted(set(ids))
        shared = [0, *(_shared(*pair) for pair in pairwise(ordered)), 0]
        self._needed = {
            one: min(max(around) + 1, len(one))
            for one, around in zip(ordered, pairwise(shared), strict=False)
        }

    @classmethod
    async def of(cls, job: Job) -> ShortIds:
        """Return those of the store; nobody needs them but people at a terminal."""
        if not job.output.on_terminal:
            return cls(())
        return cls(record.id for record in await job.engine.list_sessions(job.signal))

    def text(self, session_id: str) -> Text:
        """Return an id with its telling beginning in bold."""
        needed = self._needed.get(session_id, len(session_id))
        return Text.assemble(
            (visible(session_id[:needed]), "bold cyan"), (visible(session_id[needed:]), "dim cyan")
        )

    def short(self, session_id: str) -> str:
        """Return the beginning that is enough, of a comfortable length."""
        return visible(session_id[: max(self._needed.get(session_id, len(session_id)), 8)])


async def titles(job: Job, ids: Sequence[str]) -> dict[str, TitleResult]:
    """Return what reading the title of each session came to."""
    results: dict[str, TitleResult] = {}
    for start in range(0, len(ids), _TITLE_BATCH):
        batch = await job.engine.read_titles(ids[start : start + _TITLE_BATCH], job.signal)
        results |= {result.session_id: result for result in batch}
    return results


def title_text(result: TitleResult | None) -> Text:
    """Return a title for people, or why there is none."""
    if result is None:
        return Text()
    if result.reason is not None:
        return Text(f"(unreadable: {visible_line(result.reason.message)})", style="red")
    title = result.value.title if result.value is not None else None
    if title is None or not (shown := visible_line(title.title)):
        return Text("(no title)", style="dim italic")
    return Text(shown, style="bold")


def kinship(header: SessionHeader) -> str | None:
    """Return what a session is to its parent, or None for one that has none."""
    if header.parent_session is None:
        return None
    return "sub-agent of" if header.origin == "subagent" else "fork of"
