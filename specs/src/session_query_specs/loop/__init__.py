"""A deterministic asyncio loop in virtual time, schedules and sweeps (CONF-8, CONF-9)."""

from session_query_specs.loop._patience import PATIENCE, HungError, Place, run_in_time
from session_query_specs.loop._schedule import FIFO, Schedule, numbered, schedules
from session_query_specs.loop._sweep import ACTIONS, Action, Landing, SweepReason, sweep
from session_query_specs.loop._virtual import (
    DeadlockError,
    LivelockError,
    RefusedError,
    Run,
    VirtualLoop,
    run,
)

__all__ = [
    "ACTIONS",
    "FIFO",
    "PATIENCE",
    "Action",
    "DeadlockError",
    "HungError",
    "Landing",
    "LivelockError",
    "Place",
    "RefusedError",
    "Run",
    "Schedule",
    "SweepReason",
    "VirtualLoop",
    "numbered",
    "run",
    "run_in_time",
    "schedules",
    "sweep",
]
