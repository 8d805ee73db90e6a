"""What a turn logs, and that each request can be made again from it (HOST-3)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from reference_host.loop import rebuild_requests
from reference_host.models import ModelRequest
from reference_host.sessions import HostSession
from session_query import SessionEvent

from ..opening import World, opened, text, world
from ..scripted_model import BROKEN_OFF, ScriptedModel, calling, saying
from ..scripted_tools import ScriptedTool, quick
from ..valid_logs import answers, check_log, check_requests, kinds
from .turns import turns_of


@pytest.mark.requirement("HOST-3")
def test_a_turn_logs_all_that_happens_in_its_order() -> None:
    """Message, title, header, chunks, answer, calls and results stand in the log as they came."""
    model = ScriptedModel(calling(("c1", "dig", "{}"), ("c2", "dig", "{}"), text="I'll dig."))
    log, ends = turns_of(model, "Dig here", tools=(ScriptedTool("dig", quick),))
    chunks = ["assistant/chunk"] * 6
    assert ends == ["completed"]
    assert kinds(log) == [
        *("turn/start", "step/start", "user/message", "session/title", "request/header"),
        *chunks,
        *("assistant/message", "tool/call", "tool/call", "tool/result", "tool/result", "step/end"),
        *("step/start", "assistant/chunk", "assistant/chunk", "assistant/message", "step/end"),
        "turn/end",
    ]
    assert [event.data for event in log if event.type == "tool/call"] == [
        {"turn": 1, "step": 1, "callId": call_id, "name": "dig", "arguments": "{}"}
        for call_id in ("c1", "c2")
    ]
    assert answers(log) == [("c1", None, "did {}"), ("c2", None, "did {}")]
    check_log(log)
    check_requests(log, model.asked)


@pytest.mark.requirement("HOST-3")
def test_an_answer_names_the_chunks_it_was_made_of() -> None:
    """The message of the model has its chunks as sources, and their text."""
    log, _ = turns_of(ScriptedModel(saying("Hel", "lo")), "Hi")
    [answer] = [event for event in log if event.type == "assistant/message"]
    chunks = [event.seq for event in log if event.type == "assistant/chunk"]
    assert answer.source_event_seqs == chunks
    data: Any = answer.data
    assert data["message"]["content"] == [{"type": "text", "text": "Hello"}]


@pytest.mark.requirement("HOST-3")
def test_the_header_is_logged_when_it_has_changed() -> None:
    """The first request logs a header; later ones only another prompt, tool or model."""
    model = ScriptedModel()

    async def main() -> list[Any]:
        async with world(model) as (made, session):
            await made.turn(session)
            await made.turn(session)
            remove = made.host.prompt.add("more", "Be brief.")
            await made.turn(session)
            remove()
            made.host.tools.register(ScriptedTool("dig", quick))
            await made.turn(session)
            model.config = {"provider": "scripted", "model": "two"}
            await made.turn(session)
            check_log(made.durable(session))
            check_requests(made.durable(session), model.asked)
            return [event.data for event in made.durable(session) if event.type == "request/header"]

    found = asyncio.run(main())
    assert [one["reason"] for one in found] == ["initial", "change", "change", "change"]
    headers = [one["header"] for one in found]
    assert [one["system"] for one in headers] == [
        *("Be short.", "Be short.\n\nBe brief.", "Be short.", "Be short.")
    ]
    assert [[tool["name"] for tool in one["tools"]] for one in headers] == [
        [],
        [],
        ["dig"],
        ["dig"],
    ]
    assert headers[-1]["config"]["model"] == "two"


@pytest.mark.requirement("HOST-3")
def test_a_header_that_changed_over_a_resume_says_so() -> None:
    """After a session was loaded, a header that is another one has the reason `resume`, once."""
    model = ScriptedModel()

    async def main() -> list[str]:
        async with opened(model) as before:
            session = before.host.sessions.create("/here")
            await before.turn(session)
        async with opened(model, stored=before.stored, prefix="later") as made:
            session = await made.host.sessions.load(session.id, "/here")
            await made.turn(session)  # nothing has changed
            await made.host.sessions.release(session.id)
            made.host.tools.register(ScriptedTool("dig", quick))
            session = await made.host.sessions.load(session.id, "/here")
            await made.turn(session)
            made.host.tools.register(ScriptedTool("fill", quick))
            await made.turn(session)
            check_requests(made.durable(session), model.asked)
            log: list[Any] = [*made.durable(session)]
        return [event.data["reason"] for event in log if event.type == "request/header"]

    assert asyncio.run(main()) == ["initial", "resume", "change"]


@pytest.mark.requirement("HOST-3")
def test_everything_is_durable_before_it_is_sent_or_done() -> None:
    """When a model is asked or a tool entered, the store has all that was logged until then."""
    seen: list[str] = []
    model = ScriptedModel(calling(("c1", "dig", "{}")), calling(("c2", "dig", "{}")))

    async def main() -> None:
        async with world(model) as (made, session):

            def look(what: str) -> None:
                durable = made.durable(session)
                assert durable == session.live.events
                seen.append(f"{what} after {durable[-1].type}")

            def asked(request: ModelRequest) -> None:
                assert rebuild_requests(made.durable(session))[-1].encoded() == request.encoded()
                look("request")

            async def dig(arguments: Any, run: Any) -> str:
                del arguments, run
                look("tool")
                return "dug"

            model.on_request = asked
            made.host.tools.register(ScriptedTool("dig", dig))
            await made.turn(session)

    asyncio.run(main())
    assert seen == [
        "request after request/header",
        "tool after tool/call",
        "request after step/start",
        "tool after tool/call",
        "request after step/start",
    ]


@pytest.mark.requirement("HOST-3", "HOST-7")
@pytest.mark.parametrize(
    ("reply", "kind", "code"),
    [
        (saying("so much", finish="max-tokens"), "max-tokens", None),
        ([*saying("half")[:1], BROKEN_OFF], "error", "MODEL_INVALID_ANSWER"),
        ([*saying("half")[:1], ValueError("secret")], "error", "MODEL_FAILED"),
        ([*saying("half")[:1], BaseException("secret")], "error", "MODEL_FAILED"),
        ([*saying("half")[:1], asyncio.CancelledError()], "error", "MODEL_FAILED"),
        ([*saying("half")[:1], GeneratorExit()], "error", "MODEL_FAILED"),
        (
            [*saying("half")[:1], {"type": "text-delta", "index": 0}],
            "error",
            "MODEL_INVALID_ANSWER",
        ),
        ([*saying("half")[:1], {"type": "finish", "reason": 5}], "error", "MODEL_INVALID_ANSWER"),
        ([*saying("half")[:1], {"type": "usage", "usage": {1.5}}], "error", "MODEL_FAILED"),
        (
            [*saying("half")[:1], *calling(("c1", "dig", "{}"))[:1], OSError("secret")],
            "error",
            "MODEL_FAILED",
        ),
        (
            [{"type": "text-delta", "index": at, "text": "half"} for at in (0, "b")],
            "error",
            "MODEL_INVALID_ANSWER",
        ),
    ],
)
def test_a_model_that_fails_ends_its_turn_only(reply: Any, kind: str, code: str | None) -> None:
    """What was said is kept without its calls, nobody is told more, and the session goes on."""
    model = ScriptedModel(reply)
    log, ends = turns_of(model, "Hi", "And now?", tools=(ScriptedTool("dig", quick),))
    assert ends == [kind, "completed"]
    check_log(log)
    check_requests(log, model.asked)
    data: list[Any] = [event.data for event in log]
    reasons = [
        one["reason"] for one, event in zip(data, log, strict=True) if event.type == "turn/end"
    ]
    assert reasons[0]["kind"] == kind
    assert reasons[0].get("error", {}).get("code") == code
    assert "secret" not in repr(log)
    assert [one["interrupted"] for one in data if "interrupted" in one] == [True]


@pytest.mark.requirement("HOST-3")
def test_a_turn_makes_so_many_requests_and_no_more() -> None:
    """After the steps that a composition allows, a turn ends in `max-steps`."""
    model = ScriptedModel()
    model.after_end = calling(("c1", "dig", "{}"))
    log, ends = turns_of(model, "Dig", tools=(ScriptedTool("dig", quick),))
    assert ends == ["max-steps"]
    assert len(model.asked) == 50
    check_log(log)
    check_requests(log, model.asked)


@pytest.mark.requirement("HOST-3")
def test_each_call_of_an_answer_has_an_id_of_its_own() -> None:
    """Calls that have no id, or the one of a sibling, are given one, and each is answered."""
    model = ScriptedModel(
        [
            {
                "type": "tool-call-delta",
                "index": at,
                "id": given,
                "name": "dig",
                "argumentsDelta": "",
            }
            for at, given in enumerate(["same", "same", "", ""])
        ]
        + [{"type": "finish", "reason": {"kind": "tool-calls"}}]
    )
    log, _ = turns_of(model, "Dig", tools=(ScriptedTool("dig", quick),))
    check_log(log)
    assert len({call_id for call_id, _, _ in answers(log)}) == 4


@pytest.mark.requirement("HOST-3")
@pytest.mark.parametrize("content", [[{"type": "text"}], [{"type": "text", "text": {1.5}}]])
def test_a_message_that_cannot_be_logged_leaves_a_closed_turn(content: Any) -> None:
    """A host whose client hands it what is no message logs a turn that failed, and goes on."""

    async def main() -> list[SessionEvent]:
        async with world(ScriptedModel()) as (made, session):
            end = await made.host.prompt_session(session, content)
            assert (end.kind, end.code) == ("error", "HOST_FAILED")
            assert (await made.turn(session)).kind == "completed"
            return made.durable(session)

    check_log(asyncio.run(main()))


async def forked(made: World, session: HostSession) -> HostSession:
    """Return a fork of a session."""
    return await made.host.sessions.fork(session.id, None)


@pytest.mark.requirement("HOST-3")
def test_a_fork_goes_on_with_what_it_inherits() -> None:
    """The first request of a fork holds the messages of its parent; no new header is needed."""
    model = ScriptedModel()

    async def main() -> None:
        async with world(model) as (made, session):
            await made.turn(session, "One")
            child = await forked(made, session)
            asked = [*model.asked]
            await made.turn(child, "Two")
            log = made.durable(child)
            check_log(log)
            check_requests(log, [*asked, *model.asked[1:]])
            assert kinds(log).count("request/header") == 1
            message = rebuild_requests(log)[-1].messages
            assert [one["role"] for one in message] == ["user", "assistant", "user"]
            assert message[-1]["content"] == text("Two")

    asyncio.run(main())
