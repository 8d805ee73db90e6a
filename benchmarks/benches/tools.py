"""What the model-facing tools cost beyond the service, and in the prompt (TOOL-2, TITLE-2)."""

from __future__ import annotations

import json
import weakref
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import bpe_openai  # type: ignore[import-untyped]  # it has no type hints
from session_query import (
    AbortSignal,
    CwdFilter,
    IdFilter,
    JsonlPersistence,
    LiveSession,
    SessionEvent,
    SessionSearchRequest,
    SessionSources,
    SessionStore,
    StoredSession,
)
from session_query_sqlite import SqliteConfig, SqliteSessionQueryEngine
from tool_session_query import ToolCalls, Toolset, session_query_toolset

from benchmarks.measure import Figure, Job, interleaved, median_ratio
from benchmarks.workshop import Workshop

__all__ = ["tools"]

_WORKSPACE: Final = "/srv/projects/00"
"""A fifth of the sessions of a corpus are in it."""

_TOKENS: Final = 1_200
_ENCODING: Final = "o200k_base"
_HITS: Final = 100
_BESIDE: Final = 1.5
_HELD: Final = 4


class _Marked(SessionEvent):
    """An event whose life can be followed."""

    __slots__ = ("__weakref__",)


class _Watched(JsonlPersistence):
    """Counts how often each log is read, and how many are in memory."""

    def __init__(self, root: Path) -> None:
        super().__init__(str(root), compression="none")
        self.forget()

    def forget(self) -> None:
        """Begin to count anew."""
        self.reads: Counter[str] = Counter()
        self.most_held = 0
        self._held: weakref.WeakSet[_Marked] = weakref.WeakSet()

    async def inspect(self, session_id: str, signal: AbortSignal | None = None) -> StoredSession:
        self.reads[session_id] += 1
        stored = await super().inspect(session_id, signal)
        events = [_Marked.from_json(stored.events[0].to_json()), *stored.events[1:]]
        self._held.update(event for event in events if isinstance(event, _Marked))
        self.most_held = max(self.most_held, len(self._held))
        return replace(stored, events=events)


async def tools(workshop: Workshop) -> Sequence[Figure]:
    """Compare a search with 100 titles with the same calls of the service made by hand."""
    sessions = workshop.scale.sessions
    words = workshop.words(sessions).common
    live, persistence = SessionStore(), _Watched(workshop.store(sessions))
    config = SqliteConfig(str(workshop.database(sessions)))
    engine = SqliteSessionQueryEngine(SessionSources(live, persistence), config)
    async with engine:
        toolset = session_query_toolset(engine)
        caller = live.create("caller", cwd=_WORKSPACE)
        await engine.refresh()
        workshop.tell(f"searching {_WORKSPACE} with titles")
        calls = ToolCalls(toolset)

        async def tool(number: int) -> object:
            query = words[number % len(words)]
            arguments = {"query": query, "match": "phrase"}
            return await calls.run("session_search", arguments, caller)

        async def by_hand(number: int) -> object:
            return await _by_hand(engine, words[number % len(words)], caller)

        jobs: dict[str, Job] = {"tool": tool, "by hand": by_hand}
        seconds = await interleaved(workshop.scale.rounds, jobs)
        persistence.forget()
        await tool(0)
        reads, held = max(persistence.reads.values(), default=0), persistence.most_held
    ratio = median_ratio(seconds["tool"], seconds["by hand"])
    return [
        Figure(
            f"session_search of {_HITS} hits with titles, to the same calls by hand",
            ratio,
            _BESIDE,
            details=seconds,
        ),
        Figure("  how often a log was read for its title, at most", reads, 1, ""),
        Figure("  logs in memory at once, at most", held, _HELD, ""),
        Figure(f"prompt section and five schemas, in {_ENCODING}", _tokens(toolset), _TOKENS, ""),
    ]


async def _by_hand(
    engine: SqliteSessionQueryEngine, query: str, caller: LiveSession
) -> Sequence[object]:
    """Do what the tool does, without judging or writing anything."""
    # another page size than the tool's, so that neither finds the order of the other
    request = SessionSearchRequest(query, [CwdFilter([_WORKSPACE])], limit=_HITS + 3)
    hits = [hit for hit in (await engine.search_sessions(request)).items if hit.id != caller.id]
    parents = [hit.header.parent_session for hit in hits[:_HITS] if hit.header.parent_session]
    if parents:
        await engine.filter_sessions([IdFilter(parents), CwdFilter([_WORKSPACE])])
    return await engine.read_titles(hit.id for hit in hits[:_HITS])


def _tokens(toolset: Toolset) -> int:
    """Count what every request carries: the section, and each tool as JSON."""
    encode = bpe_openai.get_encoding(_ENCODING).encode
    told = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in toolset.tools
    ]
    texts = [toolset.prompt_section, *(json.dumps(tool, separators=(",", ":")) for tool in told)]
    return sum(len(encode(text)) for text in texts)
