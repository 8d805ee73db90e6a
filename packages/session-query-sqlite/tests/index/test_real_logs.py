"""Search over logs that others recorded; skipped where they are not at hand."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest
from session_query import (
    EventSearchRequest,
    JsonlPersistence,
    SessionHeader,
    SessionQueryError,
    SessionSearchRequest,
    semantic_documents,
    tokenize,
)
from session_query_sqlite import SqliteSessionQueryEngine

from ..corpora import engine_on
from ..corpora import log as message_log


async def found(engine: SqliteSessionQueryEngine, query: str) -> set[str]:
    """Return the ids of all sessions that a phrase finds."""
    page = await engine.search_sessions(SessionSearchRequest(query, limit=500))
    return {hit.id for hit in page.items}


def lay_out(root: Path, log: Path) -> str:
    """Put one log where a store keeps it, and return the id of its session."""
    with log.open("rb") as stream:
        header = json.loads(stream.readline().lstrip(b"\xef\xbb\xbf"))
    fields = {"cwd": header["cwd"]} if "cwd" in header else {}
    head = SessionHeader(version=0, id=header["id"], created_at=header["createdAt"], **fields)

    async def make() -> None:
        async with JsonlPersistence(root, compression="none") as persistence:
            await persistence.append(head, message_log("placeholder"))

    asyncio.run(make())
    (target,) = root.glob("*/*/session.jsonl")
    target.write_bytes(log.read_bytes())
    return head.id


@pytest.mark.requirement("SEARCH-4", "RECON-5", "INDEX-5")
def test_every_text_of_the_recorded_logs_is_found(real_data: Path, tmp_path: Path) -> None:
    """A few words in a row from any document find its session; a bad log hides no other."""

    async def run() -> None:
        persistence = JsonlPersistence(real_data / "dsh")
        rng = random.Random(5)
        async with engine_on(tmp_path / "index", persistence) as engine:
            report = await engine.refresh()
            assert report.skipped == ()
            # three ids stand in two places each, and are left out
            assert report.indexed == len(await persistence.list()) > 30
            for record in await engine.list_sessions():
                events = (await engine.read_session(record.id)).events
                documents = semantic_documents(record.id, events)
                for document in rng.sample(documents, min(3, len(documents))):
                    tokens = tokenize(document.text)
                    if not tokens:
                        continue
                    start = rng.randrange(len(tokens))
                    some = tokens[start : start + 5]
                    query = document.text[some[0].start : some[-1].end]
                    assert record.id in await found(engine, query), (record.id, document.seq)
                    page = await engine.search_events(
                        EventSearchRequest(record.id, query, limit=500)
                    )
                    assert document.seq in {hit.seq for hit in page.items}

    asyncio.run(run())


@pytest.mark.requirement("LOG-19", "SEARCH-9")
def test_raw_and_compressed_recordings_answer_alike(real_data: Path) -> None:
    """The same two sessions, stored raw and in frames, give equal answers."""

    async def ask(root: Path) -> list[Any]:
        async with engine_on(":memory:", JsonlPersistence(root)) as engine:
            pages = [
                await engine.search_sessions(SessionSearchRequest(query, match=match))
                for query in ("the", "fixture", "session log", "tool")
                for match in ("phrase", "any", "all")
            ]
            return [page.to_json() for page in pages]

    stores = real_data / "dsh-disk" / "ctx" / "v0"
    raw, compressed = (asyncio.run(ask(stores / kind / "sessions")) for kind in ("raw", "zstd"))
    assert raw == compressed
    assert any(page["items"] for page in raw)


@pytest.mark.requirement("LOG-23", "RECON-5", "SEARCH-6")
@pytest.mark.parametrize(
    ("file", "query"),
    [
        ("01-lone-surrogate/session.jsonl", "anchorword"),
        ("01-lone-surrogate/session.jsonl", "neighbourtoken"),
        ("07-fork-and-resume-copies/dsh-parent.jsonl", "sharedword"),
        ("07-fork-and-resume-copies/dsh-fork-seeded.jsonl", "sharedword"),
        ("12-json-edges/nested-1200.jsonl", "deepword"),
    ],
)
def test_hard_logs_are_searchable(real_data: Path, tmp_path: Path, file: str, query: str) -> None:
    """Lone surrogates, deep nesting and copied prefixes keep nothing from being found."""
    session_id = lay_out(tmp_path, real_data / "hard" / file)

    async def run() -> None:
        async with engine_on(":memory:", JsonlPersistence(tmp_path)) as engine:
            assert await found(engine, query) == {session_id}

    asyncio.run(run())


@pytest.mark.requirement("RECON-5", "ERR-2")
def test_no_hard_log_hides_the_others(real_data: Path, tmp_path: Path) -> None:
    """With every hard log in one store, the good ones are found and each bad one has its code."""
    ids = []
    for number, log in enumerate(sorted((real_data / "hard").glob("*/*.jsonl"))):
        root = tmp_path / str(number)
        try:
            ids.append((root, lay_out(root, log)))
        except (KeyError, ValueError):
            continue  # the log of another program
    assert len(ids) > 20

    async def run() -> None:
        for root, session_id in ids:
            async with engine_on(":memory:", JsonlPersistence(root)) as engine:
                report = await engine.refresh()
                assert report.indexed + len(report.skipped) <= 1
                try:
                    await engine.search_events(EventSearchRequest(session_id, "word"))
                except SessionQueryError as error:
                    assert error.code.startswith("SESSION_QUERY_")  # noqa: PT017 - may also pass

    asyncio.run(run())
