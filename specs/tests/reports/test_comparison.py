"""Two runs side by side (CONF-16)."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from session_query_specs.reports import Change, compare
from session_query_specs.running import Status


def told(**statuses: Status) -> dict[str, Any]:
    """Return a report of these checks as JSON."""
    return {"results": [{"check": name, "status": one.value} for name, one in statuses.items()]}


@pytest.mark.requirement("CONF-16")
def test_each_change_has_its_place() -> None:
    """What got better, worse, otherwise, appeared and went is told apart."""
    old = told(a=Status.FAILED, b=Status.PASSED, c=Status.PASSED, d=Status.FAILED, e=Status.PASSED)
    old["results"].append({"check": "g", "status": "failed"})
    new = told(a=Status.PASSED, b=Status.FAILED, d=Status.BLOCKED, e=Status.PASSED, f=Status.FAILED)
    found = compare(old, new)
    assert found.better == [Change("a", "failed", "passed")]
    assert found.worse == [Change("b", "passed", "failed"), Change("c", "passed", None)]
    assert found.otherwise == [Change("d", "failed", "blocked")]
    assert found.appeared == [Change("f", None, "failed")]
    assert found.went == [Change("g", "failed", None)]


@pytest.mark.requirement("CONF-16")
@pytest.mark.parametrize(("before", "after"), list(product(Status, Status)))
def test_worse_is_the_opposite_of_better(before: Status, after: Status) -> None:
    """Whatever is better one way is worse the other way, and a failure is never better."""
    forth = compare(told(a=before), told(a=after))
    back = compare(told(a=after), told(a=before))
    assert bool(forth.better) == bool(back.worse)
    assert bool(forth.otherwise) == bool(back.otherwise)
    if after.spoils and not before.spoils:
        assert forth.worse
    if before is Status.PASSED and after is not Status.PASSED:
        assert forth.worse


@pytest.mark.requirement("CONF-16")
def test_other_conditions_are_told() -> None:
    """A difference of seed or profile is told, since it may be the cause."""
    found = compare(
        told() | {"seed": 1, "profile": "quick"}, told() | {"seed": 2, "profile": "quick"}
    )
    assert found.conditions == ["seed: 1, then 2"]
