"""What is logged of sessions that a listing leaves out."""

from __future__ import annotations

import asyncio
import logging

import pytest
from session_query.errors import ErrorCode

from .engines import engine_over
from .logs import header
from .scripted_persistence import ScriptedPersistence


@pytest.mark.requirement("CORPUS-3", "ERR-5")
def test_a_conflict_blinds_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """An id with incompatible headers is left out, with one record however often it is listed."""
    persistence = ScriptedPersistence([(header("x\n", cwd="/one"), []), (header("y"), [])])
    engine = engine_over(persistence, [(header("x\n", cwd="/two"), [])])
    with caplog.at_level(logging.WARNING, "session_query"):
        for _ in range(3):
            assert [found.id for found in asyncio.run(engine.list_sessions())] == ["y"]
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert record.name == "session_query"
    assert vars(record)["session_id"] == "x\\n"
    assert vars(record)["code"] == ErrorCode.SOURCE_CONFLICT
    assert "cwd" in record.getMessage()
    assert "\n" not in record.getMessage()
