"""What one more event costs in a long session (RECON-6)."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
from session_query import JsonlPersistence, LiveSession, SessionEvent, SessionHeader

from benchmarks.corpus import Texts
from benchmarks.measure import Figure, Opened, interleaved, opened
from benchmarks.workshop import Workshop

__all__ = ["appends"]

_LIVE_LIMIT = 1.5
_WORDS = 60


async def appends(workshop: Workshop) -> Sequence[Figure]:
    """Compare an append and a search in a long session with the same in a short one."""
    return [*await _live(workshop), *await _stored(workshop)]


async def _live(workshop: Workshop) -> Sequence[Figure]:
    short, long = workshop.scale.appended
    texts = _texts(workshop, long + 1)
    figures = []
    for scope in ("sessions", "events"):
        async with (
            opened(None, workshop.folder / "short.db") as small,
            opened(None, workshop.folder / "long.db") as large,
        ):
            workshop.tell(f"appending to live sessions, then search_{scope}")
            jobs = {
                name: _appender(at, _filled(at, texts[:count]), scope, name)
                for name, at, count in (("short", small, short), ("long", large, long))
            }
            seconds = await interleaved(5 * workshop.scale.rounds, jobs, warm=2)
        medians = {name: statistics.median(took) for name, took in seconds.items()}
        ratio = medians["long"] / medians["short"]
        name = f"append to a live session of {long:,} + search_{scope}, to one of {short:,}"
        figures += [
            Figure(name, ratio, _LIVE_LIMIT, details=seconds),
            Figure("  the longer one in milliseconds", 1000 * medians["long"], None, "ms"),
        ]
    return figures


def _appender(at: Opened, session: LiveSession, scope: str, name: str) -> Any:
    search: Any = at.engine.search_sessions if scope == "sessions" else at.engine.search_events
    target = {} if scope == "sessions" else {"sessionId": session.id}

    async def job(number: int) -> None:
        word = f"{name}needle{number}"
        _append(session, f"now comes {word}")
        page = await search({"query": word, **target})
        assert len(page.items) == 1

    return job


def _filled(at: Opened, texts: Sequence[str]) -> LiveSession:
    session = at.live.create("live")
    for text in texts:
        _append(session, text)
    return session


def _append(session: LiveSession, text: str) -> None:
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    session.append("assistant/message", {"turn": 1, "step": 1, "message": message}, "append")


async def _stored(workshop: Workshop) -> Sequence[Figure]:
    """Do the same with logs: only the tail is read again, but the file is hashed."""
    short, long = workshop.scale.appended
    texts = _texts(workshop, long + 1)
    root = workshop.folder / "appended"
    shutil.rmtree(root, ignore_errors=True)
    store = JsonlPersistence(str(root), compression="none")
    async with opened(root, workshop.folder / "appended.db") as at:
        jobs = {}
        for name, count in (("short", short), ("long", long)):
            header = SessionHeader(version=0, id=f"stored-{name}", created_at=0, cwd="/srv/stored")
            await store.append(
                header, [_event(seq, text) for seq, text in enumerate(texts[:count])]
            )
            jobs[name] = _stored_appender(at, store, header, count)
        workshop.tell("appending to stored sessions")
        seconds = await interleaved(3 * workshop.scale.rounds, jobs, warm=2)
    await store.close()
    medians = {name: statistics.median(took) for name, took in seconds.items()}
    ratio = medians["long"] / medians["short"]
    name = f"append to a stored log of {long:,} + search, to one of {short:,}"
    return [
        Figure(name, ratio, None, details=seconds),
        Figure("  the longer one in milliseconds", 1000 * medians["long"], None, "ms"),
    ]


def _stored_appender(at: Opened, store: JsonlPersistence, header: SessionHeader, count: int) -> Any:
    async def job(number: int) -> None:
        word = f"{header.id}needle{number}".replace("-", "")
        await store.append(header, [_event(count + number, f"now comes {word}")])
        page = await at.engine.search_sessions({"query": word})
        assert len(page.items) == 1

    return job


def _event(seq: int, text: str) -> SessionEvent:
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    data = {"turn": 1, "step": 1, "message": message}
    return SessionEvent("assistant/message", seq, seq, data, "append")


def _texts(workshop: Workshop, count: int) -> list[str]:
    texts = Texts(workshop.seed)
    rng = np.random.default_rng([workshop.seed, 4])
    return texts.make(rng, "prose", [_WORDS] * count, texts.own_words(rng))
