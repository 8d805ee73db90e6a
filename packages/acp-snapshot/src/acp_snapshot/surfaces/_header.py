"""The request header: what a model is told before any message (SNAP-4)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from session_query import StoredSession, loads

from acp_snapshot.errors import ScenarioStepError

__all__ = ["RequestHeader", "logged_headers", "read_recorded_headers"]


@dataclass(frozen=True, slots=True)
class RequestHeader:
    """A system prompt, tool schemas, and what names the model."""

    config: Any
    system: str
    tools: Sequence[Any]

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> RequestHeader:
        """Read the form that logs and records have; the prompt and the tools may be absent."""
        return cls(value.get("config"), value.get("system") or "", value.get("tools") or [])

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON value."""
        return {"config": self.config, "system": self.system, "tools": list(self.tools)}

    def same_as(self, other: RequestHeader) -> bool:
        """Tell whether two headers are equal, the order of keys included."""
        return json.dumps(self.to_json()) == json.dumps(other.to_json())


def logged_headers(log: StoredSession, since: int = 0) -> Iterator[RequestHeader]:
    """Yield the headers that a log holds, from an event on."""
    for event in log.events[since:]:
        if event.type == "request/header":
            value = event.to_json()["data"]
            yield RequestHeader.from_json(value.get("header") or {})


def read_recorded_headers(record: Path) -> list[RequestHeader]:
    """Read what an agent recorded: one JSON object a request, with `config`, `system`, `tools`.

    There is none where the agent records nothing.
    """
    if not record.is_file():
        return []
    found = []
    for number, line in enumerate(record.read_text("utf-8").split("\n"), 1):
        if not line:
            continue
        try:
            request = loads(line)
        except ValueError as error:
            raise ScenarioStepError(f"{record.name}, line {number}: {error}") from error
        if not isinstance(request, Mapping):
            raise ScenarioStepError(f"{record.name}, line {number}: a request is an object")
        found.append(RequestHeader.from_json(request))
    return found
