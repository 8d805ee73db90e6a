"""Reading the files of the session's folder."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from reference_host.errors import ToolError
from reference_host.tools import ReadTool, Tool
from session_query import AbortController, LiveSession

from .sessions import call, run_of, session_in

TOOL = ReadTool()


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    """The folder of the session; beside it lies a secret."""
    folder = tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "file").write_text("inside")
    (tmp_path / "secret").write_text("secret")
    return folder


def refusal(session: LiveSession, path: str, tool: Tool = TOOL) -> str:
    """The message with which a path is refused."""
    with pytest.raises(ToolError) as refused:
        call(tool, session, {"path": path})
    assert refused.value.code == "TOOL_READ_REFUSED"
    return refused.value.message


@pytest.mark.requirement("SPILL-4")
def test_a_file_of_the_folder(cwd: Path) -> None:
    """A path is relative to the folder of the session, or an absolute one that lies in it."""
    session = session_in(cwd)
    told = "inside\n[6 bytes from offset 0, of 6; the end]"
    absolute = str(cwd / "sub/file")
    for path in ("sub/file", "./sub//file", "x/../sub/file", "../work/sub/file", absolute):
        assert call(TOOL, session, {"path": path}) == told


@pytest.mark.requirement("SPILL-4")
def test_the_last_line_tells_how_to_go_on(cwd: Path) -> None:
    """A part of a file comes with its range, the total and the next offset, in bytes."""
    (cwd / "x").write_text("é" * 10)
    session = session_in(cwd)
    answer = call(TOOL, session, {"path": "x", "limit": 5})
    assert answer == "ééé\n[6 bytes from offset 0, of 20; next offset 6]"
    answer = call(TOOL, session, {"path": "x", "offset": 6.0, "limit": 100})
    assert answer == "ééééééé\n[14 bytes from offset 6, of 20; the end]"
    answer = call(TOOL, session, {"path": "x", "offset": 2**53 - 1})
    assert answer == "[0 bytes from offset 20, of 20; the end]"


@pytest.mark.requirement("SPILL-4")
def test_a_limit_of_its_own(cwd: Path) -> None:
    """Without a limit 16384 bytes are shown, of files however large."""
    with (cwd / "x").open("wb") as file:
        file.truncate(1 << 40)
    answer = call(TOOL, session_in(cwd), {"path": "x", "offset": 1 << 39})
    shown, line = answer.rsplit("\n", 1)
    assert shown == "\0" * 16_384
    assert (
        line
        == f"[16384 bytes from offset {1 << 39}, of {1 << 40}; next offset {(1 << 39) + 16_384}]"
    )


@pytest.mark.requirement("SPILL-4")
def test_what_is_no_text(cwd: Path) -> None:
    """Bytes that are not UTF-8 are shown as U+FFFD."""
    (cwd / "x").write_bytes(b"a\xff\xed\xa0\x80b")
    answer = call(TOOL, session_in(cwd), {"path": "x"})
    assert answer.startswith("a\ufffd\ufffd\ufffd\ufffdb\n[6 bytes")


@pytest.mark.requirement("SPILL-4")
def test_symlinks_that_stay_inside(cwd: Path) -> None:
    """A symlink to another file or folder of the folder is followed, relative or absolute."""
    (cwd / "link").symlink_to("sub/file")
    (cwd / "absolute").symlink_to(cwd / "sub")
    (cwd / "sub" / "up").symlink_to("../link")
    session = session_in(cwd)
    for path in ("link", "absolute/file", "sub/up", "absolute/up", "absolute/../link"):
        assert call(TOOL, session, {"path": path}).startswith("inside\n"), path


@pytest.mark.requirement("SPILL-4")
def test_two_dots_take_a_name_back(cwd: Path, tmp_path: Path) -> None:
    """A path that goes out and comes in again tells nothing of what it would have passed."""
    (tmp_path / "link").symlink_to("/")
    (cwd / "root").symlink_to("/")
    session = session_in(cwd)
    for passed in ("../link", "../missing", "../secret", "root", str(tmp_path / "link")):
        path = f"{passed}/../{'' if passed == 'root' else 'work/'}sub/file"
        assert call(TOOL, session, {"path": path}).startswith("inside\n")


@pytest.mark.requirement("SPILL-4")
def test_a_folder_that_is_reached_by_a_symlink(cwd: Path, tmp_path: Path) -> None:
    """A session whose folder is called by a symlink reads its files by either name of it."""
    (tmp_path / "alias").symlink_to(cwd)
    session = session_in(tmp_path / "alias")
    for path in ("sub/file", str(tmp_path / "alias/sub/file"), str(cwd / "sub/file")):
        assert call(TOOL, session, {"path": path}).startswith("inside\n")


@pytest.mark.requirement("SPILL-4")
def test_all_else_is_refused_with_one_text(cwd: Path, tmp_path: Path) -> None:
    """What is missing, elsewhere, no file or no path at all is refused in the same words."""
    session = session_in(cwd)
    (cwd / "out").symlink_to(tmp_path / "secret")
    (cwd / "outside").symlink_to(tmp_path)
    (cwd / "loop").symlink_to("loop")
    (cwd / "dangling").symlink_to("nowhere")
    (tmp_path / "in").symlink_to(cwd / "sub/file")
    (tmp_path / "work2").mkdir()
    (tmp_path / "work2/file").write_text("secret")
    paths = [
        "missing", "../secret", str(tmp_path / "secret"), "../work2/file",
        str(tmp_path / "work2/file"), "out", "outside/secret", "outside/../../secret",
        str(tmp_path / "in"), "loop", "dangling", "sub", ".", "..", "/", str(cwd),
        "sub/file/x", "a\0b", "x" * 4000, "/dev/zero", "/etc/passwd",
        "spill:session-0123456789abcdef/0123456789abcdef-x",
    ]  # fmt: skip
    assert len({refusal(session, path) for path in paths}) == 1


@pytest.mark.requirement("SPILL-4")
@pytest.mark.parametrize("cwd", [None, "", "."])
def test_a_session_without_a_folder_has_no_files(
    cwd: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a folder that is the same wherever the host runs, no file can be read."""
    (tmp_path / "file").write_text("secret")
    monkeypatch.chdir(tmp_path)
    session = session_in(cwd)
    assert refusal(session, "file") == refusal(session, str(tmp_path / "file"))


