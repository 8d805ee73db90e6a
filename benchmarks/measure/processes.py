"""Running a job in a process of its own, whose memory nobody else has grown."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

__all__ = ["peak_bytes", "run_job"]

_ROOT = Path(__file__).parents[2]


def run_job(name: str, **arguments: Any) -> dict[str, Any]:
    """Run a job of :mod:`benchmarks.jobs` with JSON arguments; return its JSON result."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.jobs", name, json.dumps(arguments)],
        cwd=_ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def peak_bytes() -> int:
    """Return the most memory that this process has held.

    Linux hands ``ru_maxrss`` down from the process that started this one, hence the other source.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text("ascii", "replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
