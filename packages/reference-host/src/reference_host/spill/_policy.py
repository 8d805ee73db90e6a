"""Puts outputs that are too long for a model where it can read on in them (SPILL-2, SPILL-3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from reference_host._diagnostics import logger
from reference_host.spill._replacement import replacement
from reference_host.spill._store import SpillRef, SpillSource, SpillStore
from reference_host.tools._tool import ToolOutput

__all__ = ["META_KEY", "SpillPolicy"]

META_KEY: Final = "spill"
"""Where the meta of an output tells of its spilled text, which its session may read (SPILL-4)."""
_READING: Final = "read"
"""The tool that reads spilled texts: its own output would be spilled for ever."""


class SpillPolicy:
    """Keeps what the tools answer within a number of bytes.

    Args:
        store: where long texts go; without one, they stay as they are.
        max_inline_bytes: the most bytes of UTF-8 that are shown to a model; None for any number.
    """

    def __init__(self, store: SpillStore | None, max_inline_bytes: int | None) -> None:
        self._store = store
        self._max_inline_bytes = max_inline_bytes

    async def apply(
        self, output: ToolOutput, *, owner_session_id: str | None, tool_name: str, call_id: str
    ) -> ToolOutput:
        """Return the output of a tool, or what is shown of it while a store keeps the whole.

        The very output stays where nothing is to be spilled, and, with one warning, where the text
        has no owner, there is no store, the notice does not fit, or saving fails.
        """
        output = _without_claim(output)
        text = None if output.blocked or tool_name == _READING else output.text
        most = self._max_inline_bytes
        if text is None or most is None:
            return output
        size = len(text.encode("utf-8", "surrogatepass"))
        if size <= most:
            return output
        source = SpillSource(tool_name, call_id, f"result of {tool_name}")
        try:
            shown, ref = await self._spill(text, size, most, owner_session_id, source)
        except _NotSpilledError as error:
            code, reason = error.code, str(error)
        except Exception as error:  # noqa: BLE001 - no store makes a call fail that went well
            code, reason = "SPILL_SAVE_FAILED", f"saving failed: {error!r}"
        else:
            spill = {"locator": ref.locator, "bytes": ref.bytes}
            meta = {**output.meta, META_KEY: spill}
            return replace(output, content=ToolOutput.of_text(shown).content, meta=meta)
        logger.warning(
            "session %s: %d bytes of tool %s were not spilled: %s",
            ascii(owner_session_id),
            size,
            ascii(tool_name),
            reason,
            extra={"session_id": owner_session_id, "code": code, "reason": reason},
        )
        return output

    async def _spill(
        self, text: str, size: int, most: int, owner: str | None, source: SpillSource
    ) -> tuple[str, SpillRef]:
        """Keep a text; return what is shown in its place, and where it is kept."""
        if not owner:
            raise _NotSpilledError("SPILL_NO_OWNER", "no session owns it")
        if self._store is None:
            raise _NotSpilledError("SPILL_NO_STORE", "there is no spill store")
        name = f"{source.tool_name}.txt"
        # Nothing is kept for a notice that has no room.
        if replacement(text, self._store.draft(name, size), most) is not None:
            ref = await self._store.save_text(owner, source, name, text)
            shown = replacement(text, ref, most)
            if shown is not None:
                return shown, ref
        raise _NotSpilledError("SPILL_NO_ROOM", f"the notice does not fit into {most} bytes")


class _NotSpilledError(Exception):
    """Raised where an output stays as it is; `code` names why."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def _without_claim(output: ToolOutput) -> ToolOutput:
    """Return an output that names no spilled text: a tool could name that of another session."""
    if META_KEY not in output.meta:
        return output
    return replace(output, meta={key: output.meta[key] for key in output.meta if key != META_KEY})
