"""Scenarios, played against real processes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from acp_snapshot import (
    AgentEndedError,
    Limits,
    Scenario,
    ScenarioFileError,
    ScenarioRun,
    ScenarioStepError,
    play,
    surfaces_of,
)
from session_query import JsonlPersistence

from ..tiny import FIRST_TURN, tiny, write_scenario

LONG = """
about = "All that a client can do, in two processes."
composition = "plain"

[[process]]
permissions = "allow"
step = [
    { do = "initialize" },
    { do = "new_session" },
    { do = "prompt", text = "Look at <workspace>/notes.txt", stop_reason = "end_turn" },
    { do = "prompt", text = "Search.", background = true },
    { do = "prompt", text = "x", session = "no-such", error = -32002 },
    { do = "await_update", update = "tool_call", containing = "searching" },
    { do = "cancel", after_update = "tool_call" },
    { do = "await_prompt", stop_reason = "cancelled" },
    { do = "await_turn_end", turns = 2 },
    { do = "prompt", text = "May I?" },
    { do = "load_session", session = "no-such", error = -32002 },
    { do = "prompt", text = "Search again.", background = true },
    { do = "cancel", after_update = "tool_call", containing = "searching" },
    { do = "await_prompt" },
    { do = "close_stdin" },
]

[[process]]
script = "second.json"
step = [
    { do = "initialize" },
    { do = "load_session" },
    { do = "load_session", session = "seed-1" },
    { do = "fork_session", name = "child" },
    { do = "list_sessions", cwd = "<workspace>" },
    { do = "prompt", session = "seed-1", text = "Go on." },
    { do = "prompt", session = "child", text = "Go on." },
    { do = "request", method = "session/list", params = { cwd = "/elsewhere" } },
    { do = "request", method = "session/nothing", error = -32601 },
    { do = "send_line", line = '{"jsonrpc":"2.0","id":1,"result":{}}' },
    { do = "prompt", text = "Wait.", background = true },
    { do = "await_update", update = "tool_call" },
]
"""
SEED = [
    {"type": "session", "version": 0, "id": "seed-1", "createdAt": 5, "cwd": "<workspace>"},
    {"type": "turn/start", "seq": 0, "time": 5, "data": {"turn": 0}},
    {"type": "turn/end", "seq": 1, "time": 6, "data": {"turn": 0, "reason": {"kind": "completed"}}},
]


def _play(root: Path, folder: Path, fault: str | None = None) -> ScenarioRun:
    return asyncio.run(play(Scenario.load(folder), tiny(fault), root))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ScenarioRun:
    """The run of a long scenario; its last prompt is still waiting when the agent is ended."""
    root = tmp_path_factory.mktemp("long")
    turns: list[dict[str, Any]] = [
        {"say": "It says <workspace>."},
        {"wait": True},
        {"ask": True},
        {"wait": True},
    ]
    folder = write_scenario(root / "long", LONG, turns)
    second = {"turns": [{"say": "Gone on."}, {"say": "And on."}, {"wait": True}]}
    (folder / "second.json").write_text(json.dumps(second), "utf-8")
    (folder / "workspace").mkdir()
    (folder / "workspace" / "notes.txt").write_text("a note", "utf-8")
    (folder / "sessions").mkdir()
    seed = "\n".join(json.dumps(row) for row in SEED)
    (folder / "sessions" / "seed.jsonl").write_text(seed, "utf-8")
    return _play(root / "run", folder)


def _events(run: ScenarioRun, session: str) -> list[str]:
    [log] = [log for log in run.logs if log.header.id == session]
    return [event.type for event in log.events]


@pytest.mark.requirement("SNAP-2")
def test_a_long_scenario(run: ScenarioRun) -> None:
    """Sessions live on from one process to the next, and each has a log on disk."""
    assert [process.ending.after for process in run.processes] == ["eof", "eof"]
    assert sorted(run.sessions) == ["child", "main"]
    assert {log.header.id for log in run.logs} == {*run.sessions.values(), "seed-1"}
    assert _events(run, run.sessions["main"]).count("turn/end") == 4
    assert _events(run, "seed-1").count("turn/end") == 2
    [child] = [log for log in run.logs if log.header.id == run.sessions["child"]]
    assert child.header.parent_session == run.sessions["main"]


@pytest.mark.requirement("SNAP-2")
def test_the_workspace_is_put_in(run: ScenarioRun) -> None:
    """Prompts, scripts and seeds name the real workspace, which holds the scenario's files."""
    workspace = str(run.places.workspace)
    assert (run.places.workspace / "notes.txt").read_text("utf-8") == "a note"
    [main] = [log for log in run.logs if log.header.id == run.sessions["main"]]
    assert f"Look at {workspace}/notes.txt" in json.dumps(main.events[1].to_json())
    assert f"It says {workspace}." in json.dumps(run.processes[0].messages)
    [seed] = [log for log in run.logs if log.header.id == "seed-1"]
    assert seed.header.cwd == workspace
    listed = [
        one["result"]["sessions"]
        for one in run.processes[1].messages
        if "sessions" in one.get("result", {})
    ]
    assert [len(one) for one in listed] == [2, 0]


