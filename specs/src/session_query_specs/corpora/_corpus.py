"""A corpus as data: it can be drawn, shrunk, printed, and opened as sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from session_query import SessionEvent, SessionHeader, SessionSources, SessionStore

from session_query_specs.stores import MemoryPersistence

__all__ = ["CREATED", "Corpus", "Place", "Session", "message", "session"]

Place: TypeAlias = Literal["stored", "live", "both"]
"""Where a session is kept; live and stored with the same log is `both`."""

SessionForm: TypeAlias = tuple[
    Mapping[str, Any], Sequence[Mapping[str, Any]], int | None, int | None
]
"""A session as a program holds it."""

CREATED = 1_790_000_000_000
"""A time for what has to have one; it means nothing."""


@dataclass(frozen=True, slots=True)
class Session:
    """One session of a corpus.

    Attributes:
        header: its header.
        events: its log.
        place: where it is kept.
        stored_events: how many of the events the store holds; None for all.
        live_events: how many of them the live session holds, likewise.
    """

    header: SessionHeader
    events: tuple[SessionEvent, ...]
    place: Place = "stored"
    stored_events: int | None = None
    live_events: int | None = None

    @property
    def stored(self) -> tuple[SessionEvent, ...] | None:
        """The log in the store; None if it isn't there."""
        return None if self.place == "live" else self.events[: self.stored_events]

    @property
    def live(self) -> tuple[SessionEvent, ...] | None:
        """The live log; None if the session isn't live."""
        return None if self.place == "stored" else self.events[: self.live_events]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Some sessions with different ids."""

    sessions: tuple[Session, ...]

    @classmethod
    def of(cls, sessions: Iterable[SessionForm]) -> Corpus:
        """Return the corpus of which this is the form.

        Args:
            sessions: for each session its header and its events as JSON, how many of these are
                stored and how many live; None where it is not.
        """
        return cls(tuple(_session_of(*form) for form in sessions))

    def open(self) -> tuple[SessionSources, SessionStore, MemoryPersistence]:
        """Return new sources that hold the corpus, and both of their parts."""
        store, persistence = SessionStore(), MemoryPersistence()
        for one in self.sessions:
            if one.stored is not None:
                persistence.put(one.header, one.stored)
            if one.live is not None:
                store.attach(one.header, one.live)
        return SessionSources(store, persistence), store, persistence

    def becoming(self, other: Corpus) -> Iterator[tuple[str, Session | None]]:
        """Yield what each session that is another one in the other corpus becomes; None: gone."""
        old, new = ({one.header.id: one for one in each.sessions} for each in (self, other))
        for name in {**old, **new}:
            if old.get(name) != new.get(name):
                yield name, new.get(name)

    def described(self) -> Iterator[str]:
        """Yield the corpus in lines that a person reads."""
        for one in self.sessions:
            facts = [f"cwd {one.header.cwd!r}"] if one.header.cwd is not None else []
            if one.header.parent_session is not None:
                facts.append(f"parent {one.header.parent_session!r}")
            if one.header.seed_length:
                facts.append(f"seed_length {one.header.seed_length}")
            for name, count in (("stored", one.stored_events), ("live", one.live_events)):
                if count is not None and count < len(one.events):
                    facts.append(f"{name} only {count} events")
            yield f"session {one.header.id!r} ({', '.join([one.place, *facts])})"
            for event in one.events:
                data = event.to_json()["data"]
                later = event.time - CREATED
                at = f" at +{later} ms" if 0 < later < CREATED else f" at {event.time}"
                at = at if later else ""
                said = _said(data) if event.type == "user/message" else None
                told = f"{data!r}" if said is None else f"text {said!r}"
                surface = event.to_json().get("surfaceOp")
                kept = "" if surface == "append" else f", surface operation {surface!r}"
                if surface is None:
                    kept = "" if said is None else ", not on the surface"
                yield f"  {event.seq} {event.type}{at}: {told}{kept}"


def _session_of(
    header: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    stored: int | None,
    live: int | None,
) -> Session:
    place: Place = "live" if stored is None else "stored" if live is None else "both"
    log = tuple(SessionEvent.from_json(event) for event in events)
    return Session(SessionHeader.from_json(header), log, place, stored, live)


def _said(data: dict[str, object]) -> str | None:
    """Return the text of a message that `message` makes; None for any other."""
    match data.get("content"):
        case [{"type": "text", "text": str() as text}] if data == message(text):
            return text
    return None


def message(text: str) -> dict[str, object]:
    """Return the payload of a user message."""
    content = [{"type": "text", "text": text}]
    return {"id": "m", "role": "user", "content": content, "source": {"kind": "user"}}


def session(  # noqa: PLR0913 - a session has that many facts
    session_id: str,
    texts: Sequence[str] = (),
    *,
    place: Place = "stored",
    cwd: str | None = None,
    parent: str | None = None,
    created_at: int = CREATED,
) -> Session:
    """Return a session of user messages, a second apart, all on the surface."""
    events = tuple(
        SessionEvent("user/message", seq, created_at + 1000 * seq, message(text), "append")
        for seq, text in enumerate(texts)
    )
    header = SessionHeader(0, session_id, created_at, cwd, parent)
    return Session(header, events, place)
