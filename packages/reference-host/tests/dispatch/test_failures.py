"""What becomes of a tool that fails (HOST-6)."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from reference_host.dispatch import Permission, ToolCall, ToolOutcome
from reference_host.errors import ToolError
from reference_host.tools import HostRun, ToolOutput
from session_query import AbortController, AbortSignal
from session_query_specs.loop import run

from ..opening import world
from ..scripted_model import ScriptedModel, calling
from ..scripted_tools import ScriptedTool, quick
from ..valid_logs import answers, check_log, check_requests
from .groups import call, dispatched, dispatcher


class Unheard(BaseException):
    """An exception that few expect."""


def raising(error: BaseException) -> ScriptedTool:
    """Return a tool that raises after a pass of the loop."""

    async def fail(arguments: Any, run: HostRun) -> str:
        del arguments, run
        await asyncio.sleep(0)
        raise error

    return ScriptedTool("fail", fail)


def code_of(outcome: ToolOutcome) -> str | None:
    """Return the code of a failure."""
    return None if outcome.failure is None else outcome.failure.code


@pytest.mark.requirement("HOST-6")
@pytest.mark.parametrize(
    "error",
    [
        ValueError("secret"),
        Unheard("secret"),
        asyncio.CancelledError("secret"),
        GeneratorExit("secret"),
        StopIteration("secret"),
        StopAsyncIteration("secret"),
        TimeoutError("secret"),
        MemoryError("secret"),
        RecursionError("secret"),
        BaseExceptionGroup("secret", [Unheard("secret")]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_a_tool_raises_is_a_result_and_the_turn_goes_on(error: BaseException) -> None:
    """Its call fails with a fixed text, its siblings end well, and nobody hears what it said."""
    calls = [("c1", "dig", "1"), ("c2", "fail", "{}"), ("c3", "dig", "3")]
    model = ScriptedModel(calling(*calls))

    async def main() -> None:
        async with world(model, ScriptedTool("dig", quick), raising(error)) as (made, one):
            assert (await made.turn(one)).kind == "completed"
            log = made.durable(one)
            check_log(log)
            check_requests(log, model.asked)
            assert [(call_id, code) for call_id, code, _ in answers(log)] == [
                *(("c1", None), ("c2", "TOOL_FAILED"), ("c3", None))
            ]
            assert "secret" not in repr([event.to_json() for event in log])

    ended = run(main)
    ended.result()
    assert (ended.left, ended.complaints) == ([], [])


@pytest.mark.requirement("HOST-6")
def test_what_a_tool_says_of_its_own_failure_is_told() -> None:
    """Message, code and name of a `ToolError` reach the model and the log."""
    model = ScriptedModel(calling(("c1", "fail", "{}")))

    async def main() -> None:
        tool = raising(ToolError("No such place.", "NO_PLACE", "PlaceError"))
        async with world(model, tool) as (made, one):
            await made.turn(one)
            log: list[Any] = [*made.durable(one)]
            [result] = [event.data for event in log if event.type == "tool/result"]
            assert result["error"] == {"name": "PlaceError", "code": "NO_PLACE"}
            [block] = result["message"]["content"]
            assert block["isError"] is True
            assert block["content"] == [{"type": "text", "text": "Error NO_PLACE: No such place."}]

    run(main).result()


@pytest.mark.requirement("HOST-6")
@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
def test_what_is_meant_for_the_process_is_no_failure_of_a_tool(error: BaseException) -> None:
    """An interrupt, or an exit, goes through to whoever runs the loop."""
    with pytest.raises(type(error)):
        asyncio.run(_ignoring(raising(error)))


async def _ignoring(tool: ScriptedTool) -> None:
    await dispatched(dispatcher(tool), [call("fail")])


@pytest.mark.requirement("HOST-6")
def test_a_tool_that_cancels_its_own_task_has_failed() -> None:
    """It ends neither its siblings nor its turn."""

    async def give_up(arguments: Any, run: HostRun) -> str:
        del arguments, run
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)
        return "never"

    tools = ScriptedTool("fail", give_up), ScriptedTool("dig", quick)
    ended = run(lambda: dispatched(dispatcher(*tools), [call("fail"), call("dig")]))
    assert [code_of(one) for one in ended.result()] == ["TOOL_FAILED", None]
    assert (ended.left, ended.complaints) == ([], [])


@pytest.mark.requirement("HOST-6")
@pytest.mark.parametrize(
    "answer",
    [
        None,
        5,
        b"bytes",
        ["text"],
        ToolOutput(("text",)),  # type: ignore[arg-type]
        ToolOutput(({"type": "text", "text": b"bytes"},)),
        ToolOutput(({"type": "number", "value": float("nan")},)),
        ToolOutput((), {"spot": {1, 2}}),
        ToolOutput(None),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_an_answer_that_no_log_takes_is_a_failure(answer: Any) -> None:
    """A tool that answers what is no output, or no JSON, fails alone, and its log stays valid."""

    async def odd(arguments: Any, run: HostRun) -> Any:
        del arguments, run
        return answer

    model = ScriptedModel(calling(("c1", "odd", "{}"), ("c2", "dig", "{}")))

    async def main() -> None:
        async with world(model, ScriptedTool("odd", odd), ScriptedTool("dig", quick)) as (
            made,
            one,
        ):
            assert (await made.turn(one)).kind == "completed"
            check_log(made.durable(one))
            assert [code for _, code, _ in answers(made.durable(one))] == ["TOOL_FAILED", None]

    run(main).result()


def test_what_a_tool_answered_can_not_be_changed_any_more() -> None:
    """A tool that keeps its output, and changes it later, changes nobody's."""
    block = {"type": "image", "data": {"of": ["a dog"]}}

    async def show(arguments: Any, run: HostRun) -> ToolOutput:
        del arguments, run
        return ToolOutput((block,), {"note": [1]})

    [outcome] = run(
        lambda: dispatched(dispatcher(ScriptedTool("show", show)), [call("show")])
    ).result()
    block["data"] = {}
    assert outcome.output == ToolOutput(
        ({"type": "image", "data": {"of": ["a dog"]}},), {"note": [1]}
    )


