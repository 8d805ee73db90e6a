"""`doctor` explains what is wrong, and proves that nothing deleted is left (CLI-5, INDEX-9)."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from session_query import SessionEvent

from ..corpora import CREATED, log
from .shells import Shell, damage


@pytest.fixture
def indexed(shell: Shell) -> Shell:
    """A sound store of some sessions, and its index."""
    for number in range(6):
        shell.say(f"s{number}", *(f"common word{number}x{n} text" for n in range(20)))
    assert shell.run("index").code == 0
    return shell


def problems(shell: Shell, *options: str) -> dict[str, Any]:
    """Return the problems that the doctor finds, by check; the exit code must fit."""
    outcome = shell.run("doctor", "--json", *options)
    found = {value["check"]: value for value in outcome.values if value["status"] == "problem"}
    assert outcome.code == (3 if found else 0)
    assert all(value["advice"] for value in found.values())
    return found


def notes(shell: Shell, *options: str) -> dict[str, Any]:
    """Return the notes that the doctor makes, by check."""
    values = shell.run("doctor", "--json", *options).values
    return {value["check"]: value for value in values if value["status"] == "note"}


def change(shell: Shell, *statements: str, **pragmas: str) -> None:
    """Change the index behind the engine's back."""
    with closing(sqlite3.connect(shell.index, isolation_level=None)) as connection:
        for name, value in pragmas.items():
            connection.execute(f"PRAGMA {name} = {value}")
        for statement in statements:
            connection.execute(statement)


@pytest.mark.requirement("CLI-5")
def test_all_is_well(indexed: Shell) -> None:
    """A sound store with its index has no problem and no note, verified or not."""
    for options in ([], ["--verify"], ["--rebuild", "--verify"]):
        assert problems(indexed, *options) == {}
        assert notes(indexed, *options) == {}
    assert "Everything is fine." in indexed.terminal("doctor").out


@pytest.mark.requirement("CLI-5")
def test_bad_logs_are_named_with_reason_and_line(indexed: Shell) -> None:
    """A damaged line, a header of another session, and a broken surface are each found."""
    damage(indexed.log_of("s1"))
    path = indexed.log_of("s2")
    path.write_bytes(path.read_bytes().replace(b'"id":"s2"', b'"id":"s9"', 1))
    indexed.write("invalid", [SessionEvent("step/start", 0, CREATED, {}, "append")])
    title = SessionEvent("session/title", 1, CREATED, {"title": 5})
    indexed.write("untitled", [*log("x"), title])
    values = indexed.run("doctor", "--json").values
    logs = {value["sessionId"]: value for value in values if "sessionId" in value}
    assert [logs[name].get("line") for name in ("s1", "s2", "invalid", "untitled")] == [
        2, 1, None, None,
    ]  # fmt: skip
    assert logs["untitled"]["status"] == "note"
    assert "event 0" in logs["invalid"]["message"]
    shown = indexed.terminal("doctor", environment={"NO_COLOR": "1"}).out
    assert "✗ s1, line 2: " in shown
    assert "→ no other log is affected" in shown


@pytest.mark.requirement("CLI-5")
def test_a_missing_store_or_index_is_told(shell: Shell) -> None:
    """Without an index that is a note, without a store a problem; both say what to do."""
    assert "session-query index" in notes(shell)["index.file"]["advice"]
    assert "verify" in problems(shell, "--verify")
    shell.root.rmdir()
    assert "--root" in problems(shell)["store.root"]["advice"]


@pytest.mark.requirement("CLI-5")
def test_what_is_no_index_is_told(indexed: Shell) -> None:
    """A foreign file and a damaged index are told apart; the latter is rebuilt on demand."""
    content = bytearray(indexed.index.read_bytes())
    content[100:4096] = b"\xff" * 3996
    indexed.index.write_bytes(content)
    assert "--rebuild" in problems(indexed)["index.file"]["advice"]
    assert problems(indexed, "--rebuild", "--verify") == {}
    assert [path.name for path in indexed.index.parent.iterdir()] == ["index.sqlite"]
    indexed.index.write_text("a letter")
    assert "--index" in problems(indexed)["index.file"]["advice"]
    assert indexed.run("doctor", "--rebuild").code == 3
    assert indexed.index.read_text() == "a letter"


