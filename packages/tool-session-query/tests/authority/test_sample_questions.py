"""Questions as models write them, asked of the sample store (INPUT-6)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from session_query import JsonlPersistence, SessionSources, SessionStore

from .calling import Ask, called, watched

API, CONSOLE, RIGHTS = "/srv/orbit/launch-api", "/srv/orbit/console", "/srv/工具/权限服务"

QUESTIONS = [
    (API, "why does the login test fail sometimes?", "flaky-login-7c1e"),
    (API, "clock read twice expiry token second", "flaky-login-7c1e"),
    (API, "launched rocket webhook sent twice", "rocket-launched-2e88"),
    (API, "Why was Nordlys charged twice for a launch?", "rocket-launched-2e88"),
    (API, "what should the limiter do when Redis is down", "rate-limiter-41f0"),
    (API, "how much slower is a Redis transaction than a script", "rate-limiter-41f0.1.1"),
    (API, "memory leak in the throttle dict", "rate-limiter-41f0.1"),
    (API, "Did the database migration wait for a lock?", "migration-0042-b93d"),
    (API, "daylight saving Wallops window hour late", "launch-window-c0d5"),
    (API, "replay of flights after the laptop rebooted", "launch-window-c0d5"),
    (API, "outbox crash announced again", "outbox-fork-90ab"),
    (CONSOLE, "login redirects in a circle", "019c41f6-2b70-7d3e-8f15-6a0c93e4d721"),
    (CONSOLE, "Zurich calendar shows a wrong date", "019c9a3d-51c8-7aa0-b2e4-0d7f18c6e935"),
    (CONSOLE, "429 倒计时 提示 中文", "retry-after-zh-77b2"),
    (RIGHTS, "工作区 前缀 检查 漏洞", "权限边界-5d2a"),
]


def first_three(cwd: str, query: str, match: str) -> Sequence[str]:
    """The ids of the best three hits for a new session of a workspace."""
    folder = Path(__file__).parents[4] / "fixtures" / "sessions"
    store = SessionStore()
    caller = store.create("new", cwd=cwd)

    async def main() -> str | None:
        async with watched(SessionSources(store, JsonlPersistence(folder))) as service:
            ask = Ask("session_search", {"query": query, "match": match})
            return (await called(service, ask, caller)).text

    return re.findall(r'^\d+\. session "(.*)"$', asyncio.run(main()) or "", re.MULTILINE)[:3]


@pytest.mark.requirement("INPUT-6")
@pytest.mark.parametrize(("cwd", "query", "expected"), QUESTIONS)
def test_a_question_that_is_no_phrase_finds_its_session(
    cwd: str, query: str, expected: str
) -> None:
    """What a person would expect is among the first three, though no log has the words in a row."""
    assert first_three(cwd, query, "phrase") == []
    assert expected in first_three(cwd, query, "auto")
