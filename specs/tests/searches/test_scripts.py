"""The scripts of failure cards run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from session_query_specs.checks import CHECKS
from session_query_specs.mutants.nulls import NULL_PROVIDERS
from session_query_specs.running import judge

from .judging import QUICK, WHERE


@pytest.mark.requirement("CONF-15")
@pytest.mark.parametrize(
    "name", ["SEARCH-1/finds", "SEARCH-12/many-values", "CURSOR-1/pages", "CURSOR-3/corpus"]
)
def test_a_finding_has_a_script_that_runs(name: str, tmp_path: Path) -> None:
    """The script of a failure card runs as it is, with the class that it names."""
    result = judge(CHECKS[name], NULL_PROVIDERS[1], WHERE, QUICK, 0)
    assert result.finding is not None
    script = tmp_path / "script.py"
    script.write_text(result.finding.script, encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "items" in done.stdout or "SESSION_QUERY" in done.stdout
