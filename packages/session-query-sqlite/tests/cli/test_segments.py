"""The segments of FTS5 are read as FTS5 writes them, whatever was added, deleted and merged."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from session_query_sqlite._free_pages import free_pages
from session_query_sqlite._segments import entries, separators

WORDS = ["a", "ab", "abc", "é", "权限", "word" * 20, *(f"w{number}" for number in range(40))]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join) | st.builds(
    lambda word, size: f"{word} " * size, st.sampled_from(WORDS), st.integers(1, 3000)
)


@pytest.mark.requirement("INDEX-9")
@settings(max_examples=60)
@given(st.data())
def test_the_segments_hold_the_present_entries_and_what_hides_deleted_ones(
    data: st.DataObject,
) -> None:
    """Entries are those that were ever added, marks those of deleted texts, until all is merged."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE VIRTUAL TABLE s USING fts5(text, content='', tokenize='ascii')")
        connection.execute("INSERT INTO s(s, rank) VALUES ('pgsz', 64)")
        connection.execute("INSERT INTO s(s, rank) VALUES ('automerge', 0)")
        connection.execute("INSERT INTO s(s, rank) VALUES ('crisismerge', 1900)")
        present: dict[int, str] = {}
        added: Counter[tuple[bytes, int]] = Counter()
        deleted: Counter[tuple[bytes, int]] = Counter()
        for text in data.draw(st.lists(TEXTS, min_size=1, max_size=12)):
            key = data.draw(st.integers(1, 1 << 40).filter(lambda key: key not in present))
            connection.execute("INSERT INTO s(rowid, text) VALUES (?, ?)", (key, text))
            added.update({(word.encode(), key): 1 for word in set(text.split())})
            present[key] = text
            if data.draw(st.booleans()):
                gone = data.draw(st.sampled_from(sorted(present)))
                old = present.pop(gone)
                connection.execute(
                    "INSERT INTO s(s, rowid, text) VALUES ('delete', ?, ?)", (gone, old)
                )
                deleted.update({(word.encode(), gone): 1 for word in set(old.split())})
        found = list(entries(connection, "s_data"))
        assert Counter(entry[:2] for entry in found if not entry.deleted) == added
        assert Counter(entry[:2] for entry in found if entry.deleted) == deleted
        connection.execute("INSERT INTO s(s) VALUES ('optimize')")
        merged = list(entries(connection, "s_data"))
        assert {entry[:2] for entry in merged} == {
            (word.encode(), key) for key, text in present.items() for word in text.split()
        }
        assert not any(entry.deleted for entry in merged)
        terms = {entry.term for entry in merged}
        assert all(
            any(term.startswith(beginning) for term in terms)
            for beginning in separators(connection, "s_idx")
        )


@pytest.mark.requirement("INDEX-9")
@pytest.mark.parametrize(
    "block", [b"", b"\0\0", b"\0\0\xff\xff", b"\0\0\0\x09\x30\x7f" + b"\xff" * 9]
)
def test_a_page_that_is_none_is_an_error(block: bytes) -> None:
    """A page that breaks the format is a ValueError, and never an endless loop."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE d(id INTEGER PRIMARY KEY, block)")
        connection.execute("INSERT INTO d VALUES (?, ?)", ((1 << 37) + 1, block))
        with pytest.raises(ValueError, match="malformed"):
            list(entries(connection, "d"))


@pytest.mark.requirement("INDEX-9")
@pytest.mark.parametrize("overwritten", [True, False])
@pytest.mark.parametrize("page_size", [512, 4096, 65536])
def test_free_pages_are_looked_at_one_by_one(
    tmp_path: Path, overwritten: bool, page_size: int
) -> None:
    """Each free page that still holds text is told, however long their list is."""
    path = tmp_path / "file"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {page_size}")
        connection.execute(f"PRAGMA secure_delete = {overwritten}")
        connection.execute("CREATE TABLE t(x)")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO t VALUES (?)", [("secret " * 100,)] * 900)
        connection.execute("COMMIT")
        connection.execute("DELETE FROM t")
        (count,) = connection.execute("PRAGMA freelist_count").fetchone()
    descriptor = os.open(path, os.O_RDONLY)
    found = free_pages(descriptor)
    os.close(descriptor)
    assert found.free == count > 2
    assert bool(found.dirty) is not overwritten
