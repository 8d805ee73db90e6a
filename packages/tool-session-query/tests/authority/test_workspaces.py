"""Who is in which workspace, and what a caller may ask without one (AUTH-1, AUTH-2, AUTH-7)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from session_query import AbortController, AbortSignal
from tool_session_query import Agent, SessionQueryToolError, ToolAgent, session_query_toolset

from .calling import REFUSED, Ask, Outcome, called
from .corpora import CALLER, HERE, Corpus, header, log, said, step
from .engines import watched

WORKSPACES = [
    "/",
    "/a",
    "/a/",
    "/a/../a",
    "//a",
    "C:\\a",
    "c:/a",
    "\\\\host\\share",
    "/ä 权限",
    "/a\nb",
]
NO_WORKSPACES = [
    None,
    "",
    " ",
    "a",
    "a/b",
    "./a",
    "../a",
    "~",
    "~/a",
    "C:",
    "C:a",
    "\\a",
    "\\\\",
    "/a\ufffd",
]
OWN = [
    Ask("session_trace", {}),
    Ask("session_event_trace", {"seq": 0}),
    Ask("session_event_read", {"seq": 0}),
    Ask("session_event_search", {"query": "rocket"}),
]
SEARCH = Ask("session_search", {"query": "rocket"})


def answered(cwd: str | None, ask: Ask, *others: str | None) -> tuple[Outcome, list[str]]:
    """Ask as a caller of a working directory, beside sessions `o0`, `o1` … of others."""
    corpus = Corpus()
    caller = corpus.begin_caller(cwd)
    for number, other in enumerate(others):
        corpus.put(header(f"o{number}", other), log("rocket"))

    async def main() -> tuple[Outcome, list[str]]:
        async with watched(corpus.sources) as service:
            return await called(service, ask, caller), service.names

    return asyncio.run(main())


@pytest.mark.requirement("AUTH-2")
@pytest.mark.parametrize("cwd", WORKSPACES)
def test_a_workspace_is_an_absolute_path_taken_literally(cwd: str) -> None:
    """POSIX, drive and UNC paths are workspaces; another spelling of one is another workspace."""
    others = [f"{cwd}/", f"{cwd}/x", cwd.swapcase() + "x", None, f"{cwd} "]
    outcome, _ = answered(cwd, SEARCH, cwd, *others)
    assert outcome.text is not None
    assert '"o0"' in outcome.text
    assert "1 session found" in outcome.text


@pytest.mark.requirement("AUTH-2", "AUTH-3")
@pytest.mark.parametrize("cwd", NO_WORKSPACES)
def test_without_a_workspace_only_the_own_session_can_be_reached(cwd: str | None) -> None:
    """A caller without a workspace searches no sessions and reaches none that look like its own."""
    outcome, names = answered(cwd, SEARCH, cwd)
    assert outcome.code == REFUSED
    assert names == []
    for ask in OWN:
        assert answered(cwd, ask, cwd)[0].text is not None
        others = ask._replace(arguments={**ask.arguments, "session_id": "o0"})
        assert answered(cwd, others, cwd)[0].code == REFUSED


@pytest.mark.requirement("AUTH-2")
@pytest.mark.parametrize("cwd", NO_WORKSPACES)
def test_a_session_without_a_workspace_is_in_nobodys(cwd: str | None) -> None:
    """Nobody else reaches a session whose working directory is no workspace."""
    assert answered(HERE, SEARCH, cwd)[0].text == answered(HERE, SEARCH)[0].text
    for ask in OWN:
        others = ask._replace(arguments={**ask.arguments, "session_id": "o0"})
        assert answered(HERE, others, cwd)[0].code == REFUSED


@pytest.mark.requirement("AUTH-5")
@pytest.mark.parametrize("match", ["auto", "phrase", "all", "any"])
def test_the_own_session_is_never_a_hit(match: str) -> None:
    """The caller's own session matches best, and does not appear, even where it is asked for."""
    arguments = {"query": "rocket launched", "match": match, "session_ids": [CALLER]}
    outcome, _ = answered(HERE, Ask("session_search", arguments), HERE)
    assert outcome.text is not None
    assert outcome.text.startswith("Nothing found.")


