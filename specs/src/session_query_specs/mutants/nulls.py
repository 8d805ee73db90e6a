"""Providers and hosts that do nothing right: none may pass a check (CONF-12)."""

# ruff: noqa: ARG002 - what does nothing right often looks at nothing

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final

from session_query import (
    AbortSignal,
    ErrorCode,
    EventDocument,
    EventHit,
    EventRecord,
    EventSearchPage,
    EventTrace,
    EventWindow,
    LineageTrace,
    LiveSession,
    SessionHeader,
    SessionHit,
    SessionLog,
    SessionQueryEngine,
    SessionQueryError,
    SessionRecord,
    SessionSearchPage,
    SessionSources,
    SurfaceSnapshot,
    TitleObservation,
    TitleResult,
    semantic_documents,
)

from session_query_specs._subjects import (
    HostUnderTest,
    ProviderUnderTest,
    SuiteConfig,
    ToolOutcome,
)

__all__ = ["NULL_HOSTS", "NULL_PROVIDERS", "NullProvider", "Raises"]

_NOBODY: Final = SessionHeader(0, "nobody", 0)


class NullProvider(ProviderUnderTest):
    """Opens an engine that does nothing right, and claims everything.

    Args:
        name: what reports call it.
        engine: makes the engine.
    """

    name: ClassVar[str] = "null"
    capabilities: ClassVar[Mapping[str, Any]] = {
        "ranking": "contract",
        "segmentation": ("script", "none"),
        "persistent_index": True,
        "interruptible": True,
        "multi_process": True,
        "forgets": True,
        "deterministic_loop": True,
    }

    def __init__(
        self, name: str, engine: Callable[[SessionSources, SuiteConfig], SessionQueryEngine]
    ) -> None:
        self.called = name
        self._engine = engine

    async def open(self, sources: SessionSources, config: SuiteConfig) -> SessionQueryEngine:
        """Return the engine."""
        return self._engine(sources, config)


