"""What does nothing right passes nothing."""

from __future__ import annotations

from typing import Final

import pytest
from session_query_specs.checks import CHECKS
from session_query_specs.mutants.nulls import NULL_PROVIDERS
from session_query_specs.running import Profile, Status, judge

_FEW: Final = Profile("few", examples=8, steps=5, schedules=3)
_UNTIL_THEN: Final = {
    "CANCEL-6/waiting": "it waits for ever for a call of the store, which a null never makes",
    "ERR-5/one-record": "it has no positive control: whoever raises passes it too",
    **dict.fromkeys(
        (
            "CANCEL-4/swept",
            "INDEX-5/shared",
            "JSON-1/answers",
            "LOG-6/texts",
            "LOG-12/surfaces",
            "LOG-24/no-echo",
        ),
        "it has no negative control: whoever answers with everything passes it",
    ),
}
"""Checks that a null provider passes, and why."""


@pytest.mark.requirement("CONF-12")
@pytest.mark.parametrize(
    "name",
    [name for name, one in CHECKS.items() if one.subject == "provider" and name not in _UNTIL_THEN],
)
def test_a_null_provider_passes_no_check(name: str) -> None:
    """Who raises, answers with nothing or with everything, or refuses with a code, fails."""
    passed = [
        null.called
        for null in NULL_PROVIDERS[:5]
        if judge(CHECKS[name], null, "nulls:Null", _FEW, 0, shrink=False).status
        is not Status.FAILED
    ]
    assert passed == []