class ChangingRun:
    """A run whose agent is another each time that it is looked at."""

    def __init__(self, *agents: ToolAgent | None) -> None:
        self.agents = list(agents)
        self.signal: AbortSignal = AbortController().signal

    @property
    def agent(self) -> Agent | None:
        """The next agent; the last one stays."""
        return self.agents.pop(0) if len(self.agents) > 1 else self.agents[0]


@pytest.mark.requirement("AUTH-1")
def test_the_caller_is_whoever_called() -> None:
    """Agent and session are taken once, at entry; without an agent nothing is asked."""
    corpus = Corpus()
    caller = corpus.begin_caller()
    corpus.put(header("other", "/srv/other"), log("rocket"), "live")
    other = corpus.store.get("other")
    assert other is not None

    async def main() -> None:
        async with watched(corpus.sources) as service:
            [*_, read] = session_query_toolset(service).tools
            text = await read.execute(
                {"seq": 0}, ChangingRun(ToolAgent(caller), ToolAgent(other), None)
            )
            assert f'"{CALLER}"' in text
            before = len(service.calls)
            for tool in session_query_toolset(service).tools:
                for arguments in ({"seq": 0, "query": "rocket"}, {}, None):
                    with pytest.raises(SessionQueryToolError) as raised:
                        await tool.execute(arguments, ChangingRun(None))
                    assert raised.value.code == "SESSION_QUERY_TOOL_MISSING_AGENT"
            assert len(service.calls) == before

    asyncio.run(main())


STEPS = [said(0, "rocket"), step(1), said(2, "rocket"), said(3, "fuel"), step(4), said(5, "rocket")]


@pytest.mark.requirement("AUTH-7")
@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize(
    ("narrowing", "seqs"),
    [
        ({}, [0, 2]),
        ({"seq_from": 1}, [2]),
        ({"seq_to": 1}, [0]),
        ({"seq_from": 2, "seq_to": 9}, [2]),
        ({"seq_from": 3}, []),
        ({"seq_from": 4}, None),
        ({"seq_from": 4, "seq_to": 9}, None),
        ({"seq_from": 100}, None),
    ],
)
def test_the_running_step_is_left_out(
    narrowing: dict[str, Any], seqs: list[int] | None, explicit: bool
) -> None:
    """The own session ends before its last step; a range within that is not asked for at all."""
    corpus = Corpus()
    caller = corpus.store.attach(header(CALLER), STEPS)
    target = {"session_id": CALLER} if explicit else {}
    ask = Ask("session_event_search", {"query": "rocket", **narrowing, **target})

    async def main() -> tuple[Outcome, list[str]]:
        async with watched(corpus.sources) as service:
            return await called(service, ask, caller), service.names

    outcome, names = asyncio.run(main())
    text = outcome.text or ""
    assert [seq for seq in range(6) if f" seq {seq}," in text] == (seqs or [])
    assert bool(names) == (seqs is not None)
    if not seqs:
        assert text.startswith("Nothing found.\nSearched: your own session, up to its running step")


@pytest.mark.requirement("AUTH-7", "AUTH-1")
def test_what_is_said_while_the_tool_runs_is_left_out() -> None:
    """The end is that of the log at entry: later steps and messages can't match either."""
    corpus = Corpus()
    caller = corpus.store.attach(header(CALLER), STEPS)

    def go_on(_number: int) -> None:
        caller.append("step/start", {"turn": 1, "step": 2})
        caller.append("user/message", STEPS[0].data, "append")

    async def main() -> Outcome:
        async with watched(corpus.sources) as service:
            service.before = go_on
            return await called(service, Ask("session_event_search", {"query": "rocket"}), caller)

    outcome = asyncio.run(main())
    assert outcome.text is not None
    assert outcome.text.count("user/message") == 2


@pytest.mark.requirement("AUTH-7")
def test_an_own_session_without_a_step_has_nothing_earlier() -> None:
    """Without a step there is no earlier part to search; other sessions need none."""
    corpus = Corpus()
    caller = corpus.store.attach(header(CALLER), log("rocket"))
    corpus.put(header("v0"), log("rocket"))

    async def main() -> None:
        async with watched(corpus.sources) as service:
            own = await called(service, Ask("session_event_search", {"query": "rocket"}), caller)
            assert own.code == "SESSION_QUERY_TOOL_NO_CURRENT_STEP"
            assert service.names == []
            ask = Ask("session_event_search", {"query": "rocket", "session_id": "v0"})
            assert (await called(service, ask, caller)).text is not None

    asyncio.run(main())
