"""Which lines are messages that the SDK may be handed (ACP-4)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeAlias

from acp import AGENT_METHODS

__all__ = ["Message", "Refusal", "message_of"]

Message: TypeAlias = "dict[str, Any]"

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
_DEEPEST_ANSWER: Final = 10

_CANCEL: Final = AGENT_METHODS["session_cancel"]
"""The one notification that this agent takes."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line that is no message, and what its sender is told."""

    request_id: str | float | None
    code: int
    problem: str

    def to_json(self) -> Message:
        """Return the answer."""
        error = {"code": self.code, "message": f"Invalid message: {self.problem}"}
        return {"jsonrpc": "2.0", "id": self.request_id, "error": error}


def message_of(line: bytes | None) -> Message | Refusal | None:
    """Return the message of a line, why there is none, or None for a line that asks for nothing.

    Of the parameters of a message, those with an underscore in their names are dropped: the SDK
    merges `_meta` into the parameters, and takes `session_id` for `sessionId`.

    Args:
        line: without its end; None for one that was too long.
    """
    if line is None:
        return Refusal(None, INVALID_REQUEST, "the line is too long")
    if not line.strip():
        return None
    try:
        # strictly: what is no JSON would come back in an answer, which were none either
        message = json.loads(line.decode(), parse_float=_finite, parse_constant=_refused)
    except (ValueError, RecursionError):
        return Refusal(None, PARSE_ERROR, "the line is no JSON")
    if not isinstance(message, dict):
        return Refusal(None, INVALID_REQUEST, "a message is a JSON object")
    return _request(message) if "method" in message else _answer(message)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large")
    return number


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _answer(message: Message) -> Message | None:
    """Return an answer to a request of ours; nobody waits for another one."""
    if type(message.get("id")) is not int:
        return None
    if isinstance(message.get("error"), (dict, type(None))):
        return {name: _protocol_names(value) for name, value in message.items()}
    # whoever waits for it is told, and does not wait for ever
    malformed = {"code": INVALID_REQUEST, "message": "The answer is malformed"}
    return {"jsonrpc": "2.0", "id": message["id"], "error": malformed}


def _request(message: Message) -> Message | Refusal | None:
    request_id = message.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, (str, int, float, type(None))):
        return Refusal(None, INVALID_REQUEST, "id is no string or number")
    if not isinstance(message["method"], str):
        return Refusal(request_id, INVALID_REQUEST, "method is no string")
    if "id" not in message and message["method"] != _CANCEL:
        return None  # the SDK would log a trace for each
    params = message.get("params")
    if not isinstance(params, (dict, type(None))):
        return Refusal(request_id, INVALID_REQUEST, "params is no object")
    if params is None:
        return message
    return {**message, "params": _protocol_params(params)}


def _protocol_names(value: Any, depth: int = 0) -> Any:
    """Return an answer without names that are not the protocol's, such as `option_id`."""
    if isinstance(value, dict) and depth < _DEEPEST_ANSWER:
        return {
            name: _protocol_names(item, depth + 1)
            for name, item in value.items()
            if "_" not in name
        }
    return value


def _protocol_params(params: Mapping[str, Any]) -> Message:
    return {name: value for name, value in params.items() if "_" not in name}
