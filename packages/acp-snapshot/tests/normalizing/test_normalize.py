"""What is replaced, what is kept, and that no two values become one."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest
from acp_snapshot.normalizing import Place, Rules, Volatile, normalize, renumbered, spellings
from hypothesis import given
from hypothesis import strategies as st
from session_query import JsonlPersistence, SessionHeader

ONE = "3f1c2a9e-7d41-4b0a-9c55-0e8f6a2b7c11"
TWO = "a07de5b4-1c3f-4e7a-8d26-5b9c0f4e1d22"
ROOT = "/data/run é 1"
PLACES = [
    Place("workspace", (f"{ROOT}/workspace", "/mnt/link/workspace")),
    Place("state", (f"{ROOT}/state",)),
    Place("run", (ROOT,)),
]
UUID = re.compile(
    r"(?<![0-9A-Za-z])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9A-Za-z])", re.IGNORECASE
)
TOKEN = re.compile(r"<[a-z]+(?:-[a-z]+)*(?:-[1-9][0-9]*)?>")


@pytest.mark.requirement("SNAP-3")
def test_ids_are_told_apart_by_what_they_are_of() -> None:
    """An id gets a token of its kind, the same wherever it stands, numbered as first seen."""
    value = {
        "sessionId": ONE,
        "text": f"{TWO} in {ONE}, {ONE.upper()}",
        "message": {"id": TWO, "role": "user"},
    }
    assert normalize(value) == {
        "sessionId": "<session-1>",
        "text": "<message-1> in <session-1>, <id-1>",
        "message": {"id": "<message-1>", "role": "user"},
    }


@pytest.mark.requirement("SNAP-3")
def test_ids_that_are_stable_stay() -> None:
    """An id that a script or a fixture chose is no UUID, and is kept, unless it's named."""
    value = {"sessionId": "flaky-login-7c1e", "toolCallId": "call-1"}
    assert normalize(value) == value
    assert normalize(value, ids={"flaky-login-7c1e": "session"})["sessionId"] == "<session-1>"


@pytest.mark.requirement("SNAP-3")
@pytest.mark.parametrize(
    "spelled",
    [
        f"{ROOT}/workspace",
        "/mnt/link/workspace",
        quote(f"{ROOT}/workspace"),
        quote(f"{ROOT}/workspace", safe=""),
        quote(f"{ROOT}/workspace").replace("%C3%A9", "%c3%a9"),
        json.dumps(f"{ROOT}/workspace")[1:-1],
        json.dumps(json.dumps(f"{ROOT}/workspace"))[3:-3],
        json.dumps(f"{ROOT}/workspace")[1:-1].replace("/", "\\/"),
        f"{ROOT}/workspace".replace("é", "e\N{COMBINING ACUTE ACCENT}"),
    ],
)
def test_every_spelling_of_a_path(spelled: str) -> None:
    """However the workspace is written, it's the workspace, and no part of the run's folder."""
    assert normalize(f"file://{spelled}/a.txt and {ROOT}", PLACES) == (
        "file://<workspace>/a.txt and <run>"
    )


@pytest.mark.requirement("SNAP-3")
def test_a_resolved_path_is_the_same_place(tmp_path: Path) -> None:
    """A path through a symbolic link and the path that it leads to are one place."""
    real = tmp_path / "real"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    text = f"{link}/a {real}/b"
    assert normalize(text, [Place.at("workspace", link)]) == "<workspace>/a <workspace>/b"


@pytest.mark.requirement("SNAP-3")
def test_times_are_zeroed() -> None:
    """Times by key, in ISO form and as epoch milliseconds in text are zero; other numbers stay."""
    value = {
        "time": 1764522780123,
        "createdAt": 5,
        "count": 1764522780123,
        "maximum": 9007199254740991,
        "time_is": "2026-11-30T17:13:00.5+02:00, or 2026-11-30 17:13, 1764522780123 ms, 2026-11-30",
    }
    assert normalize(value) == {
        "time": 0,
        "createdAt": 0,
        "count": 1764522780123,
        "maximum": 9007199254740991,
        "time_is": "1970-01-01T00:00:00Z, or 1970-01-01T00:00:00Z, 0 ms, 2026-11-30",
    }