@pytest.mark.requirement("SNAP-2")
def test_permissions_of_a_scenario(run: ScenarioRun) -> None:
    """A scenario can allow what is denied by default."""
    assert "the answer is yes" in json.dumps(run.processes[0].messages)


@pytest.mark.requirement("SNAP-4")
def test_the_files_of_a_run(run: ScenarioRun) -> None:
    """There is a file for each process and each session, in the order in which they're told of."""
    files = surfaces_of(run).files
    assert list(files) == [
        "stdout-1.jsonl",
        "stdout-2.jsonl",
        "session-1.jsonl",
        "session-2.jsonl",
        "session-3.jsonl",
    ]
    heads = [json.loads(files[f"session-{n}.jsonl"].splitlines()[0]) for n in (1, 2, 3)]
    assert [head["id"] for head in heads] == ["<session-1>", "<session-2>", "seed-1"]
    assert heads[1]["parentSession"] == "<session-1>"


@pytest.mark.requirement("SNAP-4")
def test_what_was_there_before_is_not_shown(run: ScenarioRun) -> None:
    """Of a seed session its header and what the run added are shown; its begin is a fixture."""
    rows = [json.loads(row) for row in surfaces_of(run).files["session-3.jsonl"].splitlines()]
    assert [row.get("seq") for row in rows[:2]] == [None, 2]


@pytest.mark.requirement("SNAP-4")
def test_headers_have_files_of_their_own(run: ScenarioRun) -> None:
    """Equal headers are one header; logs hold its number in the place of it."""
    surfaces = surfaces_of(run)
    [header] = surfaces.headers
    assert header.system == "You are a tiny agent, and you work in <workspace>.\n"
    rows = [json.loads(row) for row in surfaces.files["session-1.jsonl"].splitlines()]
    headers = [row["data"]["header"] for row in rows if row["type"] == "request/header"]
    assert set(headers) == {"<header-1>"}
    assert "tiny agent" not in "".join(surfaces.files.values())


def _one_process(*steps: str) -> str:
    lines = ",\n    ".join(["{ do = 'initialize' }", "{ do = 'new_session' }", *steps])
    return f"about = 'x'\ncomposition = 'plain'\n[[process]]\nstep = [\n    {lines},\n]\n"


@pytest.mark.requirement("SNAP-2")
@pytest.mark.parametrize(
    ("step", "turn", "told"),
    [
        (
            "{ do = 'prompt', text = 'x', session = 'no' }",
            {},
            "an answer was due, but there is error -32002",
        ),
        (
            "{ do = 'prompt', text = 'x', error = -32002 }",
            {"say": "y"},
            "the error -32002 was due, but there",
        ),
        (
            "{ do = 'prompt', text = 'x', stop_reason = 'refusal' }",
            {"say": "y"},
            "with 'end_turn', not with 'ref",
        ),
        (
            "{ do = 'request', method = 'no' }",
            {},
            "no: an answer was due, but there is error -32601",
        ),
        ("{ do = 'await_prompt' }", {}, "no prompt of 'main' runs in the background"),
    ],
)
def test_what_goes_otherwise(tmp_path: Path, step: str, turn: dict[str, Any], told: str) -> None:
    """An answer, an error or a stop reason other than the scenario's fails, and tells the step."""
    folder = write_scenario(tmp_path / "other", _one_process(step), [turn])
    with pytest.raises(ScenarioStepError, match=told) as found:
        _play(tmp_path / "run", folder)
    assert "at step 3" in found.value.__notes__[0]
    assert found.value.__notes__[1] == "in process 1 of scenario other"


@pytest.mark.requirement("SNAP-2")
def test_an_update_that_can_not_come(tmp_path: Path) -> None:
    """A wait for an update ends when the agent does."""
    steps = ["{ do = 'send_line', line = '[1]' }", "{ do = 'await_update', update = 'plan' }"]
    folder = write_scenario(tmp_path / "over", _one_process(*steps))
    with pytest.raises(AgentEndedError, match="an update 'plan' of session 'main': the agent"):
        _play(tmp_path / "run", folder)


@pytest.mark.requirement("SNAP-2")
@pytest.mark.parametrize(
    ("dies", "waits", "told"),
    [
        ("die", "{ do = 'await_update', update = 'agent_message_chunk' }", "an update"),
        (
            "die",
            "{ do = 'await_turn_end', turns = 2 }",
            "end of turn 2, and the agent has",
        ),
        ("die_late", "{ do = 'await_turn_end' }", "end of turn 2, and the agent has"),
    ],
)
def test_what_was_there_before_does_not_count(
    tmp_path: Path, dies: str, waits: str, told: str
) -> None:
    """The update of an earlier prompt and the end of an earlier turn are not waited for."""
    steps = ["{ do = 'prompt', text = 'x' }", "{ do = 'prompt', text = 'y', background = true }"]
    folder = write_scenario(
        tmp_path / "dies", _one_process(*steps, waits), [{"say": "x"}, {dies: True}]
    )
    with pytest.raises(AgentEndedError, match=told):
        _play(tmp_path / "run", folder)


