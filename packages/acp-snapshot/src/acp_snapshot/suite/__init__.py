"""The suite as a library: a host's own command, and the same tests and guards (SNAP-8)."""

from acp_snapshot.suite._checking import Examine
from acp_snapshot.suite._define import define_acp_snapshot_suite

__all__ = ["Examine", "define_acp_snapshot_suite"]
