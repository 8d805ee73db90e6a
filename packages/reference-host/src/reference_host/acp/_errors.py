"""What a client is told when a request fails."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Final, ParamSpec, TypeVar

from acp.exceptions import RequestError
from session_query import SessionQueryError

from reference_host._diagnostics import logger
from reference_host.errors import HostError

__all__ = ["told", "told_failure"]

P = ParamSpec("P")
T = TypeVar("T")

_CODES: Final = {
    "SESSION_NOT_FOUND": -32002,
    "SESSION_CWD_MISMATCH": -32602,
    "SESSION_INVALID_CWD": -32602,
    "SESSION_BUSY": -32600,
}
_INTERNAL: Final = -32603


def told_failure(message: str, code: str) -> RequestError:
    """Return the error of a failure that people are told, with its code in the data."""
    return RequestError(_CODES.get(code, _INTERNAL), message, {"code": code})


def told(method: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Tell the client of the failures that are for people, and of others only that there was one.

    The SDK would send the text of any exception.
    """

    @functools.wraps(method)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await method(*args, **kwargs)
        except RequestError:
            raise
        except (HostError, SessionQueryError) as error:
            raise told_failure(error.message, str(error.code)) from error
        except Exception as error:
            logger.exception(
                "%s failed", method.__name__, extra={"session_id": None, "code": "ACP_FAILED"}
            )
            problem = "The request failed inside the agent; its log on stderr says why"
            raise RequestError(_INTERNAL, problem) from error

    return call
