"""What a check is judged on comes out of a program as it went into it."""

from __future__ import annotations

import ast
from dataclasses import replace
from itertools import product
from typing import Any, Final

import pytest
from session_query_specs.checks import CHECKS, Check
from session_query_specs.running import Profile, judge
from session_query_specs.running._scripts import script_of

FEW: Final = Profile("few", examples=6, steps=5, schedules=3)
WHERE: Final = "session_query_specs.oracle:Oracle"


def drawn(check: Check[Any]) -> list[Any]:
    """Return some examples of a check."""
    examples: list[Any] = []
    kept = replace(check, judge=lambda _, example: examples.append(example), weight=1)
    judge(kept, None, WHERE, FEW, 0)
    return examples


def judged_by(script: str) -> tuple[str, Any]:
    """Return the check and the example that a program ends with; nothing else of it is run."""
    tree = ast.parse(script)
    [*given, last] = tree.body
    kinds = (ast.Import, ast.ImportFrom)
    named = {"SESSIONS", "CALLS", "CALL", "STEPS"}
    kept: list[ast.stmt] = [
        one
        for one in given
        if isinstance(one, kinds)
        or (isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) in named)
    ]
    assert isinstance(last, ast.Expr)
    assert isinstance(last.value, ast.Call)
    assert ast.unparse(last.value.func) == "again"
    result = ast.Assign([ast.Name("ended", ast.Store())], ast.Tuple(last.value.args, ast.Load()))
    module = ast.fix_missing_locations(ast.Module([*kept, result], []))
    names: dict[str, Any] = {}
    exec(compile(module, "reproduction.py", "exec"), names)  # noqa: S102 - it is what a card holds
    name, _, example = names["ended"]
    return name, example


@pytest.mark.requirement("CONF-15")
@pytest.mark.parametrize("name", CHECKS)
def test_a_program_has_the_very_example(name: str) -> None:
    """Corpus, calls, schedules and all else that a check draws are in its program as they were."""
    examples = drawn(CHECKS[name])
    assert examples
    for example, alone in product(examples, (False, True)):
        check, again = judged_by(script_of(CHECKS[name], example, WHERE, alone=alone))
        assert check == name
        assert type(again) is type(example)
        told = getattr(example, "told", ())
        assert [*again.described(), *told] == [*example.described()]
        assert again.script(WHERE) == example.script(WHERE)
