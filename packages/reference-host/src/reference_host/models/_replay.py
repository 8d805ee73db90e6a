"""A model that answers from a script: for tests, and without a key (HOST-7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reference_host.errors import ModelError
from reference_host.models._model import Chunk, ModelRequest

__all__ = ["ReplayModel"]


class _Chunk(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=False)


class _Delta(_Chunk):
    type: Literal["text-delta", "reasoning-delta"]
    index: int = Field(default=0, ge=0)
    text: str


class _ToolCallDelta(_Chunk):
    type: Literal["tool-call-delta"]
    index: int = Field(default=0, ge=0)
    id: str = Field(min_length=1)
    name: str | None = None
    arguments_delta: str = Field(alias="argumentsDelta")


class _Usage(_Chunk):
    type: Literal["usage"]
    usage: dict[str, Any]


class _Reason(_Chunk):
    kind: str


class _Finish(_Chunk):
    type: Literal["finish"]
    reason: _Reason


class _Wait(_Chunk):
    type: Literal["wait"]


_AnyChunk = Annotated[
    _Delta | _ToolCallDelta | _Usage | _Finish | _Wait, Field(discriminator="type")
]


class _Script(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    replies: list[list[_AnyChunk]]


class ReplayModel:
    """Answers each request with the next reply of a script.

    A script is a JSON object `{"replies": [[chunk, …], …]}` with one list of chunks for each
    request. A chunk `{"type": "wait"}` waits until the turn is cancelled. A `finish` that is left
    out is added.

    Args:
        replies: the chunks of each reply.
        name: what the script is called in errors.
    """

    def __init__(self, replies: Sequence[Sequence[Chunk]], name: str = "the script") -> None:
        # as in a file, the first block needs no number
        self._replies = [[_numbered(chunk) for chunk in reply] for reply in replies]
        self._name = name
        self._asked = 0

    @classmethod
    def of_file(cls, path: Path) -> ReplayModel:
        """Read a script.

        Raises:
            ModelError: `MODEL_SCRIPT_INVALID`; the file can't be read, or is none.
        """
        try:
            script = _Script.model_validate_json(path.read_bytes())
        except OSError as error:
            problem = f"the script {path} can't be read: {error.strerror or error}"
            raise ModelError(problem, "MODEL_SCRIPT_INVALID") from error
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, found["loc"])) or "the whole file"
            problem = f"the script {path} is invalid at {where}: {found['msg']}"
            raise ModelError(problem, "MODEL_SCRIPT_INVALID") from error
        replies = [
            [chunk.model_dump(by_alias=True, exclude_none=True) for chunk in reply]
            for reply in script.replies
        ]
        return cls(replies, str(path))

    @property
    def config(self) -> Mapping[str, Any]:
        """What names the model."""
        return {"provider": "replay", "model": "script"}

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Yield the chunks of the next reply.

        Raises:
            ModelError: `MODEL_SCRIPT_ENDED`; there is no further reply.
        """
        del request
        asked, self._asked = self._asked, self._asked + 1
        if asked >= len(self._replies):
            problem = (
                f"{self._name} has {len(self._replies)} replies, and a reply number {asked + 1} was"
                " asked for; add it to `replies`"
            )
            raise ModelError(problem, "MODEL_SCRIPT_ENDED")
        finished = False
        for chunk in self._replies[asked]:
            if chunk["type"] == "wait":
                await asyncio.get_running_loop().create_future()
            finished = finished or chunk["type"] == "finish"
            yield chunk
            # as a model over a network would: others run between two chunks
            await asyncio.sleep(0)
        if not finished:
            called = any(chunk["type"] == "tool-call-delta" for chunk in self._replies[asked])
            yield {"type": "finish", "reason": {"kind": "tool-calls" if called else "stop"}}

    async def close(self) -> None:
        """Do nothing: a script holds nothing."""


def _numbered(chunk: Chunk) -> Chunk:
    if "index" in chunk or not str(chunk.get("type")).endswith("-delta"):
        return chunk
    return {"type": chunk["type"], "index": 0, **chunk}
