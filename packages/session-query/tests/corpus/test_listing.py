"""Listing both sources as one corpus."""

from __future__ import annotations

import asyncio
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.corpus import SessionRecord
from session_query.errors import ErrorCode, SessionQueryError
from session_query.log import SessionHeader

from .engines import attach, engine_over
from .logs import conversation, header
from .scripted_persistence import ScriptedPersistence

IDS = st.sampled_from(["a", "b", "B", "é", "\ud800", "\U00010000", "\uffff"])
HEADERS = st.builds(
    header,
    IDS,
    st.integers(0, 3),
    cwd=st.sampled_from([None, "/w"]),
    origin=st.sampled_from([None, "subagent"]),
    delegation_depth=st.sampled_from([None, 0, 1]),
)


def by_id(headers: list[SessionHeader]) -> dict[str, SessionHeader]:
    """The first header of each id."""
    return {found.id: found for found in reversed(headers)}


@pytest.mark.requirement("CORPUS-2", "CORPUS-3", "CORPUS-6", "READ-1")
@given(st.lists(HEADERS, max_size=6), st.lists(HEADERS, max_size=6))
def test_a_listing_is_the_union_of_what_agrees(
    live: list[SessionHeader], stored: list[SessionHeader]
) -> None:
    """Each id that both sources agree on is one record: the live header, both availabilities."""
    own, kept = by_id(live), by_id(stored)
    persistence = ScriptedPersistence((found, []) for found in kept.values())
    engine = engine_over(persistence, [(found, []) for found in own.values()])
    expected = []
    for session_id in own.keys() | kept.keys():
        one, other = own.get(session_id), kept.get(session_id)
        if one and other and not one.compatible_with(other):
            continue
        chosen = one or other
        assert chosen is not None
        expected.append(SessionRecord(chosen, one is not None, other is not None))
    expected.sort(key=lambda record: [*map(ord, record.id)])
    expected.sort(key=lambda record: -record.header.created_at)
    assert asyncio.run(engine.list_sessions()) == expected
    assert persistence.names == ["list"]


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


@pytest.mark.requirement("CORPUS-3")
def test_two_stored_headers_of_one_id_conflict() -> None:
    """A store that lists one id with incompatible headers has not one session of that id."""
    persistence = ScriptedPersistence([(header("y"), [])])
    twins = [header("x", cwd="/one"), header("x", cwd="/two")]
    engine = engine_over(persistence)
    snapshots = asyncio.run(persistence.list_snapshots())
    kind = type(snapshots[0])
    persistence.answers["list"] = [*snapshots, *(kind(found, "1") for found in twins)]
    assert [found.id for found in asyncio.run(engine.list_sessions())] == ["y"]
    for name in ("read_session", "trace_session", "read_title"):
        with pytest.raises(SessionQueryError) as caught:
            asyncio.run(getattr(engine, name)("x"))
        assert caught.value.code is ErrorCode.SOURCE_CONFLICT


@pytest.mark.requirement("CORPUS-4", "ERR-2")
@pytest.mark.parametrize("failure", [OSError("disk"), RuntimeError(), ValueError(), KeyError("x")])
def test_an_unreadable_store_fails_every_listing(failure: Exception) -> None:
    """While the mounted store can't be listed, operations over the corpus raise, with its cause."""
    persistence = ScriptedPersistence()
    persistence.failures["list"] = failure
    engine = engine_over(persistence, [(header("a"), [])])
    for operation in (
        engine.list_sessions,
        lambda: engine.filter_sessions([]),
        lambda: engine.trace_session("a"),
    ):
        with pytest.raises(SessionQueryError) as caught:
            asyncio.run(operation())
        assert caught.value.code is ErrorCode.PERSISTENCE_FAILED
        assert caught.value.__cause__ is failure
    engine.sources.unmount()
    assert len(asyncio.run(engine.list_sessions())) == 1


@pytest.mark.requirement("CORPUS-2")
def test_a_session_that_moves_into_the_store_is_not_lost() -> None:
    """A session that its owner hands over to the store while that is listed is in the answer."""
    moving, staying = header("moving"), header("staying")
    persistence = ScriptedPersistence()
    engine = engine_over(persistence, [(moving, []), (staying, [])])

    def hand_over() -> None:
        persistence.at_end.clear()
        persistence.put(moving)
        engine.sources.store.detach("moving")

    persistence.at_end["list"] = hand_over
    records = asyncio.run(engine.list_sessions())
    assert records == [
        SessionRecord(moving, live=False, persisted=True),
        SessionRecord(staying, live=True, persisted=False),
    ]


@pytest.mark.requirement("CORPUS-1")
@pytest.mark.parametrize("action", ["mount", "unmount"])
def test_a_listing_keeps_to_the_store_it_began_with(action: str) -> None:
    """A store that is replaced or unmounted while it is listed still answers for that listing."""
    persistence, other = ScriptedPersistence([(header("a"), [])]), ScriptedPersistence()
    engine = engine_over(persistence)
    persistence.at_start["list"] = lambda: (
        engine.sources.mount(other) if action == "mount" else engine.sources.unmount()
    )
    assert [found.id for found in asyncio.run(engine.list_sessions())] == ["a"]
    assert asyncio.run(engine.list_sessions()) == []
    assert other.names == ["list"] * (action == "mount")


@pytest.mark.requirement("CORPUS-6")
def test_a_session_that_goes_live_meanwhile_is_listed_as_live() -> None:
    """The live sessions are those at the moment when the store has answered."""
    persistence = ScriptedPersistence([(header("a"), conversation("one"))])
    engine = engine_over(persistence)
    persistence.at_end["list"] = lambda: attach(engine, header("a"))
    assert asyncio.run(engine.list_sessions()) == [SessionRecord(header("a"), True, True)]
