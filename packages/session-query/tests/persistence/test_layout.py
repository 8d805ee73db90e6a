"""Where logs lie: as other writers have it, and never outside the root."""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_query.errors import PersistenceNotFoundError, PersistenceWriteError
from session_query.log import SessionHeader
from session_query.persistence import JsonlPersistence
from session_query.persistence.jsonl._layout import decode_id, encode_id, is_project, project_name

from ..log.values import TEXTS
from .stores import COMPRESSIONS, Compression, event

HOSTILE = TEXTS | st.text(st.sampled_from("./\\:~-_aA0\0 \n%é\ud800😀"), max_size=12)
IDS = HOSTILE.filter(bool)


def escaped(text: str, kept: str) -> str:
    """The escape of the contract, one UTF-16 code unit at a time."""
    raw = text.encode("utf-16-le", "surrogatepass")
    units = [raw[at] + 256 * raw[at + 1] for at in range(0, len(raw), 2)]
    return "".join(
        chr(unit) if unit < 128 and chr(unit) in kept else f"~{unit:04X}" for unit in units
    )


KEPT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"


@pytest.mark.requirement("LOG-17")
@given(session_id=IDS)
def test_an_id_is_escaped_unit_by_unit(session_id: str) -> None:
    """The directory of a session is its id in safe ASCII, separators escaped like the rest."""
    special = {".": "~002E", "..": "~002E~002E"}
    assert encode_id(session_id) == special.get(session_id, escaped(session_id, KEPT))


@pytest.mark.requirement("LOG-17")
@given(session_id=IDS)
def test_the_id_can_be_told_from_its_directory(session_id: str) -> None:
    """Decoding gives the id back, so no two ids share a directory."""
    assert decode_id(encode_id(session_id)) == session_id


@pytest.mark.requirement("LOG-17")
@given(name=st.text(st.sampled_from("~0024EaA.-_/\\ g"), max_size=10) | st.text(max_size=10))
def test_only_names_that_an_id_gives_are_sessions(name: str) -> None:
    """A name is decoded only if it's exactly what some id is encoded as."""
    session_id = decode_id(name)
    assert session_id is None or encode_id(session_id) == name


@pytest.mark.requirement("LOG-17")
@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "~002e", "~0041", "~00", "a b", "é", "~", "a\n"]
)
def test_what_no_id_gives_is_no_session(name: str) -> None:
    """Names that are not canonical stand for no id."""
    assert decode_id(name) is None


@pytest.mark.requirement("LOG-17")
@given(cwd=HOSTILE)
def test_a_project_is_escaped_unit_by_unit(cwd: str) -> None:
    """Runs of separators become one dash, the rest is escaped, leading dashes go, 251 stay."""
    key = escaped(re.sub(r"[/\\:]+", "-", cwd), KEPT)
    while key[:1] == "-":
        key = key[1:]
    assert project_name(cwd) == f"--{key[:251] or 'root'}--"
    assert is_project(project_name(cwd))


@pytest.mark.requirement("LOG-17")
@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        (None, "_no-cwd"),
        ("", "--root--"),
        ("/", "--root--"),
        ("///", "--root--"),
        ("/srv/acp-agent", "--srv-acp-agent--"),
        ("C:\\Work\\App", "--C-Work-App--"),
        ("C:/Work//App/", "--C-Work-App---"),
        ("/a~b", "--a~007Eb--"),
        ("/caf\u00e9", "--caf~00E9--"),
        ("/\U0001f600", "--~D83D~DE00--"),
        ("/\ud800", "--~D800--"),
        ("/a b", "--a~0020b--"),
        ("..", "--..--"),
        ("/" + "x" * 400, f"--{'x' * 251}--"),
        ("\u00e9" * 51, f"--{'~00E9' * 50}~--"),
    ],
)
def test_projects_are_named_as_other_writers_do(cwd: str | None, name: str) -> None:
    """The directory of a workspace, for cases with a known answer."""
    assert project_name(cwd) == name
    assert len(name.encode()) <= 255


@pytest.mark.requirement("LOG-17")
def test_an_empty_id_is_refused() -> None:
    """There is no directory for an empty id."""
    with pytest.raises(ValueError, match="not empty"):
        encode_id("")


@pytest.mark.requirement("LOG-17")
def test_recorded_stores_have_this_layout(real_data: Path) -> None:
    """Every recorded log lies where this writer would have put it."""
    listed = 0
    for root in (real_data / "dsh", *real_data.glob("dsh-disk/ctx/v0/*/sessions")):
        paths = [*root.glob("*/*/session.jsonl*")]
        ids = [path.parent.name for path in paths]
        headers = asyncio.run(JsonlPersistence(root).list())
        for header in headers:
            directory = root / project_name(header.cwd) / encode_id(header.id)
            assert [path.parent for path in paths if path.parent == directory] == [directory]
        # An id that was recorded in two workspaces of one store is in no list.
        assert sorted(header.id for header in headers) == sorted(
            session_id for session_id in ids if ids.count(session_id) == 1
        )
        listed += len(headers)
    assert listed >= 40


@pytest.mark.requirement("LOG-17", "LOG-23")
@pytest.mark.parametrize("compression", COMPRESSIONS)
@given(session_id=IDS, cwd=st.none() | HOSTILE)
def test_no_session_leaves_the_root(
    session_id: str, cwd: str | None, compression: Compression
) -> None:
    """A session of any id and workspace is stored below the root, and found again."""
    with tempfile.TemporaryDirectory() as above:
        root = Path(above) / "a" / "root"
        header = SessionHeader(0, session_id, 0, cwd=cwd, delegation_depth=0)

        async def run() -> None:
            async with JsonlPersistence(root, compression) as store:
                await store.append(header, [event(0)])
            assert (await JsonlPersistence(root).inspect(session_id)).header == header
            assert await JsonlPersistence(root).list() == [header]

        asyncio.run(run())
        files = [path for path in Path(above).rglob("*") if not path.is_dir()]
        assert [path.parent.parent.parent for path in files] == [root]


@pytest.mark.requirement("LOG-17", "LOG-21")
@pytest.mark.parametrize("session_id", ["x" * 256, "é" * 52, "x" * 5000])
def test_an_id_too_long_for_a_file_name_is_refused(tmp_path: Path, session_id: str) -> None:
    """It can't be written, with an error that says so, and isn't found; its neighbours are."""
    near = encode_id(session_id)[:255]

    async def run() -> None:
        async with JsonlPersistence(tmp_path / "root") as store:
            with pytest.raises(PersistenceWriteError, match="too long"):
                await store.append(SessionHeader(0, session_id, 0), [])
            assert not (tmp_path / "root").exists()
            await store.append(SessionHeader(0, "x" * 255, 0), [event(0)])
            with pytest.raises(PersistenceNotFoundError):
                await store.inspect(session_id)
            assert len((await store.inspect("x" * 255)).events) == 1

    assert len(near) == 255
    asyncio.run(run())
