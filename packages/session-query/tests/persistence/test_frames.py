"""Concatenated zstd frames, whole and torn."""

from __future__ import annotations

import asyncio
import random
import tracemalloc
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from session_query.errors import PersistenceCorruptionError
from session_query.persistence import JsonlPersistence
from session_query.persistence.jsonl._frames import FrameDecoder, FrameError, encode_frame

from .stores import (
    COMPRESSIONS,
    HEADER,
    append,
    event,
    events,
    frame,
    header_line,
    inspect,
    lines,
    put,
    verdict,
)

SKIPPABLE = b"\x50\x2a\x4d\x18\x05\x00\x00\x00hello"
FRAMES = st.lists(
    st.binary(max_size=50).map(frame) | st.just(frame(b"x" * 300_000)) | st.just(SKIPPABLE),
    max_size=6,
)


def cut(data: bytes, cuts: list[int]) -> list[bytes]:
    """Cut bytes into blocks."""
    bounds = [0, *sorted(at % (len(data) + 1) for at in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(bounds)]


def decode(blocks: list[bytes]) -> tuple[bytes, list[int]]:
    """Decode blocks; return the content and where frames ended."""
    decoder = FrameDecoder()
    content, ends = b"", []
    for block in blocks:
        for piece, ended in decoder.decode(block):
            content += piece
            if ended:
                ends.append(decoder.offset)
    return content, ends


def plain(frames: list[bytes]) -> bytes:
    """What the frames hold, decoded one by one."""
    decompressor = zstandard.ZstdDecompressor()
    return b"".join(
        decompressor.decompressobj().decompress(data) for data in frames if data != SKIPPABLE
    )


@pytest.mark.requirement("LOG-19")
@given(frames=FRAMES, cuts=st.lists(st.integers(0, 10**6), max_size=20))
def test_frames_are_decoded_in_any_blocks(frames: list[bytes], cuts: list[int]) -> None:
    """However the file is cut into blocks, all frames come out, and where each one ends."""
    content, ends = decode(cut(b"".join(frames), cuts))
    assert content == plain(frames)
    lengths = [len(data) for data in frames]
    assert ends == [sum(lengths[: number + 1]) for number in range(len(lengths))]


@pytest.mark.requirement("LOG-19", "LOG-22")
def test_a_frame_is_decoded_in_pieces() -> None:
    """However well a frame is compressed, no piece of it takes more than 16 MiB."""
    data = frame(bytes(2**27))
    pieces = [len(piece) for piece, _ in FrameDecoder().decode(data)]
    assert sum(pieces) == 2**27
    assert max(pieces) <= 2**24


@pytest.mark.requirement("LOG-19", "LOG-20")
@given(frames=FRAMES.filter(bool), end=st.integers(0, 10**6), zeros=st.integers(0, 9))
def test_a_torn_last_frame_is_no_damage(frames: list[bytes], end: int, zeros: int) -> None:
    """Frames cut off at any byte give the beginning of their content and no error."""
    data = b"".join(frames)
    end %= len(data) + 1
    content, ends = decode([data[:end]])
    assert plain(frames).startswith(content)
    complete = [at for at in decode([data])[1] if at <= end]
    assert ends == complete
    if complete[-1:] == [end]:
        assert decode([data[:end], bytes(zeros)]) == (content, ends)


@pytest.mark.requirement("LOG-19", "LOG-20")
@pytest.mark.parametrize(
    "rubbish", [b"a", b"session", b"\0\0a", b"\x28\xb5\x2f\x00", b"\xfd\x2f\xb5\x28" * 9]
)
def test_what_is_no_frame_is_damage(rubbish: bytes) -> None:
    """Other bytes where a frame should begin are an error that says where; zeros alone are not."""
    with pytest.raises(FrameError, match=f"at byte {len(SKIPPABLE)}"):
        decode([SKIPPABLE, rubbish])


@pytest.mark.requirement("LOG-19")
@given(data=st.binary(max_size=300) | st.just(b"ab" * 200_000))
def test_frames_are_those_of_other_writers(data: bytes) -> None:
    """A frame has a checksum and tells no content size, nor a dictionary."""
    written = encode_frame(data)
    parameters = zstandard.get_frame_parameters(written)
    assert parameters.has_checksum
    assert parameters.content_size == zstandard.CONTENTSIZE_UNKNOWN
    assert parameters.dict_id == 0
    assert parameters.window_size <= 8 * 2**20
    assert decode([written])[0] == data


@pytest.mark.requirement("LOG-19")
def test_frames_are_made_as_in_recorded_logs(real_data: Path) -> None:
    """The frame header is, byte for byte, that of logs which another implementation wrote."""
    recorded = [*real_data.glob("dsh-disk/ctx/v0/zstd/sessions/*/*/session.jsonl.zstd")]
    assert recorded
    for path in recorded:
        assert encode_frame(b"x")[:5] == path.read_bytes()[:5]


@pytest.mark.requirement("LOG-19")
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_batch_is_a_frame(tmp_path: Path, compression: str) -> None:
    """A compressed log is a frame with the header alone, then one for each batch."""
    append(tmp_path, events(0, 3), events(3, 4), compression=compression)  # type: ignore[arg-type]
    expected = [header_line(), lines(events(0, 3)), lines(events(3, 4))]
    (path,) = tmp_path.glob("--w--/s/*")
    if compression == "none":
        assert path.name == "session.jsonl"
        assert path.read_bytes() == b"".join(expected)
    else:
        assert path.name == "session.jsonl.zstd"
        data, found = path.read_bytes(), []
        while data:
            frames = zstandard.ZstdDecompressor().decompressobj()
            found.append(frames.decompress(data))
            data = frames.unused_data
        assert found == expected


@pytest.mark.requirement("LOG-20", "LOG-19")
def test_complete_lines_of_a_torn_frame_are_kept(tmp_path: Path) -> None:
    """A last frame cut at any byte keeps those of its lines that can be decoded."""
    kept = [header_line(), lines(events(0, 2))]
    big = events(2, 2_000)
    path = put(tmp_path, [*kept, lines(big)])
    data = path.read_bytes()
    start = len(b"".join(map(frame, kept)))
    counts = set()
    for end in range(start, len(data), 101):
        path.write_bytes(data[:end])
        found = inspect(tmp_path).events
        assert list(found) == [*events(0, 2), *big[: len(found) - 2]]
        counts.add(len(found))
    assert 2 in counts
    assert len(counts) > 1


@pytest.mark.requirement("LOG-20", "LOG-19")
@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_failed_checksum_is_corruption(tmp_path: Path, number: int) -> None:
    """Damage in a complete frame is corruption, in the last frame too, with no turn ended there."""
    frames = [frame(header_line()), frame(lines(events(0, 2))), frame(lines(events(2, 3)))]
    spoilt = bytearray(frames[number])
    spoilt[-1] ^= 1
    frames[number] = bytes(spoilt)
    put(tmp_path, []).write_bytes(b"".join(frames))
    with pytest.raises(PersistenceCorruptionError, match="checksum"):
        inspect(tmp_path)


@pytest.mark.requirement("LOG-20")
@pytest.mark.parametrize("zeros", [1, 3, 4096])
def test_zeros_behind_the_last_frame_are_an_incomplete_one(tmp_path: Path, zeros: int) -> None:
    """What a file system may leave of an append that a crash cut short is dropped."""
    path = put(tmp_path, [header_line(), lines(events(0, 2))])
    path.write_bytes(path.read_bytes() + bytes(zeros))
    assert verdict(tmp_path) == [event(0).to_json(), event(1).to_json()]


@pytest.mark.requirement("LOG-22", "LOG-19")
@pytest.mark.parametrize("content", [b"\0", b" "], ids=["no newline", "no header"])
def test_a_listing_decodes_little_of_a_large_frame(tmp_path: Path, content: bytes) -> None:
    """A first frame that would fill the memory is given up after a small part of it."""
    compressor = zstandard.ZstdCompressor().compressobj()
    pieces = [compressor.compress(content * 2**20) for _ in range(256)]
    put(tmp_path, []).write_bytes(b"".join(pieces) + compressor.flush())
    tracemalloc.start()
    try:
        assert asyncio.run(JsonlPersistence(tmp_path).list()) == []
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.requirement("LOG-22", "LOG-19")
def test_a_listing_reads_a_header_that_is_not_alone(tmp_path: Path) -> None:
    """A header in one frame with events, in two frames, or in a torn one, is listed as well."""
    rest = lines(events(0, 9_000))
    for directory in "abc":
        line = header_line(replace(HEADER, id=directory))
        frames = {
            "a": frame(line + rest),
            "b": frame(line[:9]) + SKIPPABLE + frame(line[9:]),
            "c": frame(b"") + frame(line + rest)[:-9],
        }
        put(tmp_path, [], directory=directory).write_bytes(frames[directory])
    found = asyncio.run(JsonlPersistence(tmp_path).list())
    assert sorted(header.id for header in found) == ["a", "b", "c"]
    assert [len(inspect(tmp_path, name).events) > 0 for name in "abc"] == [True, False, True]


@pytest.mark.requirement("LOG-20", "LOG-22")
def test_a_listing_checks_a_header_frame_to_its_end(tmp_path: Path) -> None:
    """A header whose frame has a wrong checksum is not listed, however long the frame is."""
    sizes = set()
    for length in range(350, 370):
        preset = random.Random(length).randbytes(length).hex()
        spoilt = bytearray(frame(header_line(agentPreset=preset)))
        spoilt[-1] ^= 1
        sizes.add(len(spoilt))
        put(tmp_path, []).write_bytes(bytes(spoilt) + frame(lines(events(0, 1))))
        assert asyncio.run(JsonlPersistence(tmp_path).list()) == []
    # The checksum may begin where the first slice ends.
    assert sizes & {513, 514, 515}
