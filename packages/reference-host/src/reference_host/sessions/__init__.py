"""The sessions of a host, and what brings their events into the store."""

from reference_host.sessions._sessions import (
    HostSession,
    Sessions,
    SessionSummary,
    busy,
    closed,
)
from reference_host.sessions._unindexed import UnindexedEngine

__all__ = ["HostSession", "SessionSummary", "Sessions", "UnindexedEngine", "busy", "closed"]
