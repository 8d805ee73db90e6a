"""The model that answers from a script (HOST-7)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from reference_host.errors import ModelError
from reference_host.models import ReplayModel

from .servers import REQUEST, chunks_of, run

TEXT = {"type": "text-delta", "index": 0, "text": "Hello"}
CALL = {
    "type": "tool-call-delta",
    "index": 1,
    "id": "c1",
    "name": "read",
    "argumentsDelta": '{"path":"a"}',
}
USAGE = {"type": "usage", "usage": {"outputTokens": 3}}
STOP = {"type": "finish", "reason": {"kind": "stop"}}


def _file(folder: Path, script: object) -> Path:
    path = folder / "script.json"
    path.write_text(script if isinstance(script, str) else json.dumps(script), "utf-8")
    return path


@pytest.mark.requirement("HOST-7")
def test_each_request_gets_the_next_reply_of_the_file(tmp_path: Path) -> None:
    """The chunks come as the script has them, one reply a request, whatever is asked."""
    replies = [[TEXT, CALL, USAGE, STOP], [{**TEXT, "text": "Bye"}, STOP]]
    model = ReplayModel.of_file(_file(tmp_path, {"replies": replies}))

    async def main() -> None:
        assert await chunks_of(model) == replies[0]
        assert await chunks_of(model) == replies[1]
        await model.close()

    run(main())


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize(
    ("reply", "kind"), [([], "stop"), ([TEXT], "stop"), ([TEXT, CALL], "tool-calls")]
)
def test_a_finish_that_is_left_out_is_added(reply: list[Any], kind: str) -> None:
    """A script is short to write: a reply without a finish is whole."""

    async def main() -> None:
        finish = {"type": "finish", "reason": {"kind": kind}}
        assert await chunks_of(ReplayModel([reply])) == [*reply, finish]

    run(main())


@pytest.mark.requirement("HOST-7")
def test_asking_for_more_than_the_script_has_fails_clearly(tmp_path: Path) -> None:
    """The error names the script, how many replies it has and which one was asked for."""
    path = _file(tmp_path, {"replies": [[TEXT]]})
    model = ReplayModel.of_file(path)

    async def main() -> None:
        await chunks_of(model)
        for asked in (2, 3):
            with pytest.raises(ModelError) as caught:
                await chunks_of(model)
            assert caught.value.code == "MODEL_SCRIPT_ENDED"
            assert str(path) in caught.value.message
            assert f"has 1 replies, and a reply number {asked}" in caught.value.message

    run(main())


@pytest.mark.requirement("HOST-7")
def test_a_wait_lasts_until_it_is_cancelled() -> None:
    """What stands before a wait arrives, what stands behind it never does."""
    model = ReplayModel([[TEXT, {"type": "wait"}, STOP]])

    async def main() -> None:
        heard: list[Any] = []
        waiting = asyncio.Event()

        async def ask() -> None:
            async for chunk in model.stream(REQUEST):
                heard.append(chunk)
                waiting.set()

        asking = asyncio.create_task(ask())
        await waiting.wait()
        for _ in range(10):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait([asking])
        assert asking.cancelled()
        assert heard == [TEXT]

    run(main())


@pytest.mark.requirement("HOST-7")
@pytest.mark.parametrize(
    ("script", "place"),
    [
        ("{", "the whole file"),
        ("[]", "the whole file"),
        ({}, "replies"),
        ({"replies": [[TEXT]], "more": 1}, "more"),
        ({"replies": [TEXT]}, "replies.0"),
        ({"replies": [[TEXT], [TEXT, {"type": "text-delta"}]]}, "replies.1.1"),
        ({"replies": [[{"type": "song"}]]}, "replies.0.0"),
        ({"replies": [[{**TEXT, "index": -1}]]}, "replies.0.0.text-delta.index"),
        ({"replies": [[{**TEXT, "text": 5}]]}, "replies.0.0.text-delta.text"),
        ({"replies": [[{**TEXT, "more": 5}]]}, "replies.0.0.text-delta.more"),
        ({"replies": [[{**CALL, "id": ""}]]}, "replies.0.0.tool-call-delta.id"),
        ({"replies": [[{**STOP, "reason": {}}]]}, "replies.0.0.finish.reason.kind"),
    ],
    ids=str,
)
def test_an_invalid_script_names_the_place(script: object, place: str, tmp_path: Path) -> None:
    """Before anything is asked, the error names the file and where in it the fault is."""
    path = _file(tmp_path, script)
    with pytest.raises(ModelError) as caught:
        ReplayModel.of_file(path)
    assert caught.value.code == "MODEL_SCRIPT_INVALID"
    assert f"{path} is invalid at {place}" in caught.value.message


@pytest.mark.requirement("HOST-7")
def test_a_script_that_is_not_there_is_told(tmp_path: Path) -> None:
    """The error says which file can't be read, and why."""
    path = tmp_path / "none.json"
    with pytest.raises(ModelError, match=r"none\.json can't be read: No such file") as caught:
        ReplayModel.of_file(path)
    assert caught.value.code == "MODEL_SCRIPT_INVALID"
