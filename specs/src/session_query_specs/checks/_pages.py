"""Searches that are followed page by page, as data, and what changes between two pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from hypothesis import strategies as st
from session_query import (
    ErrorCode,
    SessionEvent,
    SessionHeader,
    SessionQueryEngine,
    SessionSources,
    SessionStore,
)

from session_query_specs.checks._agreement import expect_code, items_of, places
from session_query_specs.checks._check import Violation
from session_query_specs.corpora import CREATED, Call, Corpus, message, program, session
from session_query_specs.stores import MemoryPersistence

__all__ = [
    "EVENT_FILTERS",
    "FORGERIES",
    "METHODS",
    "PAGED_CORPUS",
    "PAGES",
    "SESSION_FILTERS",
    "Change",
    "PagesOn",
    "Sources",
    "expect_refusal",
    "first_cursor",
    "follow",
    "page_of",
    "paged_request",
    "paged_targets",
]

Json: TypeAlias = dict[str, Any]

Sources: TypeAlias = tuple[SessionSources, SessionStore, MemoryPersistence]

ChangeKind: TypeAlias = Literal[
    "append live", "append stored", "store new", "attach new", "detach", "remount", "unmount"
]
FORGERIES: Final = {
    "truncated": "cursor[:-1]",
    "without its begin": "cursor[1:]",
    "twice": "cursor * 2",
    "reversed": "cursor[::-1]",
    "with spaces around": "f' {cursor} '",
    "in capitals": "cursor.upper()",
    "with another end": "cursor[:-1] + ('0' if cursor[-1:] != '0' else '1')",
}
"""What is done to a cursor, as code."""


@dataclass(frozen=True, slots=True)
class Change:
    """Something that changes in the sources.

    Attributes:
        kind: what happens.
        session: to which session; there is one of that name and place.
    """

    kind: ChangeKind
    session: str

    def make(self, opened: Sources) -> None:
        """Change the sources."""
        sources, store, persistence = opened
        match self.kind:
            case "append live":
                live = store.get(self.session)
                if live is None:
                    raise AssertionError(self.session)
                live.append("user/message", message("alpha"), "append")
            case "append stored":
                stored = persistence.log(self.session)
                added = _event(len(stored.events))
                persistence.put(stored.header, (*stored.events, added))
            case "store new":
                persistence.put(SessionHeader(0, "new", CREATED), [_event(0)])
            case "attach new":
                store.attach(SessionHeader(0, "new", CREATED), [_event(0)])
            case "detach":
                store.detach(self.session)
            case "remount":
                sources.mount(persistence)
            case "unmount":
                sources.unmount()

    def line(self, corpus: Corpus) -> str:
        """Return the change as a line of a program."""
        new = f"{_header_code(SessionHeader(0, 'new', CREATED))}, [{_event_code(0)}]"
        if self.kind == "append stored":
            [one] = [one for one in corpus.sessions if one.header.id == self.session]
            event = _event_code(len(one.stored or ()))
            return f"await stored.append({_header_code(one.header)}, [{event}])"
        said = f"'user/message', {message('alpha')}, 'append'"
        return {
            "append live": f"live.get({self.session!r}).append({said})",
            "store new": f"await stored.append({new})",
            "attach new": f"live.attach({new})",
            "detach": f"live.detach({self.session!r})",
            "remount": "sources.mount(stored)",
            "unmount": "sources.unmount()",
        }[self.kind]

    def __str__(self) -> str:
        about = self.kind.startswith("append") or self.kind == "detach"
        return f"{self.kind} {self.session!r}" if about else self.kind


def _header_code(header: SessionHeader) -> str:
    return f"SessionHeader.from_json({header.to_json()})"


def _event_code(seq: int) -> str:
    return f"SessionEvent.from_json({_event(seq).to_json()})"


def _event(seq: int) -> SessionEvent:
    return SessionEvent("user/message", seq, CREATED, message("alpha"), "append")


@dataclass(frozen=True, slots=True)
class PagesOn:
    """A search whose cursor is used again: as it is, for another search, or after a change.

    Attributes:
        corpus: the corpus.
        method: the search.
        request: the request of the first page.
        other: the request of the next page, but for the cursor; None for the same.
        change: what changes between the first page and the next one.
        settings: those of the provider.
        forge: what is done to the cursor; one of `FORGERIES`, or nothing.
    """

    corpus: Corpus
    method: str
    request: Json
    other: Json | None = None
    other_method: str | None = None
    change: Change | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    forge: str = ""

    def forged(self, cursor: str) -> str:  # noqa: PLR0911 - one for each of `FORGERIES`
        """Return what is sent as the cursor."""
        match self.forge:
            case "truncated":
                return cursor[:-1]
            case "without its begin":
                return cursor[1:]
            case "twice":
                return cursor * 2
            case "with spaces around":
                return f" {cursor} "
            case "in capitals":
                return cursor.upper()
            case "reversed":
                return cursor[::-1]
            case "with another end":
                return cursor[:-1] + ("0" if cursor[-1] != "0" else "1")
        return cursor

    @property
    def next(self) -> Call:
        """The call of the next page, without its cursor."""
        request = self.request if self.other is None else self.other
        return Call(self.other_method or self.method, (request,))

    def described(self) -> list[str]:
        """Return corpus and calls in lines that a person reads."""
        change = [str(self.change)] if self.change else []
        note = [f"cursor {self.forge}"] if self.forge else []
        first = f"call {Call(self.method, (self.request,))}"
        return [*self.corpus.described(), first, *change, *note, f"with its cursor: {self.next}"]

    def script(self, subject: str) -> str:
        """Return a program that does the same; it needs the class and no check."""
        lines = [
            f"page = await shown(engine.{self.method}({self.request!r}))",
            "print(page)",
            "cursor = page.get('nextCursor', '') if isinstance(page, dict) else ''",
        ]
        if self.change is not None:
            lines.append(self.change.line(self.corpus))
        if self.forge:
            lines.append(f"cursor = {FORGERIES[self.forge]}")
        [request] = self.next.arguments
        again = f"shown(engine.{self.next.method}({{**{request!r}, 'cursor': cursor}}))"
        if self.change or self.forge or self.other or self.other_method:
            lines.append(f"print(await {again})")
        else:
            lines += ["for _ in range(20):", "    if cursor:", f"        page = await {again}"]
            lines += ["        print(page)", f"        {lines[2]}"]
        return program(subject, self.corpus, self.settings, lines)


async def page_of(
    engine: SessionQueryEngine, method: str, request: Json, cursor: str | None = None
) -> tuple[list[Json], str | None]:
    """Return the hits of one page, and the cursor of the next one."""
    asked = request if cursor is None else {**request, "cursor": cursor}
    outcome = await Call(method, (asked,)).on(engine)
    hits = items_of(outcome)
    return hits, outcome.answer.get("nextCursor")


async def follow(engine: SessionQueryEngine, method: str, request: Json) -> list[Sequence[Json]]:
    """Return all pages of a search."""
    pages: list[Sequence[Json]] = []
    cursor = None
    while True:
        hits, cursor = await page_of(engine, method, request, cursor)
        pages.append(hits)
        if cursor is None:
            return pages
        if not hits or len(pages) > 1000:  # noqa: PLR2004 - no corpus here has so many hits
            raise Violation("a last page", f"a cursor after {len(pages)} pages")


# -- a corpus with several pages of hits ------------------------------------------------------


METHODS: Final = ("search_sessions", "search_events")
PAGES: Final = ("CURSOR-1/pages",)
"""What must hold before anything else is told of cursors."""

_TEXTS: Final = ("alpha beta", "alpha beta gamma", "alpha beta delta", "alpha x beta")
PAGED_CORPUS: Final = Corpus(
    (
        session("stored", _TEXTS, cwd="/w"),
        session("live", _TEXTS, place="live", cwd="/w"),
        session("both", _TEXTS, place="both", cwd="/w"),
        session("other", _TEXTS, cwd="/w"),
    )
)
SESSION_FILTERS: Final = [
    {"kind": "cwd", "values": ["/w", "/v"]},
    {"kind": "availability", "values": ["live", "persisted"]},
]
EVENT_FILTERS: Final = [{"kind": "seq", "from": 0}, {"kind": "type", "values": ["user/message"]}]


def paged_request(method: str, target: str = "stored") -> dict[str, Any]:
    asked: dict[str, Any] = {"query": "alpha", "match": "all", "limit": 2}
    if method == "search_events":
        return {"sessionId": target, **asked, "filters": EVENT_FILTERS}
    return {**asked, "sessionFilters": SESSION_FILTERS, "eventFilters": EVENT_FILTERS}


@st.composite
def paged_targets(draw: st.DrawFn) -> PagesOn:
    method = draw(st.sampled_from(METHODS))
    return PagesOn(
        PAGED_CORPUS, method, paged_request(method, draw(st.sampled_from(("stored", "live"))))
    )


async def first_cursor(engine: SessionQueryEngine, example: PagesOn) -> str:
    """Ask for the first page and for the next one, which both must be right; return the cursor."""
    hits, cursor = await page_of(engine, example.method, example.request)
    if cursor is None:
        raise Violation("a cursor after the first page of several", "none")
    more, _ = await page_of(engine, example.method, example.request, cursor)
    first, then = places(hits), places(more)
    if len(first) != example.request["limit"] or not then or set(first) & set(then):
        raise Violation("two pages with different hits", f"{first}, then {then}")
    return cursor


async def expect_refusal(
    engine: SessionQueryEngine, call: Call, cursor: str, code: ErrorCode
) -> None:
    [request] = call.arguments
    expect_code(await Call(call.method, ({**request, "cursor": cursor},)).on(engine), code)
