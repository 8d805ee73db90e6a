"""Running the program of a failure card, on the faulty subject or on the right one."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass

__all__ = ["Ended", "ended", "of_right_one"]


@dataclass(frozen=True)
class Ended:
    """How a program ended.

    Attributes:
        code: its exit code.
        said: what it said at its end, on standard error.
        printed: what it printed before.
    """

    code: int
    said: str
    printed: str


def ended(script: str) -> Ended:
    """Run a program in this process, as a module of its own."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(script, "reproduction.py", "exec"), {"__name__": "__main__"})  # noqa: S102 - it is what a card holds
    except SystemExit as leaving:
        if isinstance(leaving.code, str):
            return Ended(1, leaving.code, printed.getvalue())
        return Ended(int(leaving.code or 0), "", printed.getvalue())
    return Ended(0, "", printed.getvalue())


def of_right_one(script: str, where: str, right: str) -> str:
    """Return the program with the right subject in the place of the faulty one."""
    (module, _, name), (other, _, cls) = where.partition(":"), right.partition(":")
    own = f"from {module} import {name}\n"
    assert script.count(own) == 1
    return script.replace(own, f"from {other} import {cls} as {name}\n")
