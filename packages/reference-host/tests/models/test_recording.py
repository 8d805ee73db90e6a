"""Requests that are written down for tests (HOST-7)."""

from __future__ import annotations

from pathlib import Path

import pytest
from reference_host.errors import ModelError
from reference_host.models import ModelRequest, RecordingModel, ReplayModel
from session_query import loads

from .servers import REQUEST, chunks_of, run

STOP = {"type": "finish", "reason": {"kind": "stop"}}
ODD = ModelRequest(
    {"model": "small", "temperature": 1.0},
    "Grüße\n\u2028\x00",
    [{"name": "read", "parameters": {"b": 1, "a": 10**30}}],
    [{"role": "user", "content": [{"type": "text", "text": "世界 \ud800"}]}],
)


@pytest.mark.requirement("HOST-7")
def test_each_request_is_a_line_byte_for_byte(tmp_path: Path) -> None:
    """A line is the JSON text of the request: order of keys, numbers and lone surrogates too."""
    path = tmp_path / "requests.jsonl"
    model = RecordingModel(ReplayModel([[STOP], [STOP], [STOP]]), path)

    async def main() -> None:
        for request in (REQUEST, ODD, REQUEST):
            assert await chunks_of(model, request) == [STOP]

    run(main())
    lines = path.read_bytes().split(b"\n")
    assert lines == [*(one.encoded().encode() for one in (REQUEST, ODD, REQUEST)), b""]
    assert loads(lines[1]) == ODD.to_json()
    assert list(ODD.to_json()) == ["config", "system", "tools", "messages"]
    assert b'"temperature":1.0' in lines[1]
    assert b'{"b":1,"a":1000000000000000000000000000000}' in lines[1]
    assert rb"\ud800" in lines[1]


@pytest.mark.requirement("HOST-7")
def test_a_request_is_written_before_it_is_answered(tmp_path: Path) -> None:
    """A request that fails is on record as well, and the failure is the model's own."""
    path = tmp_path / "requests.jsonl"
    model = RecordingModel(ReplayModel([]), path)

    async def main() -> None:
        with pytest.raises(ModelError) as caught:
            await chunks_of(model)
        assert caught.value.code == "MODEL_SCRIPT_ENDED"

    run(main())
    assert path.read_text("utf-8") == REQUEST.encoded() + "\n"


class _Closing(ReplayModel):
    """Knows whether it was closed."""

    closed = False

    async def close(self) -> None:
        self.closed = True


@pytest.mark.requirement("HOST-7")
def test_recording_changes_nothing_of_the_model(tmp_path: Path) -> None:
    """Its name in the log is the model's, and closing it closes the model."""
    model = _Closing([])
    recording = RecordingModel(model, tmp_path / "requests.jsonl")
    assert recording.config == model.config

    run(recording.close())
    assert model.closed
