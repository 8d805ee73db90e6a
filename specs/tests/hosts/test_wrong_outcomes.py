"""What a host returns besides outcomes is neither an abort nor an answer."""

from __future__ import annotations

from typing import Any

import pytest
from session_query_specs import HostUnderTest
from session_query_specs.checks import CHECKS
from session_query_specs.mutants.host_endings import AbortIsNothing
from session_query_specs.running import PROFILES, Status, judge

from ..cards import spoiled
from .broken import Tools


class _Nothing(Tools):
    async def call(self, *_: Any, **__: Any) -> Any:
        return None


class _Text(Tools):
    async def call(self, *_: Any, **__: Any) -> Any:
        return "the text alone"


@pytest.mark.requirement("CONF-2", "CONF-15")
@pytest.mark.parametrize("name", ["SAN-1/abort", "SAN-1/each-step"])
def test_none_is_not_the_reason_of_an_abort(name: str) -> None:
    """A host that returns None when it is aborted raises no reason, and is told what it does."""
    where = f"{spoiled.__name__}:AbortIsNothing"
    result = judge(CHECKS[name], AbortIsNothing(Tools()), where, PROFILES["quick"], 0)
    assert result.status is Status.FAILED
    assert result.finding is not None
    assert "call returned None, not a ToolOutcome" in result.finding.got


@pytest.mark.requirement("CONF-2", "CONF-15")
@pytest.mark.parametrize(("host", "kind"), [(_Nothing, "None"), (_Text, "a str")])
def test_each_check_tells_what_is_no_outcome(host: type[HostUnderTest], kind: str) -> None:
    """Whoever returns something else is told so by every check."""
    for check in CHECKS.values():
        if check.subject == "host":
            result = judge(check, host(), "here:Host", PROFILES["smoke"], 0, shrink=False)
            assert result.finding is not None
            assert f"call returned {kind}, not a ToolOutcome" in result.finding.got, check.name
