"""The blocks of a prompt, as the log has them (ACP-1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from acp.exceptions import RequestError
from acp.schema import (
    EmbeddedResourceContentBlock,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)

__all__ = ["logged_blocks"]


def logged_blocks(prompt: Iterable[Any]) -> list[dict[str, Any]]:
    """Return a prompt as text blocks: what it embeds is quoted, what it links to is named.

    Raises:
        RequestError: it is empty, or holds what this agent has not said that it takes.
    """
    blocks = [{"type": "text", "text": _text(block)} for block in prompt]
    if not any(block["text"].strip() for block in blocks):
        raise RequestError(-32602, "The prompt is empty")
    return blocks


def _text(block: Any) -> str:
    match block:
        case TextContentBlock():
            return block.text
        case ResourceContentBlock():
            return f"[{block.name}]({block.uri})"
        case EmbeddedResourceContentBlock(resource=TextResourceContents() as resource):
            return f"{resource.uri}:\n{resource.text}"
        case _:
            problem = f"This agent takes text and text resources, not {block.type}"
            raise RequestError(-32602, problem)