@pytest.mark.requirement("SNAP-3")
def test_hashes_and_spill_names() -> None:
    """Digests and the random parts of a spill's name are volatile; its readable part is not."""
    digest = "9f86d081884c7d659a2feaa0c55ad015"
    text = (
        f"{digest} spill:session-3c7f2e19a4b8d6f0/k2j4h6g8-event-read.txt 1234567890123456 decade"
    )
    assert normalize(text) == (
        "<hash-1> spill:session-<owner-1>/<spill-1>-event-read.txt 1234567890123456 decade"
    )


@pytest.mark.requirement("SNAP-3")
def test_a_host_adds_what_is_volatile() -> None:
    """A host's own random names are replaced by the name of their group."""
    rules = Rules((Volatile(r"run-(?P<run_name>[a-z]{8})"),))
    assert (
        normalize("run-qwertyui run-asdfghjk", rules=rules) == "run-<run-name-1> run-<run-name-2>"
    )
    with pytest.raises(ValueError, match="no named group"):
        Volatile("abc")


@pytest.mark.requirement("SNAP-3")
def test_text_that_looks_like_a_token() -> None:
    """What looks like a token stays, and no other value gets that token."""
    value = f"<session-1> <id-1> <workspace> {ONE} {ROOT}/workspace"
    assert normalize(value, PLACES) == "<session-1> <id-1> <workspace> <id-2> <workspace-1>"


@pytest.mark.requirement("SNAP-3")
def test_words_inside_of_tokens() -> None:
    """What is volatile elsewhere is left alone inside of a token."""
    once = normalize(f"<one> one {ROOT}", [Place("two", (ROOT,))], {"one": "x", "two": "x"})
    assert once == "<one> <x-1> <two>"
    assert normalize(once, [], {"one": "x", "two": "x"}) == once


@pytest.mark.requirement("SNAP-3")
def test_what_a_replacement_lays_bare() -> None:
    """An id that only a replaced path kept from being one is replaced as well."""
    bare = f"{ROOT}/workspace{ONE}"
    assert normalize(bare, PLACES) == "<workspace><id-1>"


@pytest.mark.requirement("SNAP-3")
def test_a_place_is_a_real_path() -> None:
    """The root and relative paths would replace everything, or nothing."""
    for path in ("/", "work", ""):
        with pytest.raises(ValueError, match="absolute path below the root"):
            Place("x", (path,))


@pytest.mark.requirement("SNAP-3")
def test_json_rpc_ids() -> None:
    """Ids of answers and of requests are numbered as first seen, each in its own series."""
    messages: list[dict[str, Any]] = [
        {"id": 7, "result": {}},
        {"id": "x", "method": "session/request_permission"},
        {"id": 0, "result": {}},
        {"id": None, "error": {}},
        {"method": "session/update"},
        {"id": "7", "result": {}},
        {"id": "x", "method": "again"},
    ]
    found = renumbered(messages)
    assert [message.get("id") for message in found] == [1, "agent-1", 2, None, None, 3, "agent-1"]
    assert renumbered(found) == found
    assert messages[0]["id"] == 7


