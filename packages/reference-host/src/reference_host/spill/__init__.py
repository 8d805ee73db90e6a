"""Long results of tools: kept whole in a store, and shown to the model in part."""

from reference_host.spill._local import LocalSpillStore
from reference_host.spill._policy import META_KEY, SpillPolicy
from reference_host.spill._replacement import replacement
from reference_host.spill._store import SpillRef, SpillSource, SpillStore

__all__ = [
    "META_KEY",
    "LocalSpillStore",
    "SpillPolicy",
    "SpillRef",
    "SpillSource",
    "SpillStore",
    "replacement",
]
