"""A host that is spoiled in one thing fails the checks of what it breaks."""

from __future__ import annotations

import pytest
from session_query_specs.checks import CHECKS
from session_query_specs.mutants import MUTANTS
from session_query_specs.running import PROFILES, Status, judge

from .plain import PlainHost

HOSTS = [one.name for one in MUTANTS.values() if one.kind == "host"]


@pytest.mark.requirement("CONF-11")
@pytest.mark.parametrize("name", HOSTS)
def test_a_spoiled_host_is_killed(name: str) -> None:
    """Each check that a mutant names fails on the tools that are spoiled so."""
    mutant = MUTANTS[name]
    for check in mutant.checks:
        host = mutant.make(PlainHost())
        result = judge(CHECKS[check], host, mutant.where, PROFILES["quick"], 0, shrink=False)
        assert result.status is Status.FAILED
