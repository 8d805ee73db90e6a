"""The one log record for what is left out."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from session_query import _diagnostics
from session_query._diagnostics import Diagnostics, escape_controls

from .values import TEXTS


@pytest.mark.requirement("ERR-5")
def test_one_record_for_a_cause_and_revision(caplog: pytest.LogCaptureFixture) -> None:
    """A repeated cause is silent; another session, cause or revision is not."""
    diagnostics = Diagnostics()
    for _ in range(3):
        for session_id, code, reason, revision in [
            ("a", "C", "r", "1"), ("b", "C", "r", "1"), ("a", "D", "r", "1"), ("a", "C", "q", "1"),
            ("a", "C", "r", "2"),
        ]:  # fmt: skip
            diagnostics.record(session_id, code, reason, revision)
    assert len(caplog.records) == 5
    record = caplog.records[0]
    assert (record.name, record.levelno) == ("session_query", logging.WARNING)
    assert record.getMessage() == "session a is left out: r (C)"
    assert vars(record)["session_id"] == "a"
    assert vars(record)["code"] == "C"


@pytest.mark.requirement("ERR-5", "LOG-23")
def test_control_characters_are_escaped(caplog: pytest.LogCaptureFixture) -> None:
    """No id and no reason can break a line or steer a terminal."""
    Diagnostics().record("a\x1b[2J\n", "C", "bad \u202e \ud800 é")
    assert caplog.records[0].getMessage() == (
        r"session a\x1b[2J\n is left out: bad \u202e \ud800 é (C)"
    )
    assert vars(caplog.records[0])["session_id"] == r"a\x1b[2J\n"


@pytest.mark.requirement("ERR-5", "LOG-23")
@given(TEXTS)
def test_any_text_becomes_printable(text: str) -> None:
    """Escaped text prints and encodes, and printable text is left alone."""
    escaped = escape_controls(text)
    assert escaped.isprintable()
    escaped.encode("utf-8")
    assert escape_controls(escaped) == escaped


@pytest.mark.requirement("ERR-5")
def test_memory_is_bounded(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The causes that were seen longest ago are forgotten first."""
    monkeypatch.setattr(_diagnostics, "_REMEMBERED", 2)
    diagnostics = Diagnostics()
    for session_id in ("a", "b", "a", "c", "a", "b"):
        diagnostics.record(session_id, "C", "r")
    assert [vars(record)["session_id"] for record in caplog.records] == ["a", "b", "c", "b"]