@pytest.mark.requirement("HOST-6")
@pytest.mark.parametrize(
    ("made", "code"),
    [
        (call("dog"), "TOOL_NOT_FOUND"),
        (call(""), "TOOL_NOT_FOUND"),
        (call("dig", "{"), "TOOL_INVALID_ARGUMENT"),
        (call("dig", "[" * 100_000), "TOOL_INVALID_ARGUMENT"),
        (call("dig", "9" * 5_000), "TOOL_INVALID_ARGUMENT"),
    ],
    ids=["unknown", "nameless", "cut", "deep", "long"],
)
def test_a_call_that_no_tool_can_take_is_answered(made: ToolCall, code: str) -> None:
    """An unknown name, or text that is no JSON, is a result; no tool is entered."""
    tool = ScriptedTool("dig", quick)
    [outcome] = run(lambda: dispatched(dispatcher(tool), [made])).result()
    assert code_of(outcome) == code
    assert not tool.entered
    assert len(outcome.output.text or "") < 300


@pytest.mark.requirement("HOST-6")
def test_a_failure_is_logged_for_people(caplog: pytest.LogCaptureFixture) -> None:
    """The log record of a failure has session, code and traceback."""
    run(lambda: dispatched(dispatcher(raising(ValueError("why"))), [call("fail")])).result()
    [record] = caplog.records
    assert (record.levelno, record.exc_info is not None) == (logging.ERROR, True)
    assert record.__dict__["session_id"] == "caller"
    assert record.__dict__["code"] == "TOOL_FAILED"


async def yes(made: ToolCall, signal: AbortSignal) -> bool:
    """Permit everything."""
    del made, signal
    return True


async def maybe(made: ToolCall, signal: AbortSignal) -> Any:
    """Say what is no clear yes."""
    del made, signal
    return "yes"


def failing(error: BaseException) -> Permission:
    """Return a permission that can't be asked for."""

    async def fail(made: ToolCall, signal: AbortSignal) -> bool:
        del made, signal
        raise error

    return fail


@pytest.mark.requirement("ACP-1")
@pytest.mark.parametrize(
    ("permission", "code"),
    [
        (yes, None),
        (maybe, "TOOL_PERMISSION_DENIED"),
        (None, "TOOL_PERMISSION_DENIED"),
        (failing(OSError()), "TOOL_PERMISSION_DENIED"),
        (failing(Unheard()), "TOOL_PERMISSION_DENIED"),
        (failing(asyncio.CancelledError()), "TOOL_PERMISSION_DENIED"),
    ],
    ids=["yes", "maybe", "nobody", "OSError", "Unheard", "CancelledError"],
)
def test_a_permission_that_was_not_clearly_given_is_refused(
    permission: Permission | None, code: str | None
) -> None:
    """Only True enters the tool; a tool that needs no permission is entered without asking."""
    asked, free = ScriptedTool("asked", quick), ScriptedTool("free", quick)
    runs = dispatcher(asked, free, asks_before=frozenset({"asked"}))
    made = [call("asked"), call("free", call_id="c2")]
    first, second = run(lambda: dispatched(runs, made, permission=permission)).result()
    assert code_of(first) == code
    assert first.output.blocked == (code is not None)
    assert len(asked.entered) == (code is None)
    assert code_of(second) is None


def test_a_call_that_is_cancelled_while_its_permission_is_asked_for_was_not_dispatched() -> None:
    """Neither a yes that comes too late nor a failure changes that."""
    controller = AbortController()

    async def late(made: ToolCall, signal: AbortSignal) -> bool:
        del made, signal
        controller.abort()
        return True

    tool = ScriptedTool("asked", quick)
    runs = dispatcher(tool, asks_before=frozenset({"asked"}))
    [outcome] = run(lambda: dispatched(runs, [call("asked")], controller.signal, late)).result()
    assert code_of(outcome) == "ABORTED_BEFORE_DISPATCH"
    assert not tool.entered
