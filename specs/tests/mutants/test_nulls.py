"""What does nothing right passes nothing."""

from __future__ import annotations

from typing import Final

import pytest
from session_query_specs.checks import CHECKS
from session_query_specs.mutants.nulls import NULL_PROVIDERS
from session_query_specs.running import Profile, Status, judge

_FEW: Final = Profile("few", examples=8, steps=5, schedules=3)


@pytest.mark.requirement("CONF-12")
@pytest.mark.parametrize(
    "name",
    [name for name, one in CHECKS.items() if one.subject == "provider"],
)
def test_a_null_provider_passes_no_check(name: str) -> None:
    """Who raises, answers with nothing or with everything, or refuses with a code, fails."""
    passed = [
        null.called
        for null in NULL_PROVIDERS
        if judge(CHECKS[name], null, "nulls:Null", _FEW, 0, shrink=False).status
        is not Status.FAILED
    ]
    assert passed == []
