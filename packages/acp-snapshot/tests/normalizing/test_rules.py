"""What a suite says is volatile, and what keys become."""

from __future__ import annotations

import pytest
from acp_snapshot.normalizing import (
    DEFAULT_VOLATILES,
    ZERO_TIME,
    Place,
    Rules,
    Volatile,
    normalize,
)

ONE = "3f1c2a9e-7d41-4b0a-9c55-0e8f6a2b7c11"


@pytest.mark.requirement("SNAP-3")
def test_an_empty_id_is_none() -> None:
    """An agent may answer an empty session id: it stands nowhere, and the rest is normalized."""
    value = {"sessionId": "", "a": "bc! x"}
    assert normalize(value, ids={"": "session", "x": "session"}) == {
        "sessionId": "",
        "a": "bc! <session-1>",
    }


@pytest.mark.requirement("SNAP-3")
@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("(?P<run>[a-z]*)", "it matches the empty text"),
        ("(?P<run>a)|$", "it matches the empty text"),
        ("(?P<run>[a-z]+", "no regular expression"),
        ("(?P<run>a)(?P<run>b)", "no regular expression: redefinition of group name 'run'"),
        ("a(?i)(?P<run>b)", "no regular expression: global flags"),
        ("(?P<id2>X[0-9]{3})", "words like `run_name`, not 'id2'"),
        ("(?P<ID>X[0-9]{3})", "words like `run_name`, not 'ID'"),
        ("(?P<_id>X[0-9]{3})", "words like `run_name`, not '_id'"),
        ("(?P<token_>X[0-9]{3})", "words like `run_name`, not 'token_'"),
    ],
)
def test_expressions_that_can_not_be_used(pattern: str, told: str) -> None:
    """What would match everywhere, or give tokens that aren't known for such, is refused."""
    with pytest.raises(ValueError, match=told):
        Volatile(pattern)


@pytest.mark.requirement("SNAP-3")
def test_kinds_and_names_that_can_not_be_used() -> None:
    """Kinds of ids and names of places are words, as a token has them."""
    with pytest.raises(ValueError, match="not 'Session 1'"):
        normalize("x", ids={"x": "Session 1"})
    with pytest.raises(ValueError, match="not 'Work'"):
        Place("Work", ("/a/b",))


@pytest.mark.requirement("SNAP-3")
@pytest.mark.parametrize(
    ("pattern", "text", "shown"),
    [
        (r"run-(?P<id>[0-9]{3})", f"run-123 {ONE}", "run-<id-1> <id-2>"),
        (r"(?P<time>[0-9]{3})(?=ms)", "123ms", "<time-1>ms"),
        (r"(?i)run-(?P<run>[a-z]{4})", "RUN-AbCd run-AbCd", "RUN-<run-1> run-<run-1>"),
        (r"(['_])(?P<run>[a-z]{4})\1", "_abcd_ 'efgh' _ijkl'", "_<run-1>_ '<run-2>' _ijkl'"),
        (r"(?P<run>[a-z]{4})=(?P=run)", "abcd=abcd abcd=efgh", "<run-1>=abcd abcd=efgh"),
    ],
)
def test_expressions_stand_beside_the_defaults(pattern: str, text: str, shown: str) -> None:
    """Names, numbers and flags of an expression are its own, whatever else is volatile."""
    for volatiles in [
        (*DEFAULT_VOLATILES, Volatile(pattern)),
        (Volatile(pattern), *DEFAULT_VOLATILES),
    ]:
        rules = Rules(volatiles)
        assert normalize(text, rules=rules, ids={"nothing": "x"}) == shown


@pytest.mark.requirement("SNAP-3")
@pytest.mark.parametrize(
    ("pattern", "text", "shown"),
    [
        (r"id=(?P<id>\S+)", "id=abc id=<id-7>", "id=<id-1> id=<id-7>"),
        (r"id=(?P<id>\S+)", "id=a<id-7>b", "id=<id-1>"),
        (r"X(?P<id>.)", "Xab", "X<id-1>b"),
        (r"X(?P<id>a?)", "X Xa", "X X<id-1>"),
        (r"(?P<id>[^ ])x", "<id-7>x", "<id-7>x"),
        (r"x(?=.*(?P<id>y))", "x y", "x y"),
        (r"(?P<outer>a(?P<inner>b)c)", "abc", "<outer-1>"),
        (r"(?=a)(?P<id>[0-9]*)|(?P<id_b>[0-9])(?=b)", "a1b", "a<id-b-1>b"),
    ],
)
def test_greedy_expressions_come_to_an_end(pattern: str, text: str, shown: str) -> None:
    """An expression that takes tokens, parts of them or nothing leaves them, and ends."""
    rules = Rules((Volatile(pattern),))
    assert normalize(text, rules=rules) == shown
    assert normalize(shown, rules=rules) == shown


@pytest.mark.requirement("SNAP-3")
def test_no_entry_is_lost_for_its_key() -> None:
    """Keys that would become one key stay apart, in the same way whatever the times are."""
    value = {
        "days": {"2026-01-01T00:00:00Z": 1, "2026-01-02T00:00:00Z": 2, "2026-01-03T00:00:00Z": 3},
        "more": {"2026-01-09T00:00:00Z": 4, ZERO_TIME: 5, "<key-1>": 6},
        "ms": {"1700000000000": "a", "1700000000001": "b"},
    }
    found = normalize(value)
    assert found == {
        "days": {ZERO_TIME: 1, "<key-2>": 2, "<key-3>": 3},
        "more": {ZERO_TIME: 4, "<key-2>": 5, "<key-1>": 6},
        "ms": {"0": "a", "<key-4>": "b"},
    }
    assert normalize(found) == found
