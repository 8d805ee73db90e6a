"""Turns of two sessions at once (HOST-8)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_host.models import ModelRequest
from session_query import AbortController
from session_query_specs.loop import Schedule, run, schedules

from ..opening import opened
from ..scripted_model import ScriptedModel, calling, saying
from ..scripted_tools import ScriptedTool, deaf, heeding, quick
from ..valid_logs import check_log, check_requests
from .test_endings import LIMITED


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
