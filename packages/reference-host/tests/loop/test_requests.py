"""Each request can be made again from the log alone, whatever happened (HOST-3)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_host.loop import TurnEnd, rebuild_requests
from reference_host.models import ModelRequest
from reference_host.sessions import HostSession
from session_query import AbortController
from session_query_specs.loop import Schedule, run, schedules

from ..memory_log import WritableMemory
from ..opening import CWD, World, opened, text
from ..scripted_model import BROKEN_OFF, WAIT, Reply, ScriptedModel, calling, saying
from ..scripted_tools import ScriptedTool, deaf, heeding, quick
from ..texts import TEXTS
from ..valid_logs import check_log, check_requests
from .test_endings import LIMITED


@dataclass(frozen=True)
class Turn:
    """What happens in a turn, and before it.

    Attributes:
        said: what the user says.
        replies: what the model does.
        abort: after how many passes of the loop it is aborted, or the task cancelled; None: never.
        cancels: whether the task is cancelled.
        before: `resume`, `fork`, `change` of the prompt, `rename`, or nothing.
    """

    said: str
    replies: list[Reply]
    abort: int | None = None
    cancels: bool = False
    before: str = ""


def _calls(names: list[tuple[str, str]]) -> Reply:
    return calling(*[(f"c{at}", name, said) for at, (name, said) in enumerate(names)])


_REPLIES = st.one_of(
    st.lists(TEXTS, max_size=3).map(lambda texts: saying(*texts)),
    st.lists(
        st.tuples(
            st.sampled_from(["dig", "alone", "wait", "fail", "unknown"]),
            st.one_of(st.sampled_from(["{}", "1", "{"]), TEXTS),
        ),
        min_size=1,
        max_size=4,
    ).map(_calls),
    st.sampled_from(
        [
            saying("half", finish="max-tokens"),
            [*saying("half")[:1], BROKEN_OFF],
            [{"type": "reasoning-delta", "index": 0, "text": "hm"}, *saying("half")],
        ]
    ),
    # made anew each time: an exception that is raised again has a longer traceback
    st.builds(lambda: [*saying("half")[:1], ValueError("broken")]),
)
_TURNS = st.one_of(
    st.builds(
        Turn,
        TEXTS,
        st.lists(_REPLIES, max_size=3),
        before=st.sampled_from(["", "resume", "fork", "change", "rename"]),
    ),
    st.builds(
        Turn,
        TEXTS,
        st.lists(st.one_of(_REPLIES, st.just([*saying("so")[:1], WAIT])), max_size=3),
        st.integers(0, 60),
        st.booleans(),
        st.sampled_from(["", "resume", "fork", "change", "rename"]),
    ),
)


@dataclass
class Conversation:
    """One session, and those that were forked off on the way.

    Attributes:
        model: who answers in all of it.
        asked: what the model was asked in the session at hand, inherited requests included.
        ended: log and requests of the sessions that were left behind.
    """

    model: ScriptedModel = field(default_factory=ScriptedModel)
    asked: list[str] = field(default_factory=list)
    ended: list[tuple[Sequence[Any], list[str]]] = field(default_factory=list)
    stored: WritableMemory = field(default_factory=WritableMemory)
    hosts: int = 0

    def host(self) -> Any:
        """Open a host."""
        self.hosts += 1

        async def fail(arguments: Any, run: Any) -> str:
            raise LookupError(arguments, run)

        return opened(
            self.model,
            ScriptedTool("dig", quick),
            ScriptedTool("alone", quick, concurrency="exclusive"),
            ScriptedTool("wait", heeding),
            ScriptedTool("fail", fail),
            stored=self.stored,
            composition=LIMITED,
            prefix=f"host-{self.hosts}",
        )

    async def hold(self, turns: list[Turn]) -> None:
        """Have all turns."""
        self.model.on_request = self._see
        session_id = None
        while turns:
            async with self.host() as made:
                sessions = made.host.sessions
                if session_id is None or not self.stored.durable(session_id):
                    session = sessions.create(CWD)  # the first turn was cancelled before it began
                else:
                    session = await sessions.load(session_id, CWD)
                session_id = await self._some(made, session, turns)

    async def _some(self, made: World, session: HostSession, turns: list[Turn]) -> str:
        """Have turns until one that needs another host; return the id of the session."""
        for number in range(len(turns)):
            turn = turns.pop(0)
            if turn.before == "fork":
                self.ended.append((made.durable(session), [*self.asked]))
                session = await made.host.sessions.fork(session.id, CWD)
            elif turn.before == "change":
                _ = made.host.prompt.add(f"section {len(turns)}", turn.said.strip() or "blank")
            elif turn.before == "rename":
                await made.host.sessions.rename(session.id, f"title {len(turns)}")
            await self._one(made, session, turn)
            check_log(made.durable(session))
            check_requests(made.durable(session), self.asked)
            if turns and turns[0].before == "resume":
                break
            del number
        return session.id

    async def _one(self, made: World, session: HostSession, turn: Turn) -> None:
        self.model.replies = [[*reply] for reply in turn.replies]
        controller = AbortController()
        running = asyncio.create_task(made.turn(session, turn.said, controller.signal))
        for _ in range(turn.abort or 0):
            await asyncio.sleep(0)
        if turn.abort is not None and turn.cancels:
            running.cancel()
        elif turn.abort is not None:
            controller.abort()
        await asyncio.wait([running])
        if not running.cancelled():
            assert isinstance(running.result(), TurnEnd)

    def _see(self, request: ModelRequest) -> None:
        self.asked.append(request.encoded())


@pytest.mark.requirement("HOST-3")
@settings(max_examples=150)
@given(st.lists(_TURNS, min_size=1, max_size=5), schedules())
def test_a_log_amounts_to_the_requests_that_were_sent(
    turns: list[Turn], schedule: Schedule
) -> None:
    """Byte for byte and in order: over failures, aborts, resumes, forks, renames and changes."""
    held = Conversation()
    ended = run(lambda: held.hold([*turns]), schedule)
    ended.result()
    assert (ended.left, ended.complaints) == ([], [])
    for log, asked in held.ended:
        check_log(log)
        check_requests(log, asked)


@pytest.mark.requirement("HOST-3", "LOG-25")
def test_a_session_goes_on_after_a_crash_at_any_event() -> None:
    """Cut anywhere, a log is closed when it is loaded, and its next turn is as any other."""
    model = ScriptedModel(
        calling(("c1", "dig", "1"), ("c2", "alone", "2"), ("c3", "dig", "3"), text="Well"),
        saying("That is it."),
    )
    tools = [ScriptedTool("dig", quick), ScriptedTool("alone", quick, concurrency="exclusive")]

    async def whole() -> tuple[World, HostSession]:
        async with opened(model, *tools) as made:
            session = made.host.sessions.create(CWD)
            await made.turn(session, "One")
            await made.turn(session, "Two")
            return made, session

    made, session = run(whole).result()
    log = made.durable(session)
    codes = set()
    for count in range(1, len(log) + 1):
        stored = WritableMemory()
        stored.put(session.live.header, log[:count])
        asked: list[str] = []
        codes |= run(lambda: resumed(stored, session.id, tools, asked)).result()  # noqa: B023
        events = stored.durable(session.id)
        assert [*events[:count]] == log[:count]
        check_log(events)
        rebuilt = rebuild_requests(events)
        assert [rebuilt[-1].encoded()] == asked
        assert rebuilt[-1].messages[-1]["content"] == text("Go on.")
    assert codes == {None, "TOOL_NOT_STARTED", "TOOL_OUTCOME_UNKNOWN"}


async def resumed(
    stored: WritableMemory, session_id: str, tools: list[ScriptedTool], asked: list[str]
) -> set[str | None]:
    """Load a session and have a turn; return the codes of its results."""
    model = ScriptedModel()
    entered = [len(tool.entered) for tool in tools]
    async with opened(model, *tools, stored=stored, prefix="later") as made:
        session = await made.host.sessions.load(session_id, CWD)
        log: list[Any] = made.durable(session)
        check_log(log)
        assert (await made.turn(session)).kind == "completed"
        asked += model.asked
        assert [len(tool.entered) for tool in tools] == entered
        results = [event.data for event in log if event.type == "tool/result"]
        return {data.get("error", {}).get("code") for data in results}


@pytest.mark.requirement("LOG-25")
def test_reading_a_session_closes_no_turn() -> None:
    """Only taking a session up again writes; listing leaves an open turn as it is."""

    async def main() -> None:
        async with opened(ScriptedModel()) as made:
            session = made.host.sessions.create(CWD)
            await made.turn(session)
            header, log = session.live.header, made.durable(session)
        stored = WritableMemory()
        stored.put(header, log[:6])
        async with opened(ScriptedModel(), stored=stored, prefix="later") as made:
            [found], _ = await made.host.sessions.list(None)
            assert found.record.header.id == header.id
            assert [*stored.durable(header.id)] == log[:6]
            assert stored.appends == 0

    run(main).result()


@pytest.mark.requirement("HOST-8")
@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 80)), max_size=2),
    st.sampled_from([quick, heeding, deaf]),
    schedules(),
)
def test_turns_of_two_sessions_at_once_disturb_each_other_in_no_order(
    aborts: list[tuple[int, int]], doing: Any, schedule: Schedule
) -> None:
    """Each log is valid and amounts to its own requests; nothing is left running."""
    model = ScriptedModel()
    model.after_end = saying("Well", "done")
    model.replies = [calling(("c1", "dig", "1"), ("c2", "dig", "2"))] * 2  # type: ignore[list-item]
    asked: dict[str, list[str]] = {"/one": [], "/two": []}

    def see(request: ModelRequest) -> None:
        whose = request.messages[0]["content"][0]["text"]
        asked[whose].append(request.encoded())

    model.on_request = see

    async def main() -> None:
        tool = ScriptedTool("dig", doing)
        async with opened(model, tool, composition=LIMITED) as made:
            sessions = [made.host.sessions.create(cwd) for cwd in asked]
            controllers = [AbortController(), AbortController()]

            async def abort(whose: int, passes: int) -> None:
                for _ in range(passes):
                    await asyncio.sleep(0)
                controllers[whose].abort()

            async with asyncio.TaskGroup() as tasks:
                for session, cwd, controller in zip(sessions, asked, controllers, strict=True):
                    tasks.create_task(made.turn(session, cwd, controller.signal), name=cwd)
                for whose, passes in aborts:
                    tasks.create_task(abort(whose, passes), name="abort")
            for session, cwd in zip(sessions, asked, strict=True):
                check_log(made.durable(session))
                assert made.durable(session) == session.live.events
                check_requests(made.durable(session), asked[cwd])
            assert len(tool.entered) == tool.left

    ended = run(main, schedule)
    ended.result()
    assert (ended.left, ended.complaints) == ([], [])
