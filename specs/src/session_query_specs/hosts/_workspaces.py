"""Sessions of the caller's workspace, and of others; these have the canary in all they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from session_query import SessionEvent, SessionHeader

from session_query_specs.corpora import CREATED, Place, Session, message

__all__ = ["CALLER", "CANARY", "CANARY_DAY", "ELSEWHERE", "HERE", "LATE", "hidden", "log", "own"]
__all__ += ["visible"]

HERE: Final = "/srv/here"
CALLER: Final = "caller"
CANARY: Final = "xcanaryx"
"""Stands in the id, title, text and working directory of what the caller may not see."""
ELSEWHERE: Final = f"/srv/{CANARY}"
LATE: Final = 2_000_000_000_000
"""A time that only sessions have that the caller may not see."""
CANARY_DAY: Final = "2033-05-18"
"""Stands in that time as it is shown."""


def log(*texts: str, title: str | None = None, start: int = CREATED) -> tuple[SessionEvent, ...]:
    """Return a log of user messages a second apart, and a title at its end."""
    events = [
        SessionEvent("user/message", seq, start + 1000 * seq, message(text), "append")
        for seq, text in enumerate(texts)
    ]
    if title is not None:
        data = {"title": title, "messageSeqs": [], "source": {"kind": "user"}}
        seq = len(events)
        events.append(SessionEvent("session/title", seq, start + 1000 * seq, data))
    return tuple(events)


def own(
    before: Sequence[str] = ("rocket launched", "alpha"),
    running: Sequence[str] | None = ("rocket fuel",),
    *,
    cwd: str | None = HERE,
    parent: str | None = None,
) -> Session:
    """Return the caller's live session: some messages, and others in the running step.

    Args:
        before: the texts before the step.
        running: those in it; None for a session without a step.
        cwd: its working directory.
        parent: the id of its parent.
    """
    events = list(log(*before))
    if running is not None:
        seq = len(events)
        events.append(SessionEvent("step/start", seq, CREATED + 1000 * seq, {"turn": 1, "step": 1}))
        events += (
            SessionEvent("user/message", at, CREATED + 1000 * at, message(text), "append")
            for at, text in enumerate(running, seq + 1)
        )
    return Session(SessionHeader(0, CALLER, CREATED, cwd, parent), tuple(events), "live")


def visible(
    session_id: str,
    *texts: str,
    title: str | None = None,
    place: Place = "stored",
    created_at: int = CREATED,
    **header: Any,
) -> Session:
    """Return a session of the caller's workspace, unless `cwd` says otherwise."""
    cwd = header.pop("cwd", HERE)
    head = SessionHeader(0, session_id, created_at, cwd, **header)
    return Session(head, log(*texts, title=title, start=created_at), place)


def hidden(
    name: str,
    *texts: str,
    title: str | None = None,
    place: Place = "stored",
    cwd: str | None = ELSEWHERE,
    **header: Any,
) -> Session:
    """Return a session of another workspace; what it says has the canary in it.

    Args:
        name: its id, to which the canary is added unless it is there.
        texts: what it says, likewise.
        title: its title, likewise.
        place: where it is.
        cwd: its working directory.
        header: more of its header.
    """
    told = None if title is None else _marked(title)
    marked = [_marked(text) for text in texts]
    return visible(_marked(name), *marked, title=told, place=place, cwd=cwd, **header)


def _marked(text: str) -> str:
    return text if CANARY in text else f"{text} {CANARY}"
