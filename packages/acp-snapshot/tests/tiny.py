"""How the tiny agent is launched, and scenarios for it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from acp_snapshot import Launch, LaunchRequest, LaunchTemplate

AGENT = Path(__file__).with_name("agents") / "tiny_agent.py"


def tiny(fault: str | None = None) -> LaunchTemplate:
    """Return how the tiny agent is launched, with a fault or without."""

    def launch(request: LaunchRequest) -> Launch:
        command: list[str | os.PathLike[str]] = [
            *(sys.executable, AGENT, "acp"),
            *("--composition", request.composition),
            *("--state", request.state),
            *("--replay", request.script),
            *("--record", request.record),
        ]
        more = ["--fault", fault] if fault else []
        path = os.pathsep.join(filter(None, sys.path))
        return Launch([*command, *more], {"PYTHONPATH": path})

    return launch


FIRST_TURN = """
about = "One turn."
composition = "plain"
pins_header = true

[[process]]
step = [
    { do = "initialize" },
    { do = "new_session" },
    { do = "prompt", text = "Say hello.", stop_reason = "end_turn" },
    { do = "close_stdin" },
]
"""


def write_scenario(
    folder: Path, text: str = FIRST_TURN, turns: list[dict[str, Any]] | None = None
) -> Path:
    """Write a scenario, and return its folder."""
    folder.mkdir(parents=True)
    (folder / "scenario.toml").write_text(text, "utf-8")
    script = {"turns": turns if turns is not None else [{"say": "Hello."}]}
    (folder / "model.json").write_text(json.dumps(script), "utf-8")
    return folder
