"""Checks that hold searches come to an end themselves."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from session_query import AbortSignal, SessionSearchPage
from session_query_specs.checks import CHECKS, _held
from session_query_specs.mutants.nulls import NullProvider, Raises
from session_query_specs.oracle import OracleEngine
from session_query_specs.running import PROFILES, Status, judge


class _NeverAnswers(Raises):
    """Waits for ever, and asks no store."""

    async def search_sessions(
        self, request: Any, signal: AbortSignal | None = None
    ) -> SessionSearchPage:
        del request, signal
        await asyncio.Event().wait()
        raise AssertionError


class _StopsAsking(OracleEngine):
    """Answers one search, and waits for ever with the next one."""

    async def _search_sessions(self, request: Any, signal: AbortSignal | None) -> SessionSearchPage:
        if self._orders:
            await asyncio.Event().wait()
        return await super()._search_sessions(request, signal)


@pytest.mark.requirement("CONF-12")
@pytest.mark.parametrize("engine", [_NeverAnswers, _StopsAsking])
@pytest.mark.parametrize("name", ["CANCEL-6/waiting", "RECON-7/closing"])
def test_no_check_waits_for_ever(name: str, engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that never asks the store and never ends fails the check that waits for it."""
    monkeypatch.setattr(_held, "_PATIENCE", 0.05)
    provider = NullProvider("waiting", engine)
    result = judge(CHECKS[name], provider, "nulls:Null", PROFILES["quick"], 0, shrink=False)
    assert result.status is Status.FAILED
    assert result.finding is not None
    assert "did not end" in result.finding.got or "neither did" in result.finding.got
