"""What counts as part of a log, and what is damage."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from session_query.errors import (
    PersistenceCorruptionError,
    PersistenceError,
    PersistenceNotFoundError,
)
from session_query.log import SessionEvent, SessionHeader
from session_query.log._json import dumps_bytes

from ..log.values import nested
from . import model
from .chunks import event_lists
from .stores import (
    event,
    events,
    exact,
    frame,
    header_line,
    inspect,
    line,
    lines,
    put,
    verdict,
)

TURN_END = line(event(2, "turn/end"))
START = header_line() + line(event(0)) + line(event(1))

BAD_LINES = {
    "blank": b"\n",
    "spaces": b"  \n",
    "no JSON": b"{\n",
    "NaN": b'{"type":"x","seq":2,"time":0,"data":NaN}\n',
    "infinity": b'{"type":"x","seq":2,"time":0,"data":1e999}\n',
    "BOM": b"\xef\xbb\xbf" + line(event(2)),
    "glued": line(event(2))[:-1] + line(event(3)),
    "no object": b"[]\n",
    "null": b"null\n",
    "a text": b'"type"\n',
    "seq gap": line(event(3)),
    "seq again": line(event(1)),
    "seq true": b'{"type":"x","seq":true,"time":0,"data":{}}\n',
    "seq text": b'{"type":"x","seq":"2","time":0,"data":{}}\n',
    "seq half": b'{"type":"x","seq":2.5,"time":0,"data":{}}\n',
    "no seq": b'{"type":"x","time":0,"data":{}}\n',
    "no type": b'{"seq":2,"time":0,"data":{}}\n',
    "type number": b'{"type":2,"seq":2,"time":0,"data":{}}\n',
    "no data": b'{"type":"x","seq":2,"time":0}\n',
    "no time": b'{"type":"x","seq":2,"data":{}}\n',
    "time unsafe": b'{"type":"x","seq":2,"time":9007199254740992,"data":{}}\n',
    "time unsafe negative": b'{"type":"x","seq":2,"time":-9007199254740992,"data":{}}\n',
    "time true": b'{"type":"x","seq":2,"time":true,"data":{}}\n',
    "time null": b'{"type":"x","seq":2,"time":null,"data":{}}\n',
    "unknown field": b'{"type":"x","seq":2,"time":0,"data":{},"more":1}\n',
    "ignorable false": b'{"type":"x","seq":2,"time":0,"data":{},"ignorable":false}\n',
    "ignorable 1": b'{"type":"x","seq":2,"time":0,"data":{},"ignorable":1}\n',
    "surfaceOp null": b'{"type":"x","seq":2,"time":0,"data":{},"surfaceOp":null}\n',
    "sources null": b'{"type":"x","seq":2,"time":0,"data":{},"sourceEventSeqs":null}\n',
    "other space": line(event(2))[:-1] + b"\x0b\n",
    "no-break space": line(event(2))[:-1] + b"\xc2\xa0\n",
    "CR alone": line(event(2))[:-1] + b"\r" + line(event(3)),
    "too deep": b'{"type":"x","seq":2,"time":0,"data":' + b"[" * 11_000 + b"]" * 11_000 + b"}\n",
}


def events_before(found: Any) -> bool:
    """Tell whether exactly the two events of START were read."""
    return bool(found == [event(0).to_json(), event(1).to_json()])


@pytest.mark.requirement("LOG-20", "LOG-3")
@pytest.mark.parametrize("bad", BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_fatal_where_a_turn_ends_behind_it(tmp_path: Path, bad: bytes) -> None:
    """Damage before the last `turn/end` is corruption; behind it, the tail is dropped."""
    path = put(tmp_path, START + bad + line(event(3)) + TURN_END)
    assert verdict(tmp_path) == 4
    for tail in (bad, bad + line(event(2)) + line(event(3))):
        path.write_bytes(START + tail)
        assert events_before(verdict(tmp_path))
        path.write_bytes(header_line() + line(event(0)) + line(event(1, "turn/end")) + tail)
        assert len(inspect(tmp_path).events) == 2


@pytest.mark.requirement("LOG-20")
@pytest.mark.parametrize(
    "last",
    [
        b'{"type":"turn/end"}\n',
        b'{"type":"turn/end","seq":true,"time":0,"data":{}}\n',
        b'{"seq":77,"type":"turn\\/end"}\n',
        b'{"type":"turn\\u002fend"}\r\n',
    ],
)
def test_a_bad_line_that_ends_a_turn_is_fatal_itself(tmp_path: Path, last: bytes) -> None:
    """A line that says it's a `turn/end` makes damage fatal, whatever else is wrong with it."""
    path = put(tmp_path, START + last)
    assert verdict(tmp_path) == 4
    path.write_bytes(START + b"\n" + line(event(2)) + last)
    assert verdict(tmp_path) == 4


