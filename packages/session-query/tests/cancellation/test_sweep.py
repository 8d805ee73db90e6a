"""Abort and cancellation before every single step of every primitive."""

from __future__ import annotations

import pytest

from .operations import Blocking, Closing, Mapping, Queueing, Settling, Waiting
from .sweeping import ACTIONS, sweep

actions = pytest.mark.parametrize("action", ACTIONS)
cancellations = pytest.mark.parametrize("action", ["cancel", "cancel cancel"])
stores = pytest.mark.parametrize("store", ["deaf", "obedient", "failing"])


@pytest.mark.requirement("CANCEL-2", "CANCEL-3", "CANCEL-4", "CANCEL-5")
@actions
@stores
def test_settle(action: str, store: str) -> None:
    """Whenever it is stopped, `settle` raises the right exception after its call has ended."""
    assert sweep(lambda: Settling(store), action) > 5


@pytest.mark.requirement("CANCEL-4", "CANCEL-5")
@cancellations
@stores
def test_settle_without_a_signal(action: str, store: str) -> None:
    """A call that got no signal from the caller has one that task cancellation aborts."""
    assert sweep(lambda: Settling(store, signal=False), action) > 5


@pytest.mark.requirement("CANCEL-3", "CANCEL-4", "CANCEL-7")
@actions
@pytest.mark.parametrize("interruptible", [False, True])
def test_run_blocking(action: str, interruptible: bool) -> None:
    """Whenever it is stopped, the job has ended or never begins, before the caller hears of it."""
    assert sweep(lambda: Blocking(interruptible=interruptible), action) > 5


@pytest.mark.requirement("CANCEL-4", "CANCEL-7")
@cancellations
def test_run_blocking_without_a_signal(action: str) -> None:
    """Task cancellation alone withdraws or interrupts a job."""
    assert sweep(lambda: Blocking(signal=False), action) > 5


@pytest.mark.requirement("READ-4", "CANCEL-3", "CANCEL-4")
@actions
@pytest.mark.parametrize("failing", [None, 2])
def test_map_bounded(action: str, failing: int | None) -> None:
    """Whenever it is stopped, no further item starts, and those that started have ended."""
    assert sweep(lambda: Mapping(failing=failing), action) > 10


@pytest.mark.requirement("READ-4", "CANCEL-4", "CANCEL-5")
@cancellations
def test_map_bounded_without_a_signal(action: str) -> None:
    """Task cancellation reaches the store calls of every worker."""
    assert sweep(lambda: Mapping(signal=False), action) > 10


@pytest.mark.requirement("CANCEL-6", "RECON-7")
@actions
def test_a_queued_operation(action: str) -> None:
    """Whenever a queued operation leaves, the others run in order and the queue can close."""
    assert sweep(Queueing, action) > 5


@pytest.mark.requirement("RECON-7")
@cancellations
def test_closing_a_queue(action: str) -> None:
    """Whenever `close` is cancelled, the accepted operations still run, in order."""
    assert sweep(Closing, action) > 3


@pytest.mark.requirement("CANCEL-1")
@actions
def test_waiting_for_a_signal(action: str) -> None:
    """Whenever a wait is ended, by abort or cancellation, it ends with just that."""
    assert sweep(Waiting, action) > 1
