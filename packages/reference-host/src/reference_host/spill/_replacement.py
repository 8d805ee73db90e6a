"""What a model is shown in place of a text that was spilled (SPILL-2)."""

from __future__ import annotations

from typing import Final

from reference_host.spill._store import SpillRef

__all__ = ["replacement"]

_ENCODING: Final = ("utf-8", "surrogatepass")


def replacement(text: str, ref: SpillRef, max_inline_bytes: int) -> str | None:
    """Return the head and the tail of a text with one notice between them.

    It never has more than `max_inline_bytes` bytes of UTF-8, and no code point is split.

    Args:
        text: what was spilled; it is longer than `max_inline_bytes`.
        ref: where it is kept.
        max_inline_bytes: the most bytes to return.

    Returns:
        The replacement, or None where not even the notice fits.
    """
    data = text.encode(*_ENCODING)
    # The notice is reserved first. Nothing that is omitted has more digits than the whole.
    reserved = len(_notice(len(data), len(data), ref).encode(*_ENCODING))
    room = max_inline_bytes - reserved
    if room < 0:
        return None
    head = _begins_code_point(data, (room + 1) // 2, -1)
    tail = _begins_code_point(data, len(data) - room // 2, 1)
    notice = _notice(tail - head, len(data), ref)
    return data[:head].decode(*_ENCODING) + notice + data[tail:].decode(*_ENCODING)


def _notice(omitted: int, total: int, ref: SpillRef) -> str:
    told = f"[{omitted} of {total} bytes omitted. The whole text: {ref.locator}"
    return f"\n{told} - {ref.retrieval_hint}]\n"


def _begins_code_point(data: bytes, index: int, step: int) -> int:
    """Return the next index in the direction of `step` at which a code point begins or all ends."""
    while index < len(data) and data[index] & 0xC0 == 0x80:  # noqa: PLR2004 - UTF-8's own numbers
        index += step
    return index
