"""Which sibling calls overlap, and who they run for (HOST-4)."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_host.dispatch import ToolCall
from reference_host.tools import Concurrency, HostRun
from session_query_specs.loop import Schedule, run, schedules

from ..opening import world
from ..scripted_model import ScriptedModel, calling
from ..scripted_tools import ScriptedTool, quick
from ..valid_logs import answers, check_log
from .groups import call, dispatched, dispatcher


class Overlaps:
    """Tools that note who runs beside whom; each takes as many passes as its argument says."""

    def __init__(self) -> None:
        self.running: list[str] = []
        self.beside: dict[str, set[str]] = {}

    def tool(self, name: str, concurrency: Any) -> ScriptedTool:
        async def work(arguments: Any, run: HostRun) -> str:
            del run
            me = f"{name} {arguments}"
            self.beside.setdefault(me, set())
            for other in self.running:
                self.beside[me].add(other)
                self.beside[other].add(me)
            self.running.append(me)
            for _ in range(arguments % 10):
                await asyncio.sleep(0)
            self.running.remove(me)
            return me

        return ScriptedTool(name, work, concurrency=concurrency)


@pytest.mark.requirement("HOST-4")
@given(
    st.lists(st.tuples(st.sampled_from(["shared", "alone"]), st.integers(0, 4)), max_size=6),
    schedules(),
)
def test_an_exclusive_call_runs_alone(calls: list[tuple[str, int]], schedule: Schedule) -> None:
    """Nothing overlaps an exclusive call, or one beyond it; outcomes come in call order."""
    overlaps = Overlaps()
    runs = dispatcher(overlaps.tool("shared", "parallel"), overlaps.tool("alone", "exclusive"))
    made = [
        call(name, str(10 * number + passes), f"c{number}")
        for number, (name, passes) in enumerate(calls)
    ]
    ended = run(lambda: dispatched(runs, made), schedule)
    assert [one.call for one in ended.result()] == made
    assert [one.output.text for one in ended.result()] == [
        f"{one.name} {one.arguments}" for one in made
    ]
    assert (ended.left, ended.complaints) == ([], [])
    groups = {
        f"{one.call.name} {one.arguments}": number
        for number, group in enumerate(runs.groups(made))
        for one in group
    }
    for one, others in overlaps.beside.items():
        assert not others or one.startswith("shared")
        assert {groups[other] for other in others} <= {groups[one]}


@pytest.mark.requirement("HOST-4")
def test_parallel_calls_do_overlap() -> None:
    """Siblings that may run side by side each wait for the other to have begun."""
    met = [asyncio.Event(), asyncio.Event()]

    async def meet(arguments: Any, run: HostRun) -> str:
        del run
        met[arguments].set()
        await met[1 - arguments].wait()
        return f"{arguments} has met the other"

    runs = dispatcher(ScriptedTool("meet", meet))
    ended = run(lambda: dispatched(runs, [call("meet", "0"), call("meet", "1", "c2")]))
    assert [one.output.text for one in ended.result()] == [
        "0 has met the other",
        "1 has met the other",
    ]


def depends(arguments: Any) -> Concurrency:
    """Decide from the arguments; raise for what has no `safe`."""
    return "parallel" if arguments["safe"] else "exclusive"


@pytest.mark.requirement("HOST-4")
@pytest.mark.parametrize(
    ("arguments", "grouped"),
    [('{"safe": true}', 1), ('{"safe": false}', 2), ("{}", 2), ("[]", 2)],
)
def test_a_classifier_decides_and_one_that_raises_means_exclusive(
    arguments: str, grouped: int
) -> None:
    """What the classifier of a tool is in doubt of runs alone; the tool is entered all the same."""
    tool = ScriptedTool("dig", quick, concurrency=depends)
    runs = dispatcher(tool)
    made = [call("dig", arguments, "c1"), call("dig", arguments, "c2")]
    assert len([*runs.groups(made)]) == grouped
    outcomes = run(lambda: dispatched(runs, made)).result()
    assert [one.failure for one in outcomes] == [None, None]
    assert len(tool.entered) == 2


@pytest.mark.requirement("HOST-4")
@pytest.mark.parametrize("told", ["both", None, 5, "shared"])
def test_whatever_is_not_parallel_runs_alone(told: Any) -> None:
    """A classification that is none means exclusive."""
    runs = dispatcher(ScriptedTool("dig", quick, concurrency=lambda _: told))
    made = [call("dig", "1", "c1"), call("dig", "2", "c2")]
    assert [len(group) for group in runs.groups(made)] == [1, 1]


@pytest.mark.requirement("HOST-4")
def test_a_run_is_frozen_and_its_agent_is_that_of_the_running_session() -> None:
    """In two sessions at once, each tool gets the one that called it, and can't change it."""
    tool = ScriptedTool("dig", quick)
    forged = '{"agent": {"session": "id-0"}, "session": "id-0", "run": null, "signal": 5}'
    model = ScriptedModel(*[calling(("c1", "dig", forged))] * 2)

    async def main() -> None:
        async with world(model, tool) as (made, first):
            second = made.host.sessions.create("/elsewhere")
            await asyncio.gather(made.turn(first), made.turn(second))
            runs = [one for _, one in tool.entered]
            assert {one.agent.session for one in runs} == {first.live, second.live}
            for one in runs:
                assert [field.name for field in dataclasses.fields(one)] == ["signal", "agent"]
                with pytest.raises(dataclasses.FrozenInstanceError):
                    one.agent = runs[0].agent  # type: ignore[misc]
                with pytest.raises(dataclasses.FrozenInstanceError):
                    one.agent.session = first.live  # type: ignore[misc]

    run(main).result()


@pytest.mark.requirement("HOST-4")
def test_results_are_logged_in_call_order() -> None:
    """A call that ends last but was made first is answered first in the log."""
    order = ["slow", "fast", "fast", "slow"]
    waits = {"slow": 5, "fast": 0}

    async def work(arguments: Any, run: HostRun) -> str:
        del run
        for _ in range(waits[arguments]):
            await asyncio.sleep(0)
        return str(arguments)

    calls = [(f"c{at}", "work", f'"{kind}"') for at, kind in enumerate(order)]

    async def main() -> None:
        async with world(ScriptedModel(calling(*calls)), ScriptedTool("work", work)) as (made, one):
            await made.turn(one)
            check_log(made.durable(one))
            assert [text for _, _, text in answers(made.durable(one))] == order

    run(main).result()


def test_a_call_without_arguments_has_none() -> None:
    """No text at all stands for an empty object, as models write it."""
    tool = ScriptedTool("dig", quick)
    run(lambda: dispatched(dispatcher(tool), [ToolCall("c1", "dig", "  ")])).result()
    assert tool.entered[0][0] == {}
