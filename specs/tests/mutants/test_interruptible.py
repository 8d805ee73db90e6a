"""A claim that depends on time is judged so that no stalled machine speaks against it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import pytest
from session_query import AbortSignal, SessionSearchPage, SessionSearchRequest
from session_query_specs.checks import CHECKS, capabilities
from session_query_specs.mutants.nulls import NullProvider
from session_query_specs.oracle import OracleEngine
from session_query_specs.running import PROFILES, Status, judge

CHECK: Final = CHECKS["CANCEL-6/interruptible"]
INDEXED: Final = CHECKS["CANCEL-6/indexed"]


class _Patient(OracleEngine):
    """Takes a while for each session, and looks at the signal in between."""

    stalls = 0.0

    async def _search_sessions(
        self, request: SessionSearchRequest | Mapping[str, Any], signal: AbortSignal | None
    ) -> SessionSearchPage:
        page = await super()._search_sessions(request, None)
        for _ in await self.list_sessions():
            await asyncio.sleep(0.005)
            if signal is not None and signal.aborted:
                await asyncio.sleep(self.stalls)
                signal.raise_if_aborted()
        return page


class _Looking(OracleEngine):
    """Looks at the signal while it waits, before it searches."""

    async def _search_sessions(
        self, request: SessionSearchRequest | Mapping[str, Any], signal: AbortSignal | None
    ) -> SessionSearchPage:
        for _ in await self.list_sessions():
            await asyncio.sleep(0.02)
            if signal is not None:
                signal.raise_if_aborted()
        return await super()._search_sessions(request, None)


class _Stalling(_Patient):
    """Ends late each time but the third."""

    tries = 0

    async def _search_sessions(
        self, request: SessionSearchRequest | Mapping[str, Any], signal: AbortSignal | None
    ) -> SessionSearchPage:
        _Stalling.tries += signal is not None
        self.stalls = 0.0 if _Stalling.tries == 3 else 0.3
        return await super()._search_sessions(request, signal)


@pytest.mark.requirement("CONF-3")
@pytest.mark.parametrize("engine", [_Patient, _Stalling])
def test_who_ends_at_once_is_interruptible(engine: type[OracleEngine]) -> None:
    """One of several tries that ends in time is enough."""
    _Stalling.tries = 0
    result = judge(CHECK, NullProvider("patient", engine), "nulls:Null", PROFILES["quick"], 0)
    assert result.status is Status.PASSED
    assert _Stalling.tries == (3 if engine is _Stalling else 0)


@pytest.mark.requirement("CONF-3")
def test_a_later_search_ends_at_once_as_well() -> None:
    """Whoever looks at the signal in each search passes, and was asked to end one."""
    provider = NullProvider("looking", _Looking)
    result = judge(INDEXED, provider, "nulls:Null", PROFILES["quick"], 0)
    assert result.status is Status.PASSED
    assert not result.situations


@pytest.mark.requirement("CONF-3")
def test_who_is_too_fast_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that searches the largest corpus sooner than asked passes, which is noted."""
    monkeypatch.setattr(capabilities, "_MOST_INDEXED", 250)
    monkeypatch.setattr(capabilities, "_LEAST", 250)
    provider = NullProvider("fast", OracleEngine)
    result = judge(INDEXED, provider, "nulls:Null", PROFILES["quick"], 0)
    assert result.status is Status.PASSED
    assert [*result.situations] == [
        "a search of the largest corpus that ends too soon to be aborted"
    ]


@pytest.mark.requirement("CONF-3")
def test_who_ends_late_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever needs a part of the search to notice an abort never passes."""
    monkeypatch.setattr(_Patient, "stalls", 0.15)
    provider = NullProvider("late", _Patient)
    result = judge(CHECK, provider, "nulls:Null", PROFILES["quick"], 0, shrink=False)
    assert result.status is Status.FAILED
    assert result.finding is not None
    assert result.finding.expected == "an end within 100 ms of the abort"