class Raises(SessionQueryEngine):
    """Raises whatever is asked."""

    def failure(self) -> BaseException:
        """Return what is raised."""
        return RuntimeError("nothing works")

    async def search_sessions(
        self, request: Any, signal: AbortSignal | None = None
    ) -> SessionSearchPage:
        """Raise."""
        raise self.failure()

    async def search_events(
        self, request: Any, signal: AbortSignal | None = None
    ) -> EventSearchPage:
        """Raise."""
        raise self.failure()

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        """Raise."""
        raise self.failure()

    async def filter_sessions(
        self, filters: Any, signal: AbortSignal | None = None
    ) -> list[SessionRecord]:
        """Raise."""
        raise self.failure()

    async def read_session(self, session_id: str, signal: AbortSignal | None = None) -> SessionLog:
        """Raise."""
        raise self.failure()

    async def list_events(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> list[EventRecord]:
        """Raise."""
        raise self.failure()

    async def filter_events(
        self, session_id: str, filters: Any, signal: AbortSignal | None = None
    ) -> list[EventDocument]:
        """Raise."""
        raise self.failure()

    async def read_surface(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> SurfaceSnapshot:
        """Raise."""
        raise self.failure()

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        """Raise."""
        raise self.failure()

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        """Raise."""
        raise self.failure()

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        """Raise."""
        raise self.failure()

    async def trace_event(
        self, session_id: str, seq: int, signal: AbortSignal | None = None
    ) -> EventTrace:
        """Raise."""
        raise self.failure()


class _Refuses(Raises):
    """Refuses everything with one code."""

    code: ClassVar[ErrorCode]

    def failure(self) -> BaseException:
        return SessionQueryError("no", self.code)


class _Nothing(Raises):
    """Finds and reads nothing, whatever is asked."""

    async def search_sessions(
        self, request: Any, signal: AbortSignal | None = None
    ) -> SessionSearchPage:
        return SessionSearchPage(())

    async def search_events(
        self, request: Any, signal: AbortSignal | None = None
    ) -> EventSearchPage:
        return EventSearchPage(self._header(_target(request)), ())

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        return []

    async def filter_sessions(
        self, filters: Any, signal: AbortSignal | None = None
    ) -> list[SessionRecord]:
        return []

    async def read_session(self, session_id: str, signal: AbortSignal | None = None) -> SessionLog:
        return SessionLog(self._header(session_id), ())

    async def list_events(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> list[EventRecord]:
        return []

    async def filter_events(
        self, session_id: str, filters: Any, signal: AbortSignal | None = None
    ) -> list[EventDocument]:
        return []

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        return []

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        record = SessionRecord(self._header(session_id), live=True, persisted=False)
        return LineageTrace(record, (), (), complete=True, root=record)

    async def trace_event(
        self, session_id: str, seq: int, signal: AbortSignal | None = None
    ) -> EventTrace:
        record = EventRecord(session_id, seq, "user/message", 0, "current")
        return EventTrace(self._header(session_id), record, None, (), (), (), ())

    def _header(self, session_id: str) -> SessionHeader:
        session = self.sources.store.get(session_id)
        return _NOBODY if session is None else session.header


class _Everything(SessionQueryEngine):
    """Finds everything, and reads all that there is, whatever is asked."""

    async def search_sessions(
        self, request: Any, signal: AbortSignal | None = None
    ) -> SessionSearchPage:
        hits = []
        for record in await super().list_sessions():
            found = await self._hits(record.header.id, request)
            hits += [SessionHit(*record, found[0])] if found else []
        return SessionSearchPage(tuple(hits))

    async def search_events(
        self, request: Any, signal: AbortSignal | None = None
    ) -> EventSearchPage:
        for record in await super().list_sessions():
            if record.header.id == _target(request):
                hits = await self._hits(record.header.id, request)
                return EventSearchPage(record.header, tuple(hits))
        return EventSearchPage(_NOBODY, ())

    async def list_sessions(self, signal: AbortSignal | None = None) -> list[SessionRecord]:
        records = await super().list_sessions()
        return [*records, SessionRecord(_NOBODY, live=True, persisted=True)]

    async def filter_sessions(
        self, filters: Any, signal: AbortSignal | None = None
    ) -> list[SessionRecord]:
        return await self.list_sessions()

    async def read_session(self, session_id: str, signal: AbortSignal | None = None) -> SessionLog:
        events: list[Any] = []
        for record in await super().list_sessions():
            events += (await super().read_session(record.header.id)).events
        return SessionLog(_NOBODY, tuple(events))

    async def read_event(
        self,
        session_id: str,
        seq: int,
        before: int = 0,
        after: int = 0,
        signal: AbortSignal | None = None,
    ) -> EventWindow:
        log = await self.read_session(session_id)
        return EventWindow(log.header, log.events[0], tuple(log.events), 0, len(log.events))

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        return [
            TitleResult(record.header.id, TitleObservation(record.header, None))
            for record in await self.list_sessions()
        ]

    async def trace_session(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> LineageTrace:
        records = await self.list_sessions()
        return LineageTrace(records[0], tuple(records), (), complete=True, root=records[-1])

    async def trace_event(
        self, session_id: str, seq: int, signal: AbortSignal | None = None
    ) -> EventTrace:
        log = await self.read_session(session_id)
        record = EventRecord(session_id, seq, "user/message", 0, "current")
        seqs = tuple(event.seq for event in log.events)
        return EventTrace(log.header, record, seq, seqs, seqs, seqs, seqs)

    async def list_events(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> list[EventRecord]:
        log = await self.read_session(session_id)
        return [
            EventRecord(_NOBODY.id, one.seq, one.type, one.time, "current") for one in log.events
        ]

    async def filter_events(
        self, session_id: str, filters: Any, signal: AbortSignal | None = None
    ) -> list[EventDocument]:
        log = await self.read_session(session_id)
        return [
            EventDocument(_NOBODY.id, one.seq, one.type, one.time, "current", repr(one))
            for one in log.events
        ]

    async def read_surface(
        self, session_id: str, signal: AbortSignal | None = None
    ) -> SurfaceSnapshot:
        log = await self.read_session(session_id)
        return SurfaceSnapshot(log.header, len(log.events), tuple(log.events))

    async def _hits(self, session_id: str, request: Any) -> list[EventHit]:
        log = await super().read_session(session_id)
        words = request.get("match", "phrase") != "phrase"
        matched = (str(request["query"]),) if words else None
        return [
            EventHit(*document[:5], document.text[:240], matched)
            for document in semantic_documents(session_id, log.events)
        ]


def _target(request: Any) -> str:
    return str(request["sessionId"])


def _refusing(code: ErrorCode) -> type[SessionQueryEngine]:
    return type("Refuses", (_Refuses,), {"code": code})


NULL_PROVIDERS: Final[tuple[NullProvider, ...]] = (
    NullProvider("raises", Raises),
    NullProvider("answers with nothing", _Nothing),
    NullProvider("answers with everything", _Everything),
    *(NullProvider(f"refuses with {code.value}", _refusing(code)) for code in ErrorCode),
)
"""Those that raise, refuse with any one code, answer with nothing, or with everything."""


class _Answers(HostUnderTest):
    """Answers every call with the same."""

    name: ClassVar[str] = "null"

    def __init__(self, called: str, outcome: ToolOutcome) -> None:
        self.called = called
        self._outcome = outcome

    async def open(self, engine: SessionQueryEngine) -> Any:
        return engine

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        signal.raise_if_aborted()
        return self._outcome

    async def close(self, host: Any) -> None:
        pass


class _RaisingHost(_Answers):
    """Raises whatever it's asked."""

    async def call(self, *_: Any, **__: Any) -> ToolOutcome:
        raise RuntimeError("no")


class _TellingHost(_Answers):
    """Answers every call with all that there is in all workspaces."""

    async def call(
        self,
        host: Any,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: LiveSession | None,
        signal: AbortSignal,
    ) -> ToolOutcome:
        texts = []
        for record in await host.list_sessions(signal):
            log = await host.read_session(record.id, signal)
            texts += [str(log.header.to_json()), *(str(event.to_json()) for event in log.events)]
        return ToolOutcome(text="\n".join(texts))


_OWN: Final = "SESSION_QUERY_TOOL_"
_CODES: Final = ("FAILED", "INVALID_ARGUMENT", "MISSING_AGENT", "NO_CURRENT_STEP", "UNAUTHORIZED")

NULL_HOSTS: Final[tuple[HostUnderTest, ...]] = (
    _RaisingHost("raises", ToolOutcome()),
    _Answers("answers with nothing", ToolOutcome(text="")),
    _TellingHost("answers with everything", ToolOutcome()),
    *(
        _Answers(f"refuses with {code}", ToolOutcome(code=f"{_OWN}{code}", message="no"))
        for code in _CODES
    ),
)
"""Those that raise, refuse with any one code, answer with nothing, or with everything."""
