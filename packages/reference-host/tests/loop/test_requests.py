"""Each request can be made again from the log alone, whatever happened (HOST-3)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_host.loop import TurnEnd
from reference_host.models import ModelRequest
from reference_host.sessions import HostSession
from session_query import AbortController
from session_query_specs.loop import Schedule, run, schedules

from ..memory_log import WritableMemory
from ..opening import CWD, World, opened
from ..scripted_model import BROKEN_OFF, WAIT, Reply, ScriptedModel, calling, saying
from ..scripted_tools import ScriptedTool, heeding, quick
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
