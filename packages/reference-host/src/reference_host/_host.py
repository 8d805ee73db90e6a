"""The host: everything that a composition names, put together (HOST-1)."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from session_query import (
    AbortSignal,
    JsonlPersistence,
    SessionQueryEngine,
    SessionSources,
    SessionStore,
    SessionStoreError,
    SessionStoreErrorCode,
    WritableSessionPersistence,
    settle,
)
from session_query_sqlite import SqliteConfig, SqliteSessionQueryEngine
from tool_session_query import ToolSessionQueryConfig

from reference_host._prompt import PromptAssembly
from reference_host.composition import Composition, OpenAICompatibleSettings, SpillSettings
from reference_host.dispatch import Dispatcher, Permission
from reference_host.errors import CompositionError, ModelError
from reference_host.loop import AgentLoop, TurnEnd
from reference_host.models import Model, RecordingModel, ReplayModel
from reference_host.sessions import HostSession, Sessions, UnindexedEngine, busy, closed
from reference_host.spill import LocalSpillStore, SpillPolicy
from reference_host.tools import ReadTool, TodoTool, ToolRegistry, mount_session_query

__all__ = ["Host", "opened_host"]


def _uuid() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True, eq=False)
class Host:
    """A host that is open: sessions, and turns in them. Made by `Host.open` or `Host.compose`.

    Attributes:
        sessions: the sessions.
        engine: exact reads, and search where the composition mounts an index.
        tools: the registry of the tools.
        prompt: the sections of the system prompt.
        dispatcher: what runs the calls of the tools.
    """

    sessions: Sessions
    engine: SessionQueryEngine
    tools: ToolRegistry
    prompt: PromptAssembly
    dispatcher: Dispatcher
    _loop: AgentLoop

    @staticmethod
    @asynccontextmanager
    async def open(
        composition: Composition, state: Path, *, model: Model | None = None
    ) -> AsyncIterator[Host]:
        """Mount a composition, its files under the directory `state`; close all of it at the end.

        Args:
            composition: what is mounted.
            state: where logs, index and spilled results are, made if need be.
            model: a model in the place of the composition's.

        Raises:
            HostError: the model can't be made.
            SessionQueryError: `SESSION_QUERY_INDEX_FAILED`; the index can't be opened.
            OSError: the directories can't be made.
        """
        async with AsyncExitStack() as opened:
            model = await _model(composition) if model is None else model
            opened.push_async_callback(model.close)
            settings = composition.persistence
            persistence = JsonlPersistence(state / settings.root, settings.compression)
            await opened.enter_async_context(persistence)
            store = SessionStore()
            sources = SessionSources(store, persistence)
            engine: SessionQueryEngine = UnindexedEngine(sources)
            if composition.index is not None:
                config = SqliteConfig(str(state / composition.index.path))
                engine = SqliteSessionQueryEngine(sources, config)
            await opened.enter_async_context(engine)
            spill = composition.policies.spill
            kept = None if spill is None else LocalSpillStore(state / spill.root)
            if kept is not None and spill is not None:
                await kept.remove_older_than(spill.retention_days * 86_400)
            host = await opened.enter_async_context(
                Host.compose(
                    composition,
                    model,
                    engine,
                    persistence,
                    spill_store=kept,
                    hidden=[state],
                    release_log=persistence.release,
                )
            )
            yield host

    @staticmethod
    @asynccontextmanager
    async def compose(  # noqa: PLR0913 - the parts of a host
        composition: Composition,
        model: Model,
        engine: SessionQueryEngine,
        persistence: WritableSessionPersistence,
        *,
        spill_store: LocalSpillStore | None = None,
        hidden: Sequence[Path] = (),
        new_id: Callable[[], str] = _uuid,
        release_log: Callable[[str], Awaitable[None]] | None = None,
    ) -> AsyncIterator[Host]:
        """Put a host together of parts that are open; its sessions are closed at the end.

        It starts no thread and no task of its own, so that it runs on any event loop (HOST-8).

        Args:
            composition: the tools and policies; the parts below stand for its other tables.
            model: who answers.
            engine: reads over `persistence` and a `SessionStore`, whose clock is the host's.
            persistence: where the logs are kept.
            spill_store: where spilled results are kept.
            hidden: folders whose files no session may read, wherever they lie: those of the host's
                own logs, index and spilled results.
            new_id: gives ids to sessions and messages.
            release_log: lets other processes write to the log of a session that was let go of.
        """
        prompt, tools = PromptAssembly(), ToolRegistry()
        prompt.add("base", composition.prompt)
        settings = composition.tools
        if settings.read is not None:
            spill = composition.policies.spill
            largest = None if spill is None else spill.max_inline_bytes
            tools.register(ReadTool(spill_store, largest=largest, hidden=hidden))
        if settings.todo is not None:
            tools.register(TodoTool())
        async with AsyncExitStack() as mounted:
            if (query := settings.session_query) is not None:
                config = ToolSessionQueryConfig(
                    max_search_results=query.max_search_results,
                    search_timeout_ms=query.search_timeout_ms,
                )
                mounted.callback(mount_session_query(engine, config, prompt, tools))
            policies = composition.policies
            asks = () if policies.permission is None else policies.permission.ask
            dispatcher = Dispatcher(
                tools,
                default_timeout_ms=(
                    None if policies.deadline is None else policies.deadline.default_timeout_ms
                ),
                spill=_spill_policy(policies.spill, spill_store),
                asks_before=frozenset(asks),
            )
            loop = AgentLoop(model, prompt, tools, dispatcher, composition.max_steps, new_id)
            sessions = Sessions(
                engine.sources.store, persistence, engine, new_id=new_id, release_log=release_log
            )
            mounted.push_async_callback(sessions.close)
            yield Host(sessions, engine, tools, prompt, dispatcher, loop)

    async def prompt_session(
        self,
        session: HostSession,
        content: Sequence[Mapping[str, Any]],
        *,
        signal: AbortSignal | None = None,
        permission: Permission | None = None,
    ) -> TurnEnd:
        """Run one turn in an open session, and return how it ended.

        Args:
            session: the session.
            content: the blocks of the user's message.
            signal: its abort ends the turn, which is then logged as `aborted` and returned.
            permission: whom the dispatcher asks.

        Raises:
            SessionError: `SESSION_BUSY` while another turn is running; `SESSION_CLOSED` if the
                session was let go of, also meanwhile; what `Sessions.flush` raises.
            CancelledError: the calling task was cancelled; the turn was logged as `aborted`.
        """
        given_blocks: Any = content
        if isinstance(given_blocks, str) or not all(isinstance(one, Mapping) for one in content):
            raise TypeError('content is a list of blocks, such as {"type": "text", "text": "…"}')
        if session.busy:
            raise busy(session.id)
        if not session.live.is_live:
            raise closed(session.id)
        session.busy = True
        given = AbortSignal.any() if signal is None else signal

        async def run(cancelled: AbortSignal) -> TurnEnd:
            resumed, session.resumed = session.resumed, False
            return await self._loop.run(
                session.live,
                content,
                flush=lambda: self.sessions.flush(session),
                signal=AbortSignal.any(given, cancelled),
                permission=permission,
                resumed=resumed,
            )

        try:
            return await settle(run, None)
        except SessionStoreError as error:
            if error.code is SessionStoreErrorCode.SESSION_NOT_LIVE:
                raise closed(session.id) from error
            raise
        finally:
            session.busy = False


@asynccontextmanager
async def opened_host(
    composition: Composition,
    state: Path,
    *,
    replay: Path | None = None,
    record: Path | None = None,
    answers: bool = True,
) -> AsyncIterator[Host]:
    """Open a host as the command line asks for it.

    Args:
        composition: what is mounted.
        state: where logs, index and spilled results are.
        replay: a script in the place of the composition's model.
        record: a file to which each request is written.
        answers: whether a model is needed at all; without it, no key is either.

    Raises:
        HostError: the model can't be made.
        SessionQueryError: `SESSION_QUERY_INDEX_FAILED`; the index can't be opened.
        OSError: the directories can't be made.
    """
    if not answers:
        model: Model = ReplayModel([], "a host that was opened without a model")
    elif replay is not None:
        model = ReplayModel.of_file(replay)
    else:
        model = await _model(composition)
    if record is not None:
        try:
            model = RecordingModel(model, record)
        except OSError as error:
            problem = f"the requests can't be recorded in {record}: {error.strerror or error}"
            raise ModelError(problem, "MODEL_RECORD_FAILED") from error
    async with Host.open(composition, state, model=model) as host:
        _check_permission(composition, host.tools)
        yield host


def _check_permission(composition: Composition, tools: ToolRegistry) -> None:
    """Refuse a policy that would ask for nothing: a name with a slip in it allows everything."""
    policy = composition.policies.permission
    unknown = sorted({*(() if policy is None else policy.ask)} - {*tools.names})
    if unknown:
        problem = (
            f"policies.permission.ask: {', '.join(unknown)}: there is no such tool; there are"
            f" {', '.join(tools.names) or 'none'}"
        )
        raise CompositionError(problem, "COMPOSITION_INVALID")


async def _model(composition: Composition) -> Model:
    settings = composition.model
    if isinstance(settings, OpenAICompatibleSettings):
        # the library behind it is an extra, and takes half a second to import
        from reference_host.models.openai_compatible import OpenAICompatibleModel  # noqa: PLC0415

        return OpenAICompatibleModel(settings)
    return ReplayModel.of_file(settings.script)


def _spill_policy(settings: SpillSettings | None, store: LocalSpillStore | None) -> SpillPolicy:
    # without settings too: it drops what a tool says of spilled texts, which resuming would trust
    return SpillPolicy(store, None if settings is None else settings.max_inline_bytes)
