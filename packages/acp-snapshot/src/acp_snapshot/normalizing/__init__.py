"""Makes what two runs give comparable: pure, idempotent, and never two values as one (SNAP-3)."""

from acp_snapshot.normalizing._normalize import ZERO_TIME, normalize
from acp_snapshot.normalizing._patterns import (
    DEFAULT_TIME_KEYS,
    DEFAULT_VOLATILES,
    Rules,
    Volatile,
)
from acp_snapshot.normalizing._rpc import renumbered
from acp_snapshot.normalizing._spellings import Place, spellings

__all__ = [
    "DEFAULT_TIME_KEYS",
    "DEFAULT_VOLATILES",
    "ZERO_TIME",
    "Place",
    "Rules",
    "Volatile",
    "normalize",
    "renumbered",
    "spellings",
]
