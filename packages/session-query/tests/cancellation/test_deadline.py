"""A deadline aborts for its own reason, and ends with what it limits."""

from __future__ import annotations

import pytest
from session_query import Deadline

from .stepping import StepLoop

OVER = TimeoutError("over")


def seen(milliseconds: float | None, *, held_for: float) -> BaseException | None:
    """What a deadline that was held for some seconds has for a reason, then and for good."""
    loop = StepLoop()

    async def main() -> BaseException | None:
        with Deadline(milliseconds, OVER) as deadline:
            before = loop.create_future()
            loop.call_later(held_for, before.set_result, None)
            await before
            at = deadline.signal.reason
        later = loop.create_future()
        loop.call_later(99, later.set_result, None)
        await later
        assert deadline.signal.reason is at
        return at

    try:
        return loop.run_until_complete(main())
    finally:
        loop.close()


@pytest.mark.requirement("CANCEL-1")
def test_a_deadline_aborts_while_it_is_held() -> None:
    """On the loop's clock, when its milliseconds are over, and for the very reason."""
    assert seen(1_500, held_for=1.6) is OVER
    assert seen(0, held_for=0.1) is OVER


@pytest.mark.requirement("CANCEL-1")
def test_what_has_ended_in_time_is_not_aborted() -> None:
    """Neither before the time nor after the block; without a time, never."""
    assert seen(1_500, held_for=1.4) is None
    assert seen(None, held_for=50.0) is None
