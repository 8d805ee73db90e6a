"""The tools pass what the conformance suite asks of a host, by themselves and in each framework."""

from __future__ import annotations

from typing import Any

import pytest
from session_query_specs import HostUnderTest
from session_query_specs.checks import CHECKS, Check
from session_query_specs.running import PROFILES, Profile, Status, judge

from .adapted import LangChainHost, OpenAIAgentsHost, PydanticAIHost
from .plain import PlainHost

CHECKS_OF_HOSTS = [check for check in CHECKS.values() if check.subject == "host"]
FEW = Profile("few", examples=1, steps=5, schedules=1)
OF_SIGNALS = "SAN-1/abort"
"""Frameworks cancel, which takes effect at the next step; SAN-1/each-step sweeps that."""


def passes(host: type[HostUnderTest], check: Check[Any], profile: Profile) -> None:
    """See that a check passes, and show what it found otherwise."""
    where = f"{host.__module__}:{host.__qualname__}"
    result = judge(check, host(), where, profile, seed=1)
    assert result.status is Status.PASSED, result.finding
    assert result.examples


@pytest.mark.requirement("CONF-2")
@pytest.mark.parametrize("check", CHECKS_OF_HOSTS, ids=lambda check: check.name)
def test_the_tools_by_themselves_pass(check: Check[Any]) -> None:
    """A host that executes the tools as they are passes each check."""
    passes(PlainHost, check, PROFILES["quick"])


@pytest.mark.requirement("CONF-2")
@pytest.mark.parametrize("host", [OpenAIAgentsHost, PydanticAIHost, LangChainHost])
def test_the_tools_in_a_framework_pass(host: type[HostUnderTest]) -> None:
    """Called as each framework calls them, with its own context, the tools pass as well."""
    for check in CHECKS_OF_HOSTS:
        if check.name != OF_SIGNALS:
            passes(host, check, FEW)
