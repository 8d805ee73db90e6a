"""One check on one example: how the program of a failure card ends (CONF-15)."""

# ruff: noqa: T201 - what a person runs is read on the terminal

from __future__ import annotations

import sys
import traceback
from typing import Any

from session_query_specs.checks import CHECKS
from session_query_specs.running._judging import violation_on
from session_query_specs.running._telling import telling

__all__ = ["again"]


def again(name: str, subject: Any, example: Any) -> None:
    """Judge one example; end the program with what is expected and what came, or say it is right.

    Args:
        name: the name of the check.
        subject: an instance of the class under test.
        example: what it is judged on.
    """
    check = CHECKS[name]
    print(f"{name}, call by call:")
    found = violation_on(check, telling(subject), example)
    if found is None:
        print(f"{name} holds: {check.claim}")
        return
    if found.__cause__ is not None:  # an error of the subject's own
        traceback.print_exception(found.__cause__)
    told = "".join(f"\n  {line}" for line in found.schedule)
    sys.exit(f"{name} fails\nexpected: {found.expected}\ngot: {found.got}{told}")
