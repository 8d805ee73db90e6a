"""Aborting, and waiting until everything that was started has ended.

::

    AbortController ── signal ──> AbortSignal     what a caller holds, and what an operation sees
    settle, run_blocking, map_bounded             start work, and outlast it whatever happens
    Deadline                                      a time limit that ends with what it limits
    OperationQueue                                one operation at a time, in arrival order
"""

from session_query.cancellation._blocking import run_blocking
from session_query.cancellation._bounded import map_bounded
from session_query.cancellation._deadline import Deadline
from session_query.cancellation._queue import OperationQueue
from session_query.cancellation._settle import settle
from session_query.cancellation._signal import AbortController, AbortSignal

__all__ = [
    "AbortController",
    "AbortSignal",
    "Deadline",
    "OperationQueue",
    "map_bounded",
    "run_blocking",
    "settle",
]