@pytest.mark.requirement("SNAP-2", "SNAP-8")
@pytest.mark.parametrize("background", ["false", "true"])
def test_a_log_that_is_kept_elsewhere(tmp_path: Path, background: str) -> None:
    """A turn that was answered and has no log in the store is told of at once."""
    steps = [f"{{ do = 'prompt', text = 'x', background = {background} }}"]
    folder = write_scenario(tmp_path / "lost", _one_process(*steps, "{ do = 'await_turn_end' }"))

    def opened(state: Path) -> JsonlPersistence:
        return JsonlPersistence(state / "elsewhere")

    playing = play(
        Scenario.load(folder),
        tiny(),
        tmp_path / "run",
        open_store=opened,
        limits=Limits(answer=600),
    )
    with pytest.raises(ScenarioStepError, match="no log of 'main' under STATE; see open_store"):
        asyncio.run(playing)


@pytest.mark.requirement("SNAP-2")
def test_a_crash_and_a_resume(tmp_path: Path) -> None:
    """A process can be killed in the middle of a turn, and the next one finds its log."""
    crash = _one_process(
        "{ do = 'prompt', text = 'x', background = true }",
        "{ do = 'await_update', update = 'tool_call' }",
    ).replace("[[process]]", "[[process]]\nend = 'kill'")
    resume = "[[process]]\nstep = [{ do = 'initialize' }, { do = 'load_session' }]\n"
    folder = write_scenario(tmp_path / "crash", crash + resume, [{"wait": True}])
    run = _play(tmp_path / "run", folder)
    assert [process.ending.exit_code for process in run.processes] == [-9, 0]
    assert _events(run, run.sessions["main"]) == ["turn/start", "user/message", "request/header"]


@pytest.mark.requirement("SNAP-2")
def test_an_exit_code(tmp_path: Path) -> None:
    """The exit code is part of what a scenario says."""
    text = FIRST_TURN.replace("[[process]]", "[[process]]\nexit_code = 3")
    folder = write_scenario(tmp_path / "code", text)
    with pytest.raises(ScenarioStepError, match="ended with exit code 0, not 3"):
        _play(tmp_path / "run", folder)


@pytest.mark.requirement("SNAP-2")
def test_a_seed_that_is_no_log(tmp_path: Path) -> None:
    """A seed session that can't be read is told with its file and line."""
    folder = write_scenario(tmp_path / "seed")
    (folder / "sessions").mkdir()
    (folder / "sessions" / "bad.jsonl").write_text(json.dumps(SEED[0]) + "\n{}", "utf-8")
    with pytest.raises(ScenarioFileError, match=r"bad\.jsonl:\n  line 2: "):
        _play(tmp_path / "run", folder)


@pytest.mark.requirement("SNAP-4")
def test_a_header_that_was_sent_and_not_logged(tmp_path: Path) -> None:
    """Where the agent records its requests, a header that no log holds fails."""
    run = _play(tmp_path / "run", write_scenario(tmp_path / "lies"), "lies-about-header")
    with pytest.raises(ScenarioStepError, match="request 1 of process 1 was made with a header"):
        surfaces_of(run)


@pytest.mark.requirement("SNAP-2")
def test_what_only_the_run_knows(tmp_path: Path) -> None:
    """A text can be captured from what was told, and stands in later steps and scripts."""
    first = _one_process(
        "{ do = 'prompt', text = 'x' }",
        "{ do = 'capture', name = 'locator', pattern = 'spilled to (spill:[^ ]+)' }",
        "{ do = 'capture', name = 'name', pattern = 'result' }",
        "{ do = 'prompt', text = 'Read <captured:locator> of <session:main>' }",
    )
    second = (
        "[[process]]\nscript = 'second.json'\nstep = [{ do = 'initialize' },"
        " { do = 'load_session' }, { do = 'prompt', text = 'y' }]\n"
    )
    folder = write_scenario(tmp_path / "later", first + second, [{"show": True}, {"say": "z"}])
    (folder / "second.json").write_text('{"turns": [{"say": "<captured:locator>!"}]}', "utf-8")
    run = _play(tmp_path / "run", folder)
    [spilled] = (run.places.state / "spill").rglob("*-result.txt")
    locator = f"spill:{spilled.parent.name}/{spilled.name}"
    [log] = run.logs
    texts = json.dumps([event.to_json() for event in log.events])
    assert f"Read {locator} of {log.header.id}" in texts
    assert f"{locator}!" in json.dumps(run.processes[1].messages)


@pytest.mark.requirement("SNAP-2")
def test_an_update_that_no_client_reads(tmp_path: Path) -> None:
    """An update that the SDK's client would only log fails, and is shown."""
    update = {"sessionId": "x", "update": {"sessionUpdate": "no_such_thing"}}
    line = json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": update})
    turn = {"print": f"{line}\n", "say": "x"}
    folder = write_scenario(tmp_path / "update", FIRST_TURN, [turn])
    with pytest.raises(ScenarioStepError, match=r"is not as the protocol says: .*no_such_thing"):
        _play(tmp_path / "run", folder)
