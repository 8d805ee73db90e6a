"""Who calls, as they were when the call came in (AUTH-1, AUTH-2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from session_query import AbortSignal, SessionEvent, SessionHeader

from tool_session_query._errors import SessionQueryToolError, ToolErrorCode
from tool_session_query._run import Run

__all__ = ["Caller", "is_workspace"]

_ABSOLUTE: Final = re.compile(r"/|[A-Za-z]:[\\/]|\\\\[^\\]")


def is_workspace(cwd: str | None) -> bool:
    """Tell whether a working directory names a workspace that sessions can share (AUTH-2)."""
    return cwd is not None and _ABSOLUTE.match(cwd) is not None and "\ufffd" not in cwd


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller as they were when the call came in; later changes have no effect (AUTH-1)."""

    header: SessionHeader
    events: Sequence[SessionEvent]
    signal: AbortSignal

    @classmethod
    def of(cls, run: Run) -> Caller:
        """Return who calls.

        Raises:
            SessionQueryToolError: `MISSING_AGENT`.
        """
        agent = run.agent
        session = None if agent is None else agent.session
        if session is None:
            raise SessionQueryToolError(
                "This call comes from no agent's session, so there is nothing that it may read.",
                ToolErrorCode.MISSING_AGENT,
            )
        return cls(session.header, session.events, run.signal)

    @property
    def id(self) -> str:
        """The id of the caller's own session."""
        return self.header.id

    @property
    def workspace(self) -> str | None:
        """The workspace of the caller; None where there is none."""
        return self.header.cwd if is_workspace(self.header.cwd) else None

    def may_see(self, header: SessionHeader) -> bool:
        """Tell whether a session, as its header was observed, may be shown (AUTH-2).

        The own session may, as long as it is the one that the call came from.
        """
        workspace = self.workspace
        if workspace is not None:
            return header.cwd == workspace
        return header.id == self.id and header.compatible_with(self.header)
