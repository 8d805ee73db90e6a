"""Sessions are made, forked, listed and renamed; what is not theirs is refused."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_host.errors import SessionError
from session_query import (
    AbortSignal,
    PersistenceCorruptionError,
    fold_title,
)
from session_query_specs.loop import run

from ..opening import CWD, opened, world
from ..scripted_model import ScriptedModel
from ..valid_logs import check_log
from .refusals import refused
from .stored import later, stored_session


@pytest.mark.requirement("HOST-3")
def test_a_session_is_stored_by_its_first_turn() -> None:
    """One that was only made leaves nothing behind."""

    async def main() -> None:
        async with world(ScriptedModel()) as (made, session):
            assert made.host.sessions.get(session.id) is session
        assert not await made.stored.list()
        with pytest.raises(SessionError, match="load it first"):
            made.host.sessions.get(session.id)

    run(main).result()


@pytest.mark.requirement("ACP-1")
@pytest.mark.parametrize("cwd", ["", "project", "./project", "~", "/ok\0", "C:\\work"])
def test_a_directory_must_be_absolute(cwd: str) -> None:
    """No session begins in a directory whose meaning depends on where the host runs."""

    async def main() -> None:
        async with opened(ScriptedModel()) as made:
            with pytest.raises(SessionError, match="absolute"):
                made.host.sessions.create(cwd)

    run(main).result()


@pytest.mark.requirement("ACP-1")
@pytest.mark.parametrize("cwd", ["/elsewhere", f"{CWD}/", f"{CWD}/below", "", CWD.upper()])
@pytest.mark.parametrize("is_open", [True, False])
def test_a_session_of_another_directory_is_refused(cwd: str, is_open: bool) -> None:
    """Neither loading nor forking takes one up under another directory, open or not."""

    async def main() -> None:
        stored, session_id = await stored_session(cut=5)
        async with later(stored) as made:
            sessions = made.host.sessions
            if is_open:
                await sessions.load(session_id, CWD)
            count = stored.appends
            await refused(sessions.load(session_id, cwd), "SESSION_CWD_MISMATCH")
            await refused(sessions.fork(session_id, cwd), "SESSION_CWD_MISMATCH")
            assert stored.appends == count

    run(main).result()


@pytest.mark.parametrize("operation", ["load", "fork", "rename"])
def test_a_session_that_is_not_there_or_not_whole_is_refused(operation: str) -> None:
    """What is missing, damaged and unreadable has a code of its own, and opens nothing."""
    damage: dict[str, BaseException] = {
        "SESSION_CORRUPT": PersistenceCorruptionError("id-0", 3, "a gap"),
        "SESSION_UNREADABLE": OSError("no disk"),
    }

    async def main() -> None:
        stored, session_id = await stored_session()
        async with later(stored) as made:
            sessions = made.host.sessions
            call: Callable[[str], Awaitable[object]] = {
                "load": lambda name: sessions.load(name, None),
                "fork": lambda name: sessions.fork(name, None),
                "rename": lambda name: sessions.rename(name, "a title"),
            }[operation]
            await refused(call("gone"), "SESSION_NOT_FOUND")
            for code, error in damage.items():

                async def fail(
                    what: str, signal: AbortSignal | None, error: BaseException = error
                ) -> None:
                    del what, signal
                    raise error

                stored.before = fail
                await refused(call(session_id), code)
                stored.before = None
                with pytest.raises(SessionError):
                    sessions.get(session_id)

    run(main).result()


@pytest.mark.requirement("ACP-1")
def test_a_fork_is_stored_at_once_and_its_parent_stays_as_it_is() -> None:
    """It has a new id, the directory and events of its parent, and a turn of its own."""

    async def main() -> None:
        stored, session_id = await stored_session(cut=6)
        async with later(stored) as made:
            child = await made.host.sessions.fork(session_id, CWD)
            parent = made.durable(made.host.sessions.get(session_id))
            log = made.durable(child)
            assert log[:-1] == parent
            assert (log[-1].type, child.live.header.parent_session) == (
                "session/end-seed",
                session_id,
            )
            assert child.live.header.seed_length == len(parent)
            await made.turn(child)
            assert made.durable(made.host.sessions.get(session_id)) == parent
            check_log(made.durable(child))

    run(main).result()


@pytest.mark.requirement("HOST-7")
def test_a_rename_is_stored_at_once_and_shown_in_listings() -> None:
    """The title is trimmed, logged as the user's, and may be given to one that is not open."""

    async def main() -> None:
        stored, session_id = await stored_session()
        async with later(stored) as made:
            await made.host.sessions.rename(session_id, "\u3000 My plans \n")
            title = fold_title(stored.durable(session_id))
            assert title is not None
            assert (title.title, title.source) == ("My plans", {"kind": "user"})
            [found], more = await made.host.sessions.list(CWD)
            assert (found.title, found.record.header.id, more) == ("My plans", session_id, False)
            for blank in ("", " \u2003\n"):
                await refused(made.host.sessions.rename(session_id, blank), "SESSION_INVALID_TITLE")

    run(main).result()


@pytest.mark.requirement("ACP-1")
@given(
    st.lists(st.tuples(st.sampled_from(["/a", "/a/", "/b"]), st.booleans()), max_size=7),
    st.sampled_from([None, "/a", "/c"]),
    st.integers(1, 3),
)
def test_listing_by_pages_gives_each_session_of_a_directory_once(
    made_of: list[tuple[str, bool]], cwd: str | None, limit: int
) -> None:
    """Newest first, live and stored alike, whatever the size of a page."""

    async def main() -> None:
        async with opened(ScriptedModel()) as made:
            sessions = made.host.sessions
            expected: list[str] = []
            for where, kept in made_of:
                session = sessions.create(where)
                await made.turn(session)
                if not kept:
                    await sessions.release(session.id)
                if cwd in {None, where}:
                    expected.insert(0, session.id)
            found: list[str] = []
            after, more = None, True
            while more:
                page, more = await sessions.list(cwd, after=after, limit=limit)
                assert len(page) == limit or not more
                found += [one.record.header.id for one in page]
                if page:
                    last = page[-1].record.header
                    after = (last.created_at, last.id)
            assert found == expected

    run(main).result()
