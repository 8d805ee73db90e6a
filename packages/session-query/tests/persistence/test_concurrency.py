"""Appends and reads of one process that overlap, and those that are called off."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from pathlib import Path

import pytest
from session_query.cancellation import AbortController
from session_query.errors import PersistenceNotFoundError
from session_query.persistence import JsonlPersistence

from .stores import (
    COMPRESSIONS,
    HEADER,
    Compression,
    append,
    events,
    header_line,
    inspect,
    lines,
    put,
)


@pytest.mark.requirement("LOG-21")
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_appends_take_effect_in_the_order_of_their_calls(
    tmp_path: Path, compression: Compression
) -> None:
    """Appends to one session that are under way together are written one after the other."""

    async def run() -> None:
        async with JsonlPersistence(tmp_path, compression) as store:
            headers = [replace(HEADER, id=name) for name in "abc"]
            await asyncio.gather(
                *(
                    store.append(header, events(seq, seq + 2))
                    for seq in range(0, 20, 2)
                    for header in headers
                )
            )

    asyncio.run(run())
    for name in "abc":
        assert list(inspect(tmp_path, name).events) == events(0, 20)


@pytest.mark.requirement("LOG-16", "LOG-21")
def test_flush_waits_for_what_was_accepted(tmp_path: Path) -> None:
    """When it returns, the batches that were given before are in the log."""

    async def run() -> None:
        async with JsonlPersistence(tmp_path) as store:
            await store.flush()
            appends = [
                asyncio.ensure_future(store.append(HEADER, events(n, n + 1))) for n in range(5)
            ]
            await asyncio.sleep(0)
            await store.flush()
            assert [*(await JsonlPersistence(tmp_path).inspect("s")).events] == events(0, 5)
            assert all(task.done() for task in appends)

    asyncio.run(run())


@pytest.mark.requirement("LOG-21")
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_cancelled_append_has_written_all_or_nothing(
    tmp_path: Path, compression: Compression
) -> None:
    """Whenever an append is cancelled, its batch is complete or absent when that is known."""
    chance = random.Random(7)

    async def stored() -> int:
        try:
            return len((await JsonlPersistence(tmp_path).inspect("s")).events)
        except PersistenceNotFoundError:
            return 0

    async def run() -> None:
        outcomes = set()
        async with JsonlPersistence(tmp_path, compression) as store:
            count = 0
            for _ in range(60):
                batch = events(count, count + 50)
                task = asyncio.ensure_future(store.append(HEADER, batch))
                for _ in range(chance.randrange(6)):
                    await asyncio.sleep(0)
                in_time = task.cancel()
                await asyncio.wait([task])
                # a thread may have been faster than the turns of the loop
                assert task.cancelled() if in_time else task.exception() is None
                found = await stored()
                assert found in ((count, count + 50) if in_time else (count + 50,))
                outcomes.add(found - count)
                count = found
        # one that is cancelled in its first turn is never written
        assert 0 in outcomes

    asyncio.run(run())


@pytest.mark.requirement("LOG-16")
def test_an_aborted_read_ends_early(tmp_path: Path) -> None:
    """Whatever a read is doing, an abort ends it with the reason, and cancellation ends it too."""
    put(tmp_path, header_line() + lines(events(0, 30_000)))
    reason = RuntimeError("enough")

    async def run() -> None:
        store = JsonlPersistence(tmp_path)
        revision = (await store.inspect("s")).revision
        with (tmp_path / "--w--/s/session.jsonl").open("ab") as file:
            file.write(lines(events(30_000, 30_001)))
        for reading in (
            store.list,
            store.list_snapshots,
            lambda signal: store.inspect("s", signal),
            lambda signal: store.inspect_tail("s", revision, signal),
        ):
            for early in (True, False):
                controller = AbortController()
                if early:
                    controller.abort(reason)
                task = asyncio.ensure_future(reading(controller.signal))
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                controller.abort(reason)
                with pytest.raises(RuntimeError) as caught:
                    await task
                assert caught.value is reason
            cancelled = asyncio.ensure_future(reading(AbortController().signal))
            await asyncio.sleep(0)
            cancelled.cancel()
            with pytest.raises(asyncio.CancelledError):
                await cancelled
        assert len((await store.inspect("s")).events) == 30_001
        assert await store.list() == [HEADER]

    asyncio.run(run())


@pytest.mark.requirement("LOG-16", "LOG-22")
def test_a_store_serves_one_event_loop_after_another(tmp_path: Path) -> None:
    """An object outlives the loop that it was first used on."""
    store = JsonlPersistence(tmp_path)
    for count in range(3):

        async def use(count: int = count) -> None:
            await asyncio.gather(
                *(store.append(HEADER, events(n, n + 1)) for n in range(count * 3, count * 3 + 3))
            )
            await store.flush()
            assert len(await store.list()) == 1

        asyncio.run(use())
    asyncio.run(store.close())
    append(tmp_path, events(9, 10))
    assert list(inspect(tmp_path).events) == events(0, 10)


@pytest.mark.requirement("LOG-22")
def test_listings_may_overlap(tmp_path: Path) -> None:
    """Listings that run at the same time, and inspections meanwhile, tell the same."""
    for number in range(200):
        put(tmp_path, header_line(replace(HEADER, id=f"s{number}")), directory=f"s{number}")

    async def run() -> None:
        store = JsonlPersistence(tmp_path)
        first, *others = await asyncio.gather(
            *(store.list_snapshots() for _ in range(4)), *(store.list_snapshots() for _ in range(4))
        )
        assert len(first) == 200
        assert all(other == first for other in others)

    asyncio.run(run())
