"""What the checks of hosts say of hosts that are wrong on purpose."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from session_query_specs import HostUnderTest
from session_query_specs.checks import CHECKS
from session_query_specs.mutants.nulls import NULL_HOSTS
from session_query_specs.running import PROFILES, CheckResult, Profile, Status, judge

from .broken import ChecksOnlyBefore, PassesTextOn, ShowsOwnSession, Tools

BROKEN = [
    (ChecksOnlyBefore, "AUTH-4/replaced"),
    (ChecksOnlyBefore, "AUTH-4/schedules"),
    (PassesTextOn, "SAN-2/unknown"),
    (PassesTextOn, "SAN-2/known-codes"),
    (ShowsOwnSession, "AUTH-5/own-workspace"),
]


def judged(host: type[HostUnderTest], name: str, profile: Profile) -> CheckResult:
    """Judge one check."""
    return judge(CHECKS[name], host(), "broken:" + host.__name__, profile, seed=0)


@pytest.mark.requirement("CONF-11")
@pytest.mark.parametrize(("host", "name"), BROKEN)
def test_a_broken_host_fails_what_it_breaks(host: type[HostUnderTest], name: str) -> None:
    """A host that breaks one requirement fails a check of it, on an example that can be read."""
    assert judged(Tools, name, PROFILES["quick"]).status is Status.PASSED
    result = judged(host, name, PROFILES["quick"])
    assert result.status is Status.FAILED
    assert result.finding is not None
    assert len(result.finding.example) < 30
    assert f"from broken import {host.__name__}" in result.finding.script


@pytest.mark.requirement("CONF-12")
@pytest.mark.parametrize("host", NULL_HOSTS, ids=lambda host: host.called)
def test_a_host_that_does_nothing_passes_nothing(host: HostUnderTest) -> None:
    """Whoever answers, refuses or raises regardless of what is asked passes no check."""
    names = [check.name for check in CHECKS.values() if check.subject == "host"]
    few = Profile("few", examples=8, steps=5, schedules=3)
    passed = [
        name
        for name in names
        if judge(CHECKS[name], host, "nulls:Null", few, seed=0, shrink=False).status
        is not Status.FAILED
    ]
    assert passed == []


@pytest.mark.requirement("CONF-15")
@pytest.mark.parametrize("name", ["AUTH-4/replaced", "AUTH-4/schedules"])
def test_the_script_of_a_finding_repeats_it(name: str, tmp_path: Path) -> None:
    """The program that a finding comes with runs by itself, and fails with what was found."""
    finding = judged(ChecksOnlyBefore, name, PROFILES["quick"]).finding
    assert finding is not None
    (tmp_path / "script.py").write_text(finding.script)
    paths = [*sys.path, str(Path(__file__).parent)]
    ran = subprocess.run(
        [sys.executable, tmp_path / "script.py"],
        env={"PYTHONPATH": ":".join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert f"{name} fails\nexpected: {finding.expected}\ngot: " in ran.stderr
    assert "xcanaryx" in ran.stdout