@pytest.mark.requirement("LOG-3", "LOG-20")
@pytest.mark.parametrize("seq", [0, 1])
def test_a_boolean_is_no_seq(tmp_path: Path, seq: int) -> None:
    """`true` and `false` are not the seqs 1 and 0, though they equal them in Python."""
    bad = f'{{"type":"x","seq":{"true" if seq else "false"},"time":0,"data":{{}}}}\n'.encode()
    put(tmp_path, header_line() + lines(events(0, seq)) + bad + TURN_END)
    assert verdict(tmp_path) == seq + 2


@pytest.mark.requirement("LOG-20")
@pytest.mark.parametrize("compressed", [False, True])
def test_damage_is_judged_by_the_whole_rest(tmp_path: Path, *, compressed: bool) -> None:
    """A bad line drops what follows, megabytes on too, unless a turn ends there."""
    rest = lines(event(seq, data="x" * 999) for seq in range(2, 3_000))
    for tail in ([], [event(3_000)]):
        data = [START, b"\n" + line(event(2)), rest, lines(tail)]
        path = put(tmp_path, data if compressed else b"".join(data))
        assert events_before(verdict(tmp_path))
        end = line(event(0, "turn/end"))
        path.write_bytes(path.read_bytes() + (frame(end) if compressed else end))
        assert verdict(tmp_path) == 4


@pytest.mark.requirement("LOG-20", "LOG-22")
@pytest.mark.parametrize(
    "start", [b"", header_line()[:-1], START], ids=["nothing", "header", "events"]
)
def test_a_line_without_end_is_given_up(tmp_path: Path, start: bytes) -> None:
    """A file that goes on for terabytes without a newline is corrupt, and fills no memory."""
    os.truncate(put(tmp_path, start), 2**42)
    reason = "longer than" if start == START else "header: longer than"
    with pytest.raises(PersistenceCorruptionError, match=f"line [14]: {reason}"):
        inspect(tmp_path)


@pytest.mark.requirement("LOG-20")
@pytest.mark.parametrize(
    "last",
    [
        b'{"type":"turn/end","seq":2\n',
        b'{"kind":"turn/end"}\n',
        b'["turn/end"]\n',
        b'"turn/end"\n',
        TURN_END[:-1] + TURN_END,
        TURN_END[:-1],
    ],
    ids=["no JSON", "another field", "a list", "a text", "glued", "not committed"],
)
def test_only_a_line_that_says_so_ends_a_turn(tmp_path: Path, last: bytes) -> None:
    """The words in a line that isn't a JSON object of that type, or has no newline, end no turn."""
    put(tmp_path, START + b"\n" + last)
    assert events_before(verdict(tmp_path))


@pytest.mark.requirement("LOG-20")
@pytest.mark.parametrize("compressed", [False, True])
def test_the_newline_commits(tmp_path: Path, *, compressed: bool) -> None:
    """A last line without newline is dropped, complete or not, and the file stays as it is."""
    for tail in (TURN_END[:-1], TURN_END[:9], b"\x00" * 4096, b"\r"):
        path = put(
            tmp_path,
            [header_line(), START[len(header_line()) :] + tail] if compressed else START + tail,
        )
        before = path.read_bytes()
        assert events_before(verdict(tmp_path))
        assert path.read_bytes() == before


@pytest.mark.requirement("LOG-20", "LOG-23")
def test_only_u000a_ends_a_line(tmp_path: Path) -> None:
    """Other line separators, raw or escaped, are text."""
    text = "a\u2028b\u2029c\x85d\ve\ff\x1cg\rh"
    raw = START + '{"type":"x","seq":2,"time":0,"data":"\u2028\u2029\x85"}\n'.encode()
    put(tmp_path, raw + line(event(3, data=text)) + line(event(4, "turn/end")))
    found = verdict(tmp_path)
    assert isinstance(found, list)
    assert [item["data"] for item in found[2:4]] == ["\u2028\u2029\x85", text]


@pytest.mark.requirement("LOG-20")
def test_crlf_and_white_space_around_a_line_are_accepted(tmp_path: Path) -> None:
    """Lines may end in CRLF, the header's included, and stand between blanks that JSON allows."""
    put(tmp_path, (START + b" \t" + TURN_END[:-1] + b"  \n").replace(b"\n", b"\r\n"))
    assert len(inspect(tmp_path).events) == 3


