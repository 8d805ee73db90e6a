"""Titles of many sessions, holding few logs at a time (READ-3, READ-4)."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from session_query.cancellation import AbortSignal, map_bounded
from session_query.corpus._failures import session_not_found
from session_query.corpus._logical import LogicalCorpus, SessionObservation
from session_query.corpus._offload import offload
from session_query.errors import SessionQueryError
from session_query.log import JsonValue, SessionHeader, SessionTitle, fold_title
from session_query.persistence import PersistedSnapshot

__all__ = ["TitleObservation", "TitleResult", "read_titles"]


@dataclass(frozen=True, slots=True)
class TitleObservation:
    """A session's header, and its title if its log sets one (READ-3)."""

    header: SessionHeader
    title: SessionTitle | None

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{session, title?}` (JSON-1)."""
        title = {} if self.title is None else {"title": self.title.to_json()}
        return {"session": self.header.to_json(), **title}


@dataclass(frozen=True, slots=True)
class TitleResult:
    """What one id of a batch came to: either a `value`, or the `reason` why not (READ-3)."""

    session_id: str
    value: TitleObservation | None = None
    reason: SessionQueryError | None = None

    @property
    def status(self) -> Literal["fulfilled", "rejected"]:
        """Whether there is a value or a reason."""
        return "fulfilled" if self.reason is None else "rejected"

    def to_json(self) -> dict[str, JsonValue]:
        """Return `{sessionId, status, value}` or `{sessionId, status, reason}` (JSON-1)."""
        form: dict[str, JsonValue] = {"sessionId": self.session_id, "status": self.status}
        if self.reason is not None:
            form["reason"] = self.reason.to_json()
        elif self.value is not None:
            form["value"] = self.value.to_json()
        return form
