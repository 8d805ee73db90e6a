"""A subject that comes to no end fails its check, and the run comes to its own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from dataclasses import replace
from typing import Any, Final

import pytest
from session_query import AbortSignal, SessionQueryEngine, SessionSearchPage, SessionSources
from session_query_specs import ProviderUnderTest, SuiteConfig
from session_query_specs.checks import CHECKS
from session_query_specs.loop import PATIENCE, HungError, run_in_time
from session_query_specs.oracle import Oracle, OracleEngine
from session_query_specs.running import PROFILES, Status, judge, run_conformance

from ..cards.programs import ended
from ..hosts.broken import Tools

QUICK: Final = replace(PROFILES["quick"], patience=0.3)
JUDGED: Final = ["SEARCH-1/finds", "READ-1/reads"]


async def for_ever() -> None:
    """Wait, and take no cancellation for an answer while the loop goes on."""
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            continue


class _InSearch(OracleEngine):
    async def search_sessions(
        self, request: Any, signal: AbortSignal | None = None
    ) -> SessionSearchPage:
        del request, signal
        await asyncio.Event().wait()
        raise AssertionError


class _InClose(OracleEngine):
    async def close(self) -> None:
        await asyncio.Event().wait()


class _InThreads(OracleEngine):
    async def search_sessions(
        self, request: Any, signal: AbortSignal | None = None
    ) -> SessionSearchPage:
        await asyncio.to_thread(time.sleep, 1.5)
        return await super().search_sessions(request, signal)


class _Swallowing(OracleEngine):
    async def search_sessions(
        self, request: Any, signal: AbortSignal | None = None
    ) -> SessionSearchPage:
        del request, signal
        await for_ever()
        raise AssertionError


class HangsInSearch(Oracle):
    """Never answers a search."""

    engine = _InSearch


class HangsInClose(Oracle):
    """Never closes."""

    engine = _InClose


class HangsInThreads(Oracle):
    """Searches in a thread that goes on and on."""

    engine = _InThreads


class Swallows(Oracle):
    """Never answers a search, and takes no cancellation."""

    engine = _Swallowing


class HangsInOpen(ProviderUnderTest):
    """Never opens."""

    name = "hangs in open"

    async def open(self, sources: SessionSources, config: SuiteConfig) -> SessionQueryEngine:
        del sources, config
        await asyncio.Event().wait()
        raise AssertionError


class LeavesATask(Oracle):
    """Works, and leaves a task behind that takes no cancellation."""

    async def open(self, sources: SessionSources, config: SuiteConfig) -> SessionQueryEngine:
        self.left = asyncio.ensure_future(for_ever())
        return await super().open(sources, config)


@pytest.mark.requirement("CONF-12")
@pytest.mark.parametrize(
    ("subject", "got", "place"),
    [
        (HangsInSearch, "none, waiting at", "in _InSearch.search_sessions"),
        (HangsInClose, "none, waiting at", "in _InClose.close"),
        (HangsInOpen, "none, waiting at", "in HangsInOpen.open"),
        (HangsInThreads, "none, though cancelled after that, waiting at", "in _InThreads.search"),
        (Swallows, "none, though cancelled after that, waiting at", "in for_ever"),
        (LeavesATask, "something left running that goes on though cancelled", "in for_ever"),
    ],
    ids=lambda given: getattr(given, "__name__", None),
)
def test_what_hangs_fails_its_check_and_the_run_goes_on(
    subject: type[ProviderUnderTest], got: str, place: str
) -> None:
    """The check says where the subject waits, one example was enough, and the next one runs."""
    report = run_conformance(subject, QUICK, only=JUDGED)
    first, second = (one for one in report.results if one.name in JUDGED)
    assert first.status is Status.FAILED
    assert first.examples == 1
    assert first.finding is not None
    assert first.finding.expected.startswith("an end within 0.")
    assert first.finding.got.startswith(got)
    assert "running/test_hanging.py:" in first.finding.got
    assert place in first.finding.got
    works = subject in {HangsInSearch, HangsInThreads, Swallows}
    assert second.status is (Status.PASSED if works else Status.FAILED)
    assert not report.passed


@pytest.mark.requirement("CONF-12")
def test_a_run_in_which_everything_hangs_ends() -> None:
    """After some checks that hung, the rest is told to be blocked by the first of them."""
    report = run_conformance(HangsInOpen, replace(QUICK, patience=0.05))
    failed = [one for one in report.results if one.status is Status.FAILED and one.hung]
    given_up = [one for one in report.results if "nothing more is tried" in one.reason]
    assert len(failed) == 10
    assert given_up
    assert {one.blocked_by for one in given_up} == {failed[0].name}
    assert all(one.finding and "in HangsInOpen.open" in one.finding.got for one in failed)


@pytest.mark.requirement("CONF-12")
def test_a_run_in_time_is_an_ordinary_one() -> None:
    """What ends in time returns or raises what it does; what it left is cancelled."""
    cancelled: list[str] = []

    async def left() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append("left")
            raise

    async def main() -> int:
        kept = asyncio.ensure_future(left())
        await asyncio.sleep(0)
        return len(str(kept)) and 3

    async def failing() -> int:
        await main()
        raise LookupError("as it is")

    assert run_in_time(main) == 3
    with pytest.raises(LookupError, match="as it is"):
        run_in_time(failing)
    assert cancelled == ["left", "left"]
    token = PATIENCE.set(0.05)
    try:
        with pytest.raises(HungError, match="none"):
            run_in_time(for_ever)
    finally:
        PATIENCE.reset(token)


class HangsWhereAsked(Tools):
    """Never answers a call."""

    async def call(self, *_: Any, **__: Any) -> Any:
        await asyncio.Event().wait()


@pytest.mark.requirement("CONF-15")
@pytest.mark.parametrize(
    ("subject", "check", "place"),
    [
        (HangsInSearch, "SEARCH-1/finds", "_InSearch.search_sessions"),
        (HangsInSearch, "RECON-1/replaced", "_InSearch.search_sessions"),
        (HangsInSearch, "CANCEL-3/quiescent", "_InSearch.search_sessions"),
        (HangsInClose, "READ-1/reads", "_InClose.close"),
        (HangsWhereAsked, "SAN-1/abort", "HangsWhereAsked.call"),
    ],
)
def test_the_program_of_what_hangs_ends(subject: Any, check: str, place: str) -> None:
    """It is judged within a limit, with the words of the card, and makes no call before."""
    where = f"{__name__}:{subject.__name__}"
    result = judge(CHECKS[check], subject(), where, QUICK, 0)
    assert result.finding is not None
    token = PATIENCE.set(QUICK.patience)
    try:
        ended_ = ended(result.finding.script)
    finally:
        PATIENCE.reset(token)
    assert ended_.code == 1
    assert f"{check} fails\nexpected: an end within 0.3 seconds\ngot: none" in ended_.said
    assert place in ended_.said


_IN_A_THREAD: Final = """
import asyncio
import threading

from session_query_specs.cli import main
from session_query_specs.oracle import Oracle, OracleEngine
from session_query_specs.running import PROFILES, Profile

PROFILES["smoke"] = Profile("smoke", 2, 5, 2, only=PROFILES["smoke"].only, patience=0.3)


class Engine(OracleEngine):
    async def search_sessions(self, request, signal=None):
        await asyncio.to_thread(threading.Event().wait)


class Hangs(Oracle):
    engine = Engine


if __name__ == "__main__":
    main(["smoke", "__main__:Hangs"])
"""


@pytest.mark.requirement("CONF-12")
def test_a_thread_that_never_ends_keeps_no_command_alive() -> None:
    """The command ends with its verdict, though a thread of the subject waits for ever."""
    ended = subprocess.run(
        [sys.executable, "-c", _IN_A_THREAD], capture_output=True, check=False, timeout=60
    )
    assert ended.returncode == 1
    assert b"got none, though cancelled after that" in ended.stdout
