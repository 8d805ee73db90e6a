"""`index` tells what it did, and what it skipped and why (CLI-5)."""

from __future__ import annotations

import shutil

import pytest

from .shells import Shell, damage


@pytest.fixture
def store(shell: Shell) -> Shell:
    """A store of five sessions: a damaged log, and one with a damaged header, among them."""
    for name in ("a", "b", "c", "broken", "headless"):
        shell.say(name, f"word of {name}")
    damage(shell.log_of("broken"))
    shell.log_of("headless").write_text("nonsense\n")
    return shell


@pytest.mark.requirement("CLI-5")
def test_the_report_tells_what_was_done(store: Shell) -> None:
    """Sessions are indexed once, unchanged then, and removed when their logs are gone."""

    def report() -> dict[str, int]:
        rows = store.run("index").rows
        return {row[0]: int(row[1]) for row in rows if row[1].isdigit()}

    assert report() == {"indexed": 3, "removed": 0, "unchanged": 0, "skipped": 2}
    store.say("d", "new")
    shutil.rmtree(store.log_of("a").parent)
    assert report() == {"indexed": 1, "removed": 1, "unchanged": 2, "skipped": 2}


@pytest.mark.requirement("CLI-5")
def test_each_skipped_session_has_its_reason(store: Shell) -> None:
    """A damaged log is named with what is wrong, also one that can't even be listed, each time."""
    for _ in range(2):
        outcome = store.run("index")
        skipped = {row[1]: row[2:] for row in outcome.rows if row[0] == "skipped" and len(row) > 2}
        assert skipped.keys() == {"broken", "headless"}
        assert skipped["broken"][0] == skipped["headless"][0] == "SESSION_QUERY_CORRUPT_SESSION"
        assert outcome.code == 0
        assert "line 2" in skipped["broken"][1]
        assert "line 1" in skipped["headless"][1]


@pytest.mark.requirement("CLI-3", "CLI-5")
def test_the_report_is_json_too(store: Shell) -> None:
    """With --json the report is one value: that of the engine, and the reasons."""
    [report] = store.run("index", "--json").values
    reasons = report.pop("reasons")
    assert [reason["sessionId"] for reason in reasons] == ["broken", "headless"]
    assert all(reason["code"] and reason["reason"] for reason in reasons)
    assert report == {
        "indexed": 3, "removed": 0, "unchanged": 0,
        "skipped": [["broken", "SESSION_QUERY_CORRUPT_SESSION"]],
    }  # fmt: skip


@pytest.mark.requirement("CLI-5")
def test_progress_is_shown_on_a_terminal_only(store: Shell) -> None:
    """A terminal sees a bar that comes to its end, and the report; a pipe sees the report alone."""
    shown = store.terminal("index").out
    assert "Indexing" in shown
    assert "4/4" in shown
    assert "3 indexed" in shown
    assert "broken" in shown
    piped = store.process("index")
    assert (piped.code, piped.err) == (0, "")
    assert "Indexing" not in piped.out