@pytest.mark.requirement("CLI-5")
def test_damage_inside_the_index_is_found(indexed: Shell) -> None:
    """A broken page of a table, and a broken page of the inverted index, are each found."""
    sound = indexed.index.read_bytes()
    change(indexed, "UPDATE search_data SET block = x'00' WHERE id > 10")
    assert "index.fulltext" in problems(indexed)
    change(indexed, "UPDATE search_data SET block = zeroblob(20) WHERE id > 10")
    assert problems(indexed, "--verify").keys() & {"index.fulltext", "verify.terms"}
    indexed.index.write_bytes(sound)
    page = sound.rindex(b"common word")
    indexed.index.write_bytes(sound[:page] + b"\xff" * 64 + sound[page + 64 :])
    assert problems(indexed, "--verify")


@pytest.mark.requirement("CLI-5")
def test_what_is_worth_knowing_is_noted(indexed: Shell, tmp_path: Path) -> None:
    """Rights of others, sessions of other stores, free pages and other settings are noted."""
    indexed.index.chmod(0o644)
    assert "chmod 600" in notes(indexed)["index.mode"]["advice"]
    indexed.index.chmod(0o600)
    other = Shell(tmp_path / "store")
    other.index = indexed.index
    other.say("elsewhere", "x")
    other.run("index")
    assert "6 sessions are of other stores" in notes(other)["index.stores"]["message"]
    change(
        indexed, "CREATE TABLE types2(x)", "INSERT INTO types2 VALUES (zeroblob(9999999))",
        "DROP TABLE types2",
    )  # fmt: skip
    assert "free" in notes(indexed)["index.space"]["message"]
    change(indexed, "UPDATE settings SET value = '0' WHERE key = 'tokenizer'")
    assert "tokenizer" in notes(indexed)["index.schema"]["message"]
    change(indexed, user_version="0")
    assert "schema version 0" in notes(indexed)["index.schema"]["message"]
    change(indexed, "CREATE TABLE strange(x)")
    assert "'strange'" in problems(indexed)["index.schema"]["message"]


@pytest.mark.requirement("CLI-5")
def test_new_and_grown_logs_are_a_note(indexed: Shell) -> None:
    """What the next search will index is no problem."""
    indexed.write("s1", [SessionEvent("x/y", 20, CREATED, {})])
    indexed.say("s9", "new")
    assert problems(indexed, "--verify") == {}
    assert "s1, s9" in notes(indexed, "--verify")["verify.sessions"]["message"]


@pytest.mark.requirement("CLI-5")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE documents SET time = time + 1 WHERE id = (SELECT min(id) FROM documents)",
        "UPDATE documents SET type = 0 WHERE id = (SELECT min(id) FROM documents)",
        "UPDATE documents SET surface = 2 WHERE id = (SELECT min(id) FROM documents)",
        "UPDATE documents SET length = 1 WHERE id = (SELECT min(id) FROM documents)",
        "UPDATE texts SET text = 'other' WHERE id = (SELECT min(id) FROM texts)",
        "DELETE FROM texts WHERE id = (SELECT min(id) FROM texts)",
        "DELETE FROM documents WHERE id = (SELECT min(id) FROM documents)",
    ],
)
def test_an_index_that_says_otherwise_than_its_logs_is_found(
    indexed: Shell, statement: str
) -> None:
    """A row that differs from its log in text, length, time, type or surface is a problem."""
    change(indexed, statement)
    assert "verify.sessions" in problems(indexed, "--verify")


