"""The program of each mutant's card shows what the card tells, and what is right as right."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from session_query_specs import capabilities_of
from session_query_specs.checks import CHECKS
from session_query_specs.mutants import MUTANTS, Mutant
from session_query_specs.oracle import Oracle
from session_query_specs.running import Finding

from . import spoiled
from .cards import RACES, judged, judged_host
from .programs import ended, of_right_one

PAIRS: Final = [(one.name, check) for one in MUTANTS.values() for check in one.checks]
ORACLE: Final = "session_query_specs.oracle:Oracle"
STARTED: Final = (
    "AncestorsFromTheRoot",
    "BeginsAfterAbort",
    "DeafToSignals",
    "SnippetOfTheBegin",
    "TrustsItsIndex",
    "WaitsThoughAborted",
)
"""Mutants whose programs are run by an interpreter of their own: of six requirements."""
SQLITE: Final = "session_query_sqlite.conformance:SqliteProvider"


def _found(mutant: Mutant, check: str) -> tuple[Finding, str, str]:
    """Return what a check says, where the mutant is, and where the right subject is."""
    if mutant.kind == "host":
        where = f"{spoiled.__name__}:{mutant.name}"
        result = judged_host(mutant, check, getattr(spoiled, mutant.name)(), where)
        right = f"{spoiled.__name__}:Tools"
    else:
        result, where = judged(mutant, check), mutant.where
        claims = capabilities_of(Oracle.capabilities)
        right = ORACLE if all(map(claims.claims, CHECKS[check].needs)) else SQLITE
    assert result.finding is not None
    return result.finding, where, right


def _but_counts(text: str) -> str:
    """Return a text without the number that `CountsAnswers` adds to all that it answers."""
    return re.sub(r"answer \d+", "answer", text)


@pytest.mark.requirement("CONF-11", "CONF-15")
@pytest.mark.parametrize(("name", "check"), PAIRS)
def test_a_program_shows_what_its_card_tells(name: str, check: str) -> None:
    """It ends with 1 and the very words of the card, and with 0 for a subject that is right."""
    finding, where, right = _found(MUTANTS[name], check)
    wrong = ended(finding.script)
    assert wrong.code == 1
    told = f"expected: {finding.expected}\ngot: {finding.got}"
    assert _but_counts(told) in _but_counts(wrong.said)
    fine = ended(of_right_one(finding.script, where, right))
    assert (fine.code, fine.said) == (0, "")
    assert f"{check} holds" in fine.printed


def _started(script: str, folder: Path) -> tuple[int, str]:
    """Run a program as a person does; return its exit code and what it says at its end."""
    path = folder / "reproduction.py"
    path.write_text(script, "utf-8")
    paths = os.pathsep.join(filter(None, sys.path))
    ran = subprocess.run(
        [sys.executable, path],
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:backslashreplace", "PYTHONPATH": paths},
        timeout=60,
    )
    return ran.returncode, ran.stderr.decode()


@pytest.mark.requirement("CONF-15")
@pytest.mark.parametrize("name", STARTED)
def test_a_program_runs_by_itself(name: str, tmp_path: Path) -> None:
    """In an interpreter of its own, a program ends as it does in this one."""
    mutant = MUTANTS[name]
    finding, where, right = _found(mutant, mutant.checks[0])
    code, said = _started(finding.script, tmp_path)
    assert (code, said.count("expected: "), said.count("got: ")) == (1, 1, 1), said
    assert _started(of_right_one(finding.script, where, right), tmp_path) == (0, "")


def test_the_started_programs_are_of_different_requirements() -> None:
    """Six requirements are broken by the mutants whose programs are started."""
    assert len({MUTANTS[name].requirement for name in STARTED}) == len(STARTED) == 6


@pytest.mark.requirement("CONF-8", "CONF-9", "CONF-10")
@pytest.mark.parametrize("name", RACES)
def test_a_program_repeats_the_schedule(name: str) -> None:
    """The program of a race ends the call before the very step, and prints the card's schedule."""
    check, action, _ = RACES[name]
    finding, where, right = _found(MUTANTS[name], check)
    wrong = ended(finding.script)
    assert wrong.code == 1
    assert [line.strip() for line in wrong.said.splitlines()[3:]] == [*finding.schedule]
    swept = finding.script.partition("Swept(")[2]
    assert f"'{action}'," in swept
    assert re.search(r"\bstep=\d+\b", swept)
    assert ended(of_right_one(finding.script, where, right)).code == 0
