"""Logs that another implementation wrote, and files made to be hard to read."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest
import zstandard
from session_query.errors import PersistenceCorruptionError
from session_query.persistence import JsonlPersistence
from session_query.persistence.jsonl._layout import encode_id, project_name

from .stores import COMPRESSIONS, Compression, exact, inspect, log_path


def plain(file: Path) -> bytes:
    """What a log file holds, decoded as far as it can be."""
    data = file.read_bytes()
    if file.suffix != ".zstd":
        return data
    content = b""
    while data:
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            content += frame.decompress(data)
        except zstandard.ZstdError:
            break
        data = frame.unused_data
    return content


def stored_alone(file: Path, root: Path) -> str:
    """Put a recorded log where its header says it belongs; return its id."""
    header = json.loads(plain(file).split(b"\n")[0].decode("utf-8-sig"))
    path = log_path(
        root,
        compressed=file.suffix == ".zstd",
        project=project_name(header.get("cwd")),
        directory=encode_id(header["id"]),
    )
    shutil.copyfile(file, path)
    return str(header["id"])


# The verdict on each file: the number of its events, or the line of its corruption.
HARD: dict[str, int | tuple[str, int]] = {
    "01-lone-surrogate/session.jsonl": 8,
    "02-unicode-line-separators/session.jsonl": 6,
    "03-nul-and-invalid-utf8/session.jsonl": 8,
    "05-zstd-frames/complete.jsonl.zstd": 10,
    "05-zstd-frames/expanded.jsonl": 10,
    "05-zstd-frames/torn-last-frame.jsonl.zstd": 10,
    "05-zstd-frames/checksum-error-in-committed-frame.jsonl.zstd": ("corrupt", 2),
    "07-fork-and-resume-copies/dsh-fork-seeded.jsonl": 12,
    "07-fork-and-resume-copies/dsh-parent.jsonl": 6,
    "11-forged-output/session.jsonl": 9,
    "12-json-edges/big-int.jsonl": 0,
    "12-json-edges/bom-first-byte.jsonl": ("corrupt", 1),
    "12-json-edges/nan-literal.jsonl": ("corrupt", 2),
    "12-json-edges/nested-1200.jsonl": 7,
    "12-json-edges/seq-float-one-point-zero.jsonl": 2,
    "12-json-edges/seq-true.jsonl": ("corrupt", 2),
    "12-json-edges/unknown-ignorable-event.jsonl": 3,
    "12-json-edges/unknown-required-event.jsonl": 3,
    "13-clock-skew/session.jsonl": 6,
    **{f"09-cwd-identity/{number:02}.jsonl": 5 for number in range(18)},
}


@pytest.mark.requirement("LOG-3", "LOG-4", "LOG-18", "LOG-19", "LOG-20", "LOG-23")
@pytest.mark.parametrize("name", HARD)
def test_hard_files_get_their_verdict(real_data: Path, tmp_path: Path, name: str) -> None:
    """Each file that is hard to read is read whole, in part, or refused, as it was recorded."""
    session_id = stored_alone(real_data / "hard" / name, tmp_path)
    try:
        found: int | tuple[str, int | None] = len(inspect(tmp_path, session_id).events)
    except PersistenceCorruptionError as error:
        found = ("corrupt", error.line)
    assert found == HARD[name]


@pytest.mark.requirement("LOG-20")
def test_every_hard_log_has_a_verdict(real_data: Path) -> None:
    """No log among the hard files is left out here, but those of other formats."""
    logs = [
        str(path.relative_to(real_data / "hard"))
        for path in (real_data / "hard").rglob("*.jsonl*")
        if not path.name.startswith(("claude-", "codex-"))
    ]
    assert sorted(logs) == sorted(HARD)


@pytest.mark.requirement("LOG-18", "LOG-19", "LOG-20")
def test_frames_read_as_their_expansion(real_data: Path, tmp_path: Path) -> None:
    """The compressed logs, whole and torn, hold what the plain one does."""
    forms = []
    for name in ("expanded.jsonl", "complete.jsonl.zstd", "torn-last-frame.jsonl.zstd"):
        session_id = stored_alone(real_data / "hard/05-zstd-frames" / name, tmp_path / name)
        stored = inspect(tmp_path / name, session_id)
        forms.append(exact([item.to_json() for item in stored.events]))
    assert len(set(forms)) == 1


@pytest.mark.requirement("LOG-17", "LOG-18")
def test_workspaces_that_look_alike_stay_apart(real_data: Path, tmp_path: Path) -> None:
    """Eighteen spellings of a workspace are read back exactly, shared directories or not."""
    cases = json.loads((real_data / "hard/09-cwd-identity/cases.json").read_text("utf-8"))
    for case in cases:
        stored_alone(real_data / "hard/09-cwd-identity" / case["file"], tmp_path)
    headers = asyncio.run(JsonlPersistence(tmp_path).list())
    assert {header.cwd for header in headers} == {case["cwd"] for case in cases}
    assert len(headers) == len(cases) == 18


@pytest.mark.requirement("LOG-20", "LOG-18")
def test_a_log_with_gaps_is_refused(real_data: Path) -> None:
    """A recorded log whose seqs have gaps before its last turn ended is corrupt, but listed."""
    root = real_data / "dsh-disk/deja-vu/sessions"
    (header,) = asyncio.run(JsonlPersistence(root).list())
    with pytest.raises(PersistenceCorruptionError) as caught:
        inspect(root, header.id)
    assert caught.value.line == 3


@pytest.mark.requirement("LOG-18", "LOG-19", "LOG-21", "LOG-4")
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_recorded_logs_are_written_as_they_were(
    real_data: Path, tmp_path: Path, compression: Compression
) -> None:
    """A recorded log that is read and written again is equal, and its lines are the same bytes."""
    files = [
        *(real_data / "dsh").rglob("session.jsonl"),
        *(real_data / "dsh-disk/ctx").rglob("*.zstd"),
    ]
    reordered = []

    async def copy(number: int, file: Path) -> None:
        session_id = stored_alone(file, tmp_path / f"{number}-from")
        stored = await JsonlPersistence(tmp_path / f"{number}-from").inspect(session_id)
        async with JsonlPersistence(tmp_path / f"{number}-to", compression) as store:
            await store.append(stored.header, stored.events)
            again = await store.inspect(session_id)
        assert again.header == stored.header
        assert exact([item.to_json() for item in again.events]) == exact(
            [item.to_json() for item in stored.events]
        )
        (written,) = (tmp_path / f"{number}-to").rglob("session.jsonl*")
        header, *lines = plain(written).split(b"\n")
        recorded_header, *recorded_lines = plain(file).split(b"\n")
        assert lines == recorded_lines
        if header != recorded_header:
            assert json.loads(header) == json.loads(recorded_header)
            reordered.append(session_id)

    for number, file in enumerate(files):
        asyncio.run(copy(number, file))
    assert len(files) >= 44
    assert sorted(reordered) == ["handshake", "minimal-preset"]


@pytest.mark.requirement("LOG-18", "LOG-20")
def test_a_recorded_turn_with_packed_rows_is_read(real_data: Path, tmp_path: Path) -> None:
    """A log of another origin, rows of all kinds included, reads with every seq in its place."""
    session_id = stored_alone(real_data / "dsh-disk/codeburn/bash-tool-turn.jsonl", tmp_path)
    found = inspect(tmp_path, session_id).events
    assert [item.seq for item in found] == [*range(len(found))]
    deltas = [item.data["chunk"] for item in found if item.type == "assistant/chunk"]
    text = "".join(chunk["text"] for chunk in deltas if chunk["type"] == "reasoning-delta")
    assert text.startswith(
        'The user wants me to run a simple bash command and then reply with "DONE".'
    )
