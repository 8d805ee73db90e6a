"""How the suite starts the reference host for each scenario."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from acp_snapshot import Launch, LaunchRequest

__all__ = ["launch"]

STALLING: Final = Path(__file__).with_name("stalling_agent.py")
SEARCH_TIMEOUTS_MS: Final = {"search-timeout": 300, "cancelled-search": 60_000}
"""The scenarios whose searches never end by themselves."""


def launch(request: LaunchRequest) -> Launch:
    """Start the shipped composition, or the scenario's own variant of it."""
    timeout = SEARCH_TIMEOUTS_MS.get(request.scenario.name)
    if timeout is not None:
        return Launch([sys.executable, STALLING, request.state, request.script, str(timeout)])
    own = request.scenario / "composition.toml"
    return Launch(
        [
            *(sys.executable, "-P", "-m", "reference_host", "acp"),
            *("--composition", own if own.exists() else request.composition),
            *("--state", request.state),
            *("--replay", request.script),
            *("--record", request.record),
        ]
    )
