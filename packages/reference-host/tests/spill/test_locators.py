"""Locators: the same length everywhere, and none leads out of the root."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference_host.spill._locators import folder_of, parse_locator, place_of

from ..texts import TEXTS

LOCATOR = re.compile(r"spill:session-[0-9a-f]{16}/[0-9a-f]{16}-[A-Za-z0-9._-]{1,48}")
TOKEN = "0123456789abcdef"
GOOD = f"spill:session-{TOKEN}/{TOKEN}-x"


@pytest.mark.requirement("SPILL-1")
@given(session_id=TEXTS, name=TEXTS)
@example(session_id="../..", name="../../etc/passwd")
@example(session_id="/", name="")
@example(session_id="", name="..")
@example(session_id="\ud800", name="x" * 300)
def test_any_id_and_name_give_a_locator(session_id: str, name: str) -> None:
    """Whatever a session and a text are called, the locator names one file in one folder."""
    place = place_of(folder_of(session_id), TOKEN, name)
    assert LOCATOR.fullmatch(place.locator)
    assert "/" not in place.folder + place.name
    assert parse_locator(place.locator) == place


@pytest.mark.requirement("SPILL-1")
@given(session_id=TEXTS, other=TEXTS, name=TEXTS)
def test_the_length_depends_on_the_name_alone(session_id: str, other: str, name: str) -> None:
    """Two sessions' locators of one name are equally long, and their folders differ."""
    one = place_of(folder_of(session_id), TOKEN, name)
    two = place_of(folder_of(other), TOKEN[::-1], name)
    assert len(one.locator) == len(two.locator)
    assert (one.folder == two.folder) == (session_id == other)


@pytest.mark.requirement("SPILL-1", "SPILL-4")
@given(TEXTS | st.from_regex(r"spill:session-[0-9a-f./]{14,18}/[0-9a-f./]{14,18}-?[a-z./\n]*"))
def test_no_other_text_is_a_locator(text: str) -> None:
    """Only what has exactly the form of a locator is taken for one."""
    assert (parse_locator(text) is not None) == (LOCATOR.fullmatch(text) is not None)


@pytest.mark.requirement("SPILL-1", "SPILL-4")
@pytest.mark.parametrize(
    "hostile",
    [
        GOOD.removeprefix("spill:"),
        f"spill:{GOOD}",
        f"{GOOD}\n",
        f"{GOOD}\0",
        f"{GOOD}/../x",
        f"{GOOD}/",
        f" {GOOD}",
        GOOD.upper(),
        GOOD.replace("/", "//"),
        GOOD.replace("/", "/../"),
        GOOD.replace("0", "٠"),
        f"spill:session-{TOKEN}/..",
        f"spill:session-{TOKEN}/{TOKEN}-",
        f"spill:../{TOKEN}-x",
        f"spill:/etc/{TOKEN}-x",
        f"spill:session-{TOKEN}",
        "spill:",
        "",
    ],
)
def test_hostile_locators(hostile: str) -> None:
    """A text that comes close to a locator is none."""
    assert parse_locator(GOOD) is not None
    assert parse_locator(hostile) is None


@pytest.mark.parametrize(
    "token", ["", "0" * 15, "0" * 17, "0" * 15 + "/", "0" * 15 + "G", "0" * 16 + "-x"]
)
def test_a_token_that_is_none(token: str) -> None:
    """A token that would give a name of another form is refused."""
    with pytest.raises(ValueError, match="16 hexadecimal digits"):
        place_of(folder_of("s"), token, "x")
