"""An answer of a model, put together from its chunks."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from reference_host.dispatch import ToolCall
from reference_host.errors import ModelError
from reference_host.models import Chunk

__all__ = ["Answer"]


class Answer:
    """Collects the chunks of one answer; blocks are in the order of their indexes.

    Args:
        new_id: gives an id to a call that has none, or one that another call of the answer has.
    """

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._blocks: dict[int, dict[str, Any]] = {}
        self._pieces: dict[int, list[str]] = {}
        self.usage: Any = None
        self.finish: str | None = None

    def add(self, chunk: Chunk) -> None:
        """Add a chunk; one of an unknown type changes nothing.

        Raises:
            ModelError: `MODEL_INVALID_ANSWER`; a chunk has not what its type asks for, or a block
                changes its type.
        """
        try:
            self._add(chunk)
        except (KeyError, TypeError) as error:
            problem = f"a chunk of the answer is malformed: {type(error).__name__}: {error}"
            raise ModelError(problem, "MODEL_INVALID_ANSWER") from error

    def _add(self, chunk: Chunk) -> None:
        match chunk["type"]:
            case "text-delta":
                self._piece(chunk["index"], "text", _text(chunk["text"]))
            case "reasoning-delta":
                self._piece(chunk["index"], "reasoning", _text(chunk["text"]))
            case "tool-call-delta":
                piece = _text(chunk["argumentsDelta"])
                block = self._piece(chunk["index"], "tool-call", piece, id="", name="")
                block["id"] = block["id"] or _text(chunk.get("id", ""))
                block["name"] = block["name"] or _text(chunk.get("name", ""))
            case "usage":
                self.usage = chunk["usage"]
            case "finish":
                self.finish = _text(chunk["reason"]["kind"])

    def content(self, *, whole: bool) -> list[dict[str, Any]]:
        """Return the blocks; of an answer that broke off, its calls are left out.

        Nobody answers those, and a history with an unanswered call is refused by models.
        """
        blocks = [self._joined(index) for index in sorted(self._blocks)]
        if not whole:
            return [block for block in blocks if block["type"] != "tool-call" and block["text"]]
        taken: set[str] = set()
        for block in blocks:
            if block["type"] == "tool-call":
                while not block["id"] or block["id"] in taken:
                    block["id"] = f"call-{self._new_id()}"
                taken.add(block["id"])
        return blocks

    @staticmethod
    def calls(content: list[dict[str, Any]]) -> list[ToolCall]:
        """Return the calls among blocks, in order."""
        return [
            ToolCall(block["id"], block["name"], block["arguments"])
            for block in content
            if block["type"] == "tool-call"
        ]

    def _piece(self, index: int, kind: str, piece: str, **initial: str) -> dict[str, Any]:
        """Keep a piece of a block, which is put together once; return the rest of the block."""
        index = operator.index(index)
        block = self._blocks.setdefault(index, {"type": kind, **initial})
        if block["type"] != kind:
            problem = f"block {index} of the answer is {block['type']} and {kind} at once"
            raise ModelError(problem, "MODEL_INVALID_ANSWER")
        self._pieces.setdefault(index, []).append(piece)
        return block

    def _joined(self, index: int) -> dict[str, Any]:
        block = self._blocks[index]
        name = "arguments" if block["type"] == "tool-call" else "text"
        return {**block, name: "".join(self._pieces[index])}


def _text(given: object) -> str:
    if not isinstance(given, str):
        raise TypeError(f"{type(given).__name__} in the place of text")
    return given