@pytest.mark.requirement("SPILL-4")
def test_what_would_block_is_refused(cwd: Path) -> None:
    """A FIFO, a socket or a device in the folder is refused, and nobody waits for it."""
    os.mkfifo(cwd / "fifo")
    # A writer with something to say, so that a reader that is let through does not wait for ever.
    writer = os.open(cwd / "fifo", os.O_RDWR)
    os.write(writer, b"secret")
    (cwd / "zero").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.fspath(cwd / "socket"))
        for path in ("fifo", "socket", "zero"):
            assert "secret" not in refusal(session_in(cwd), path)
    os.close(writer)


@pytest.mark.requirement("SPILL-4")
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "path"),
        ({"path": ""}, "path"),
        ({"path": 1}, "path"),
        ({"path": "\ud800"}, "path"),
        ({"path": "x", "offset": -1}, "offset"),
        ({"path": "x", "offset": True}, "offset"),
        ({"path": "x", "offset": None}, "offset"),
        ({"path": "x", "offset": 2**53}, "offset"),
        ({"path": "x", "limit": 0}, "limit"),
        ({"path": "x", "limit": 1.5}, "limit"),
        ({"path": "x", "limit": "5"}, "limit"),
        ({"path": "x", "limit": 65_537}, "limit"),
        ({"path": "x", "mode": "r"}, "mode"),
        ([], "arguments"),
        (None, "arguments"),
    ],
)
def test_arguments_that_are_wrong(cwd: Path, arguments: Any, named: str) -> None:
    """A wrong, missing or unknown argument is named."""
    with pytest.raises(ToolError, match=rf"^{named}: ") as refused:
        call(TOOL, session_in(cwd), arguments)
    assert refused.value.code == "TOOL_INVALID_ARGUMENT"
    assert refused.value.__suppress_context__, "what a model sent is in the chain"


@pytest.mark.requirement("SPILL-4")
def test_the_schema_says_the_same() -> None:
    """The schema is closed, and tells the limits that are checked."""
    schema = TOOL.parameters
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["path"]
    properties = schema["properties"]
    assert list(properties) == ["path", "offset", "limit"]
    assert (properties["offset"]["minimum"], properties["offset"]["default"]) == (0, 0)
    limits = [properties["limit"][key] for key in ("minimum", "default", "maximum")]
    assert limits == [1, 16_384, 65_536]


@pytest.mark.requirement("SPILL-4")
def test_a_call_that_is_aborted(cwd: Path) -> None:
    """An aborted call raises the very reason, even of wrong arguments, and reads nothing."""
    controller = AbortController()
    reason = TimeoutError("late")
    controller.abort(reason)
    for path in ("sub/file", "missing", ""):
        with pytest.raises(TimeoutError) as raised:
            asyncio.run(TOOL.execute({"path": path}, run_of(session_in(cwd), controller.signal)))
        assert raised.value is reason


@pytest.mark.requirement("SPILL-4")
def test_an_abort_in_the_middle(cwd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that is aborted while it reads raises the very reason, once the file is closed."""
    controller = AbortController()
    reason = TimeoutError("late")
    fdopen = os.fdopen
    files: list[Any] = []

    def opened(*arguments: Any, **named: Any) -> Any:
        files.append(fdopen(*arguments, **named))
        controller.abort(reason)
        return files[-1]

    monkeypatch.setattr(os, "fdopen", opened)
    with pytest.raises(TimeoutError) as raised:
        asyncio.run(TOOL.execute({"path": "sub/file"}, run_of(session_in(cwd), controller.signal)))
    assert raised.value is reason
    assert [file.closed for file in files] == [True]


@pytest.mark.parametrize(
    ("arguments", "title"),
    [
        ({"path": "sub/file"}, "Read sub/file"),
        ({"path": "a\nb\u202e\ud800"}, "Read a\ufffdb\ufffd\ufffd"),
        ({"path": "x" * 500}, f"Read {'x' * 74}…"),
        ({"path": 1}, "Read a file"),
        (None, "Read a file"),
    ],
)
def test_the_card_of_a_call(arguments: Any, title: str) -> None:
    """People see one short line with the path, whatever the arguments are."""
    card = TOOL.present_call(arguments)
    assert (card.kind, card.title, card.raw_input) == ("read", title, arguments)


def test_calls_may_overlap() -> None:
    """Reading disturbs nobody."""
    assert TOOL.concurrency == "parallel"