@pytest.mark.requirement("CLI-5", "INDEX-9")
def test_what_is_gone_from_the_store_is_found_until_it_is_forgotten(indexed: Shell) -> None:
    """A session that went and a log that lost text are found; `index` forgets, and proves to."""
    shutil.rmtree(indexed.log_of("s3").parent)
    shutil.rmtree(indexed.log_of("s4").parent)
    indexed.say("s4", "common word4x0 text")
    found = indexed.run("doctor", "--verify").rows
    told = [row[4] for row in found if row[1] == "verify.gone"]
    assert len(told) == 2
    assert "s4" in told[0]
    assert "s3" in told[1]
    assert indexed.run("index").code == 0
    assert problems(indexed, "--verify") == {}
    files = b"".join(path.read_bytes() for path in indexed.index.parent.iterdir())
    assert b"word3x" not in files
    assert b"word4x1" not in files
    assert b"word5x1" in files


@pytest.mark.requirement("INDEX-9")
def test_rows_of_no_session_are_found(indexed: Shell) -> None:
    """Texts and events that belong to no session are a problem."""
    change(indexed, "INSERT INTO texts VALUES (123456789, 'forgotten secret')")
    assert "1 texts of no event" in problems(indexed, "--verify")["verify.rows"]["message"]
    change(indexed, "DELETE FROM texts WHERE id = 123456789")
    change(indexed, "DELETE FROM sessions WHERE session_id = 's0'")
    assert "20 rows of no session" in problems(indexed, "--verify")["verify.rows"]["message"]


@pytest.mark.requirement("INDEX-9")
def test_a_word_of_no_text_is_found(indexed: Shell) -> None:
    """An entry of the inverted index whose text is not there is a problem."""
    change(indexed, "INSERT INTO search(rowid, text) VALUES (123456789, 'forgotten secret')")
    assert "2 occurrences" in problems(indexed, "--verify")["verify.terms"]["message"]


@pytest.mark.requirement("INDEX-9")
def test_a_deleted_word_that_is_only_hidden_is_found(indexed: Shell) -> None:
    """A word that no query shows any more, but that still stands in the file, is a problem."""
    forgotten = "(rowid, text) VALUES (123456789, 'forgotten secret')"
    change(indexed, f"INSERT INTO search{forgotten}")
    change(
        indexed,
        "INSERT INTO search(search, rowid, text) VALUES ('delete', 123456789, 'forgotten secret')",
    )
    assert b"forgotten" in indexed.index.read_bytes()
    found = problems(indexed, "--verify")
    assert "2 entries of deleted texts, and 2 marks" in found["verify.hidden"]["message"]
    change(indexed, "INSERT INTO search(search) VALUES ('optimize')", secure_delete="ON")
    assert "verify.hidden" not in problems(indexed, "--verify")


@pytest.mark.requirement("INDEX-9")
def test_a_free_page_that_is_not_overwritten_is_found(indexed: Shell) -> None:
    """Text in a page that SQLite only marked as free is a problem."""
    change(
        indexed, "CREATE TABLE t(x)", "INSERT INTO t VALUES (printf('%99999s', 'secret'))",
        "DROP TABLE t", secure_delete="OFF",
    )  # fmt: skip
    assert "not overwritten" in problems(indexed, "--verify")["verify.rest"]["message"]
    assert indexed.run("doctor", "--rebuild").code == 0


@pytest.mark.requirement("INDEX-9")
def test_text_beside_the_index_is_found(indexed: Shell) -> None:
    """A write-ahead log with content, and a damaged file that was set aside, are problems."""
    aside = indexed.index.with_name(f"{indexed.index.name}.damaged-1-2")
    aside.write_bytes(b"secret")
    assert problems(indexed, "--verify").keys() == {"index.aside", "verify.rest"}
    aside.unlink()
    with closing(sqlite3.connect(indexed.index)) as connection:
        connection.execute("UPDATE settings SET value = '1' WHERE key = 'purge'")
        connection.commit()
        assert {"index.wal", "index.purge"} <= notes(indexed, "--verify").keys()
        assert "-wal" in problems(indexed, "--verify")["verify.rest"]["message"]
    assert indexed.run("index").code == 0
    assert problems(indexed, "--verify") == {}