@pytest.mark.requirement("LOG-20", "LOG-23")
def test_bytes_that_are_not_utf8_read_as_replacement(tmp_path: Path) -> None:
    """Each maximal part of an invalid sequence is one U+FFFD, at the end of a line too."""
    bad = b'{"type":"x","seq":2,"time":0,"data":"a\xffb\xe2\x82c\xed\xa0\x80d\xf0\x9f"}\n'
    put(tmp_path, START + bad + line(event(3, "turn/end")))
    found = verdict(tmp_path)
    assert isinstance(found, list)
    assert found[2]["data"] == "a\ufffdb\ufffdc\ufffd\ufffd\ufffdd\ufffd"


@pytest.mark.requirement("LOG-3", "LOG-20")
def test_integral_floats_are_integers(tmp_path: Path) -> None:
    """`1.0` and `2e0` count as integers in the envelope, and are given back as such."""
    put(tmp_path, START + b'{"type":"turn/end","seq":2e0,"time":-5.0,"data":{"n":1.0}}\n')
    found = verdict(tmp_path)
    assert isinstance(found, list)
    assert exact(found[2]) == exact({"type": "turn/end", "seq": 2, "time": -5, "data": {"n": 1.0}})


@pytest.mark.requirement("LOG-4", "LOG-20")
def test_what_the_fold_judges_passes(tmp_path: Path) -> None:
    """`surfaceOp` and `sourceEventSeqs` of any JSON, and data that is no object, are read as is."""
    values: list[Any] = ["x", False, 0, {"op": []}, [None, 1.0]]
    stored = [
        SessionEvent("host/own", seq, 0, value, surface_op=value, source_event_seqs=value)
        for seq, value in enumerate(values)
    ]
    stored.append(SessionEvent("host/own", len(values), 0, None))
    put(tmp_path, header_line() + lines(stored))
    assert exact(verdict(tmp_path)) == exact([item.to_json() for item in stored])


@pytest.mark.requirement("LOG-4")
def test_deep_nesting_and_long_integers_are_read(tmp_path: Path) -> None:
    """Ten thousand levels, integers of ten thousand digits and lines of megabytes are read."""
    number = 10**10_000 + 1
    deep = nested(10_000, leaf=number)
    stored = [event(0, data=deep), event(1, data={"long": "x" * 3_000_000}), event(2, "turn/end")]
    put(tmp_path, header_line() + lines(stored))
    assert [dumps_bytes(item.to_json()) for item in inspect(tmp_path).events] == [
        dumps_bytes(item.to_json()) for item in stored
    ]


HEADERS = {
    "empty file": b"",
    "no newline": header_line()[:-1],
    "blank": b"\n",
    "BOM": b"\xef\xbb\xbf" + header_line(),
    "no JSON": b"{\n",
    "no object": b"[]\n",
    "an event": line(event(0)),
    "another type": header_line(type="host"),
    "no depth": header_line(delegationDepth=None),
    "null cwd": header_line()[:-2] + b',"parentSession":null}\n',
    "unknown field": header_line(more=1),
    "version 1": header_line(version=1),
    "version true": header_line(version=True),
    "no version": header_line(version=None),
    "another id": header_line(id="t"),
    "another cwd": header_line(cwd="/v"),
    "no cwd": header_line(cwd=None),
    "createdAt negative": header_line(createdAt=-1),
    "createdAt text": header_line(createdAt="1"),
    "origin": header_line(origin="human"),
    "seedLength": header_line(seedLength=-1),
    "too long": header_line(agentPreset="x" * 2**20),
}


@pytest.mark.requirement("LOG-18", "LOG-20", "LOG-1")
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_a_damaged_header_is_corruption(tmp_path: Path, header: bytes, *, compressed: bool) -> None:
    """A header that is damaged, unsupported or of another path is corruption, turn or no turn."""
    put(tmp_path, [header, line(event(0))] if compressed else header + line(event(0)))
    assert verdict(tmp_path) == 1


@pytest.mark.requirement("LOG-18")
def test_an_integral_float_counts_in_a_header_too(tmp_path: Path) -> None:
    """`0.0` is version 0."""
    put(tmp_path, header_line(version=0.0, createdAt=5.0, delegationDepth=1.0))
    assert inspect(tmp_path).header == SessionHeader(0, "s", 5, "/w", delegation_depth=1)


@pytest.mark.requirement("LOG-16")
@pytest.mark.parametrize("session_id", ["s", "", ".", "..", "../w/s", "x" * 300, "\ud800", "a\0b"])
def test_an_unknown_session_is_not_found(tmp_path: Path, session_id: str) -> None:
    """An id that isn't stored is reported as such, however hostile, and with or without a root."""
    put(tmp_path, START, directory="other")
    for root in (tmp_path, tmp_path / "missing"):
        with pytest.raises(PersistenceNotFoundError) as caught:
            inspect(root, session_id)
        assert caught.value.session_id == session_id


