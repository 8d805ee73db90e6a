"""A session has a title from its first turn on (HOST-7)."""

from __future__ import annotations

import asyncio

import pytest
from session_query import fold_title

from ..opening import world
from ..scripted_model import ScriptedModel
from .turns import turns_of


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("  Fix \n the   build ", "Fix the build"),
        ("a" * 70, "a" * 59 + "…"),
        ("word " * 20, "word word word word word word word word word word word word…"),
        ("   ", None),
    ],
)
def test_the_first_words_are_a_title_until_there_is_another(said: str, title: str | None) -> None:
    """The first message with words gives a title, no longer than a line; later ones do not."""
    log, _ = turns_of(ScriptedModel(), said)
    found = fold_title(log)
    assert (found and found.title) == title
    if found is not None:
        assert found.source == {"kind": "fallback"}
        [told] = [event.seq for event in log if event.type == "user/message"]
        assert found.message_seqs == (told,) or list(found.message_seqs) == [told]
    log, _ = turns_of(ScriptedModel(), said, "Other words")
    again = fold_title(log)
    assert again is not None
    assert again.title == (title or "Other words")


def test_a_name_of_the_users_own_stays() -> None:
    """No fallback title replaces the one that was given by hand, not even before the first turn."""

    async def main() -> str | None:
        async with world(ScriptedModel()) as (made, session):
            await made.host.sessions.rename(session.id, " Mine ")
            await made.turn(session, "Other words")
            found = fold_title(made.durable(session))
            return None if found is None else found.title

    assert asyncio.run(main()) == "Mine"