_hex = st.text("0123456789abcdef", min_size=12, max_size=12)
_uuids = st.uuids().map(str)
_spelled = st.sampled_from(
    [one for place in PLACES for path in place.paths for one in spellings(path)]
)
_tokens = st.sampled_from(
    ["<session-1>", "<id-1>", "<id-2>", "<workspace>", "<run>", "<hash-1>", "<x>"]
)
_times = st.sampled_from(["2026-11-30T17:13:00Z", "1764522780123", "0", "1970-01-01T00:00:00Z"])
_glue = st.sampled_from(["", " ", "/", "-", "<", ">", "a", "0", '"', "\\", "session-", "%2F", "\n"])
_pieces = st.one_of(_uuids, _spelled, _tokens, _times, _glue, _hex, st.text(max_size=5))
_texts = st.lists(_pieces, max_size=8).map("".join)
_keys = st.sampled_from(["sessionId", "id", "time", "text", "toolCallId", "role"])
_values = st.recursive(
    st.one_of(_texts, st.integers(), st.booleans(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(_keys, _texts), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.requirement("SNAP-3")
@given(_values)
def test_normalizing_twice_changes_nothing(value: Any) -> None:
    """What is normalized comes back as it is."""
    known = {"run-0-a": "session", "cafe": "session"}
    once = normalize(value, PLACES, known)
    assert normalize(once, PLACES, known) == once


@pytest.mark.requirement("SNAP-3")
@given(st.lists(st.one_of(_uuids, _tokens, _hex.map(lambda one: f"{one}abcd1234")), unique=True))
def test_two_values_never_share_a_token(values: list[str]) -> None:
    """Values that differ get different texts, and one value the same text each time."""
    first, again = normalize([values, list(reversed(values))])
    assert first == list(reversed(again))
    assert len(set(first)) == len(values)


@pytest.mark.requirement("SNAP-3")
@given(st.lists(_texts, max_size=5), st.data())
def test_texts_can_be_told_apart(texts: list[str], data: st.DataObject) -> None:
    """Putting another new value in the place of one never gives the same text."""
    value = data.draw(_uuids)
    other = data.draw(_uuids.filter(lambda one: one != value))
    same, differs = normalize([[*texts, value, value], [*texts, value, other]])
    assert same != differs


@pytest.mark.requirement("SNAP-3")
@given(_texts)
def test_nothing_volatile_is_left(text: str) -> None:
    """No spelling of a place and no UUID survives."""
    found = normalize(text, PLACES)
    assert not UUID.search(found)
    rest = TOKEN.sub("", found)
    for place in PLACES:
        assert not any(path in rest for path in place.paths)


@pytest.mark.requirement("SNAP-3")
@given(_values)
def test_normalizing_changes_no_argument(value: Any) -> None:
    """It's pure: the value stays, and the answer is the same each time."""
    before = json.dumps(value)
    assert normalize(value, PLACES) == normalize(value, PLACES)
    assert json.dumps(value) == before


@pytest.mark.requirement("SNAP-3")
def test_the_folder_of_the_logs(tmp_path: Path) -> None:
    """The folder that a store names after a workspace is a spelling of the workspace, too."""
    workspace = tmp_path / "a é:中 \N{GRINNING FACE}~x"
    store = JsonlPersistence(tmp_path / "logs", compression="none")
    asyncio.run(store.append(SessionHeader(0, "s", 1, str(workspace)), []))
    [log] = (tmp_path / "logs").rglob("session.jsonl")
    shown = normalize(log.relative_to(tmp_path).as_posix(), [Place.at("workspace", workspace)])
    assert shown == "logs/<workspace>/s/session.jsonl"


CUT_PLACES: Final = [
    Place("workspace", ("/data/acp-snapshot-a1b2c3/workspace",)),
    Place("run", ("/data/acp-snapshot-a1b2c3",)),
]


@pytest.mark.requirement("SNAP-3")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Look at /data/acp-snapshot-a1", "Look at <cut-path-1>"),
        ("Look at /data/acp-snapshot-a1…", "Look at <cut-path-1>…"),
        (
            "/data/acp-snapshot-a1b2c\n[9 of 10 bytes omitted]",
            "<cut-path-1>\n[9 of 10 bytes omitted]",
        ),
        ("a /data/acp-snapshot-a1... b /data/acp-sna", "a <cut-path-1>... b <cut-path-2>"),
        ("file://%2Fdata%2Facp-snapshot-a", "file://<cut-path-1>"),
        ("/data/acp-snapshot-a1b2c3/works", "<run>/works"),
        ("bytes omitted]\nb2c3/workspace/a.txt", "bytes omitted]\n<cut-path-1>/a.txt"),
        ('omitted]\\npshot-a1b2c3/workspace"', 'omitted]\\n<cut-path-1>"'),
        ("/data/acp-snapshot-a1b2c3/workspace/a", "<workspace>/a"),
    ],
)
def test_a_path_that_was_cut(text: str, shown: str) -> None:
    """What is left of a path whose end or whose beginning was cut leaves no trace either."""
    assert normalize(text, CUT_PLACES) == shown
    assert normalize(shown, CUT_PLACES) == shown


@pytest.mark.requirement("SNAP-3")
@pytest.mark.parametrize(
    "text",
    [
        "/data/acp-snapshot-zz",
        "/data/acp-snapshot-a1/x",
        "/data/a",
        "the /workspace",
        "x2c3/workspace",
    ],
)
def test_a_path_that_was_not_cut(text: str) -> None:
    """A path that only begins or ends like one of the run stays."""
    assert normalize(text, CUT_PLACES) == text
