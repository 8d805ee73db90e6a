"""What does nothing right passes nothing."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import replace
from typing import Any, Final

import pytest
from session_query_specs.checks import CHECKS, Check
from session_query_specs.mutants.nulls import NULL_PROVIDERS, NullProvider
from session_query_specs.running import Profile, judge

_FEW: Final = Profile("few", examples=8, steps=5, schedules=3)


def drawn(check: Check[Any]) -> list[Any]:
    """Return the examples on which a subject is judged that passes all of them."""
    examples: list[Any] = []
    kept = replace(check, judge=lambda _, example: examples.append(example))
    judge(kept, None, "nulls:Null", _FEW, 0)
    return examples


def passes(check: Check[Any], null: NullProvider, example: Any) -> bool:
    """Tell whether a check has nothing to say against a null provider."""
    try:
        if inspect.iscoroutinefunction(check.judge):
            asyncio.run(check.judge(null, example))
        else:
            _ = check.judge(null, example)
    except Exception:  # noqa: BLE001 - a null raises what it likes, and a check what it finds
        return False
    return True


@pytest.mark.requirement("CONF-12")
@pytest.mark.parametrize(
    "name", [name for name, one in CHECKS.items() if one.subject == "provider"]
)
def test_a_null_provider_passes_no_check(name: str) -> None:
    """Who raises, refuses with any one code, answers with nothing or with everything, fails."""
    check = CHECKS[name]
    examples = drawn(check)
    assert examples
    passed = [
        null.called
        for null in NULL_PROVIDERS
        if all(passes(check, null, example) for example in examples)
    ]
    assert passed == []
