"""Keeping the garbage collector off the events of a large log while they are made.

They are objects by the hundred thousand, and none is garbage. The collector would go through all of
them again and again: that takes more time than everything else, and a single pass holds every
thread up for a good part of a second.
"""

from __future__ import annotations

import gc
import threading

__all__ = ["MANY_EVENTS", "PROMOTIONS", "note_events", "promote"]

PROMOTIONS = 8_192
"""How many in a row may come without a full collection."""

MANY_EVENTS = 2_048
"""So many events, of one log or of several that are read one after the other, are worth one."""

_FOR_SMALL_LOGS = 1_024
"""How many in a row may come for logs that are all small."""


class _State:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.full_collections = -1
        self.promotions = 0
        self.events = 0
        self.off = False


_state = _State()


def note_events(count: int) -> None:
    """Take note that a log of so many events was read; promote when many have come together.

    An index is made of logs by the thousand: a full collection in between holds the event loop for
    20 ms, and finds nothing.
    """
    with _state.lock:
        _state.events += count
        due = _state.events >= MANY_EVENTS and _state.promotions < _FOR_SMALL_LOGS
    if due:
        promote()


def promote() -> None:
    """Have the collector take every object for an old one, without looking at any; O(1).

    Old objects are gone through rarely. Nothing is lost: a full collection finds what is garbage,
    and one can always come after :data:`PROMOTIONS`. A process that has frozen objects of its own
    (`gc.freeze`) is left alone, since this would thaw them.
    """
    with _state.lock:
        full_collections = gc.get_stats()[-1]["collections"]
        if full_collections != _state.full_collections:
            _state.full_collections = full_collections
            _state.promotions = 0
        # Once others have frozen objects, counting them each time would take too long.
        _state.off = _state.off or gc.get_freeze_count() > 0
        _state.events = 0
        if _state.off or _state.promotions >= PROMOTIONS:
            return
        _state.promotions += 1
        gc.freeze()
        gc.unfreeze()