MUTATIONS = [
    *(
        b"",
        b"\n",
        b"\r",
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xe2\x80\xa8",
        b"{",
        b"}",
        b"[",
        b'"',
    ),
    *(b",", b"0", b"1.0", b"-", b"1e5", b"1e999", b"NaN", b"true", b"null", b"\\", b"\\u002f"),
    *(b"turn/end", b'"type":"turn/end",', b'"seq":1', b'"seq0":2,', b"{}\n"),
    *(line(event(0)), line(event(3, "turn/end"))),
]


@st.composite
def mutated_logs(draw: st.DrawFn) -> bytes:
    """A sound log with up to three edits of its bytes or its lines."""
    stored = draw(event_lists() | st.just([event(0), event(1, "turn/end"), event(2)]))
    rows = [header_line(), *(line(item) for item in stored)]
    for _ in range(draw(st.integers(0, 2))):
        at, to = draw(st.integers(0, len(rows) - 1)), draw(st.integers(0, len(rows) - 1))
        match draw(st.integers(0, 3)):
            case 0:
                rows.insert(to, rows[at])
            case 1 if len(rows) > 1:
                del rows[at]
            case 2:
                rows[at], rows[to] = rows[to], rows[at]
            case _:
                rows[at] = rows[at].rstrip(b"\n")
    data = b"".join(rows)
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(data)))
        cut = draw(st.sampled_from([0, 0, 1, 2, 5, 40]))
        data = data[:at] + draw(st.sampled_from(MUTATIONS)) + data[at + cut :]
    return data


@pytest.mark.requirement("LOG-20", "LOG-18", "LOG-3")
@given(data=mutated_logs())
@example(data=b"")
@example(data=b"\n")
@example(data=header_line() + b'{"type":"turn/end","seq":0,"time":1e400,"data":0}\n')
def test_the_reader_agrees_with_a_model(data: bytes) -> None:
    """For any damage, the reader finds the events, or the corrupt line, that the model does."""
    with tempfile.TemporaryDirectory() as root:
        put(Path(root), data)
        assert exact(verdict(Path(root))) == exact(model.read(data, "s", "w"))


@pytest.mark.requirement("LOG-20", "LOG-19")
@given(data=mutated_logs(), cuts=st.lists(st.integers(0, 400), max_size=4))
def test_frames_change_nothing(data: bytes, cuts: list[int]) -> None:
    """However its bytes are spread over frames, a compressed log reads as the plain one does."""
    bounds = sorted({0, len(data), *(min(cut, len(data)) for cut in cuts)})
    pieces = [data[start:end] for start, end in pairwise(bounds)]
    with tempfile.TemporaryDirectory() as root:
        put(Path(root), [*pieces, b""])
        assert exact(verdict(Path(root))) == exact(model.read(data, "s", "w"))


@st.composite
def spoilt_files(draw: st.DrawFn) -> tuple[bytes, list[bytes], bool]:
    """The bytes of a file with any edit, the lines it had before, and whether it's compressed."""
    rows = [
        header_line(),
        *(line(item) for item in draw(event_lists())),
        line(event(0, "turn/end")),
    ]
    compressed = draw(st.booleans())
    data = b"".join(frame(row) if compressed else row for row in rows)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.binary(max_size=6)) + data[at + draw(st.integers(0, 9)) :]
    return data, rows, compressed


@pytest.mark.requirement("LOG-20", "LOG-19")
@given(spoilt=spoilt_files())
def test_no_bytes_crash_the_reader(spoilt: tuple[bytes, list[bytes], bool]) -> None:
    """Any bytes give either a typed error or a log whose events are numbered from 0."""
    data, _, compressed = spoilt
    with tempfile.TemporaryDirectory() as root:
        put(Path(root), [] if compressed else b"").write_bytes(data)
        with suppress(PersistenceError):
            stored = inspect(Path(root))
            assert stored.header.id == "s"
            assert [item.seq for item in stored.events] == [*range(len(stored.events))]


@pytest.mark.requirement("LOG-20", "LOG-19")
@given(
    stored=event_lists(),
    at=st.integers(0, 10_000),
    to=st.integers(1, 255),
)
def test_a_flipped_byte_in_frames_never_alters_events(
    stored: list[SessionEvent], at: int, to: int
) -> None:
    """With one byte changed, a compressed log is corrupt or reads as a prefix of what it was."""
    data = bytearray(b"".join(map(frame, [header_line(), *map(line, stored)])))
    data[at % len(data)] ^= to
    with tempfile.TemporaryDirectory() as root:
        put(Path(root), []).write_bytes(data)
        found = verdict(Path(root))
    if isinstance(found, list):
        assert exact(found) == exact([item.to_json() for item in stored[: len(found)]])
