"""Interruptions: the script of each really ends the call, and shows what is wrong with it."""

from __future__ import annotations

import subprocess
import sys
from typing import Literal

import pytest
from session_query_specs.checks import CHECKS
from session_query_specs.corpora import Call, Corpus, session
from session_query_specs.corpora._interruptions import Interruption
from session_query_specs.mutants import MUTANTS
from session_query_specs.running import PROFILES, judge

CORPUS = Corpus((session("a", ["word"]), session("b", ["word"])))
SEARCH = Call("search_sessions", ({"query": "word"},))


def printed(how: Literal["abort", "cancel", "cancel twice"], subject: str) -> str:
    """Return what the script of an interruption prints."""
    return run(Interruption(CORPUS, SEARCH, 1, how).script(subject))


@pytest.mark.requirement("CONF-15")
@pytest.mark.parametrize("how", ["abort", "cancel", "cancel twice"])
def test_a_right_provider_ends_quietly(how: Literal["abort", "cancel", "cancel twice"]) -> None:
    """The reason or the cancellation comes out, with nothing running and nothing begun after it."""
    shown = printed(how, "session_query_specs.oracle:Oracle")
    expected = "the very reason: True" if how == "abort" else "raised CancelledError()"
    assert expected in shown
    assert "store calls still running: [], begun after the end: []" in shown


@pytest.mark.requirement("CONF-15")
@pytest.mark.parametrize("mutant", ["BeginsAfterAbort", "AbandonsOnCancel"])
def test_a_faulty_provider_is_shown(mutant: str) -> None:
    """The script of what a mutant is found by fails for it, and does not for the oracle."""
    made = MUTANTS[mutant]
    result = judge(CHECKS[made.checks[0]], made.make(), made.where, PROFILES["quick"], 0)
    assert result.finding is not None
    script = result.finding.script
    module, _, name = made.where.partition(":")
    oracle = f"from session_query_specs.oracle import Oracle as {name}"
    right = script.replace(f"from {module} import {name}", oracle)
    assert right != script
    assert "got: " in started(script).stderr
    assert started(script).returncode == 1
    assert f"{made.checks[0]} holds" in run(right)


def started(script: str) -> subprocess.CompletedProcess[str]:
    """Run a script in an interpreter of its own."""
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )


def run(script: str) -> str:
    """Return what a script prints that ends well."""
    done = started(script)
    assert done.returncode == 0, ascii(done.stderr)
    return done.stdout
