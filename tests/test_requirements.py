"""The RFCs and the tests name the same requirements."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

# `- **LOG-1** …` and `### LOG-1 …` define a requirement; a mention elsewhere does not.
DEFINITION = re.compile(r"^\s*(?:[-*] \*\*|#{1,6} (?:\*\*)?)([A-Z]+-\d+)\b", re.MULTILINE)


def defined_ids(root: Path, tracked: list[Path]) -> Counter[str]:
    """How often each id is defined in the RFCs."""
    rfcs = [path for path in tracked if path.parent == root / "docs/rfc" and path.suffix == ".md"]
    return Counter(id_ for path in rfcs for id_ in DEFINITION.findall(path.read_text("utf-8")))


def marks(path: Path) -> list[ast.Call]:
    """Every use of the requirement mark in a module."""
    return [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8"), path))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.requirement")
    ]


def marked_ids(root: Path, tracked: list[Path]) -> dict[str, str]:
    """Each id that a test carries, with one place where it does."""
    found = {}
    for path in tracked:
        if path.suffix == ".py" and "tests" in path.parts:
            for call in marks(path):
                where = f"{path.relative_to(root)}:{call.lineno}"
                assert call.args, f"{where}: requirement() names no id"
                for argument in call.args:
                    id_ = argument.value if isinstance(argument, ast.Constant) else None
                    assert isinstance(id_, str), f"{where}: write each id as a plain string"
                    found[id_] = where
    return found


def test_each_requirement_is_defined_once(root: Path, tracked: list[Path]) -> None:
    """No two passages of the RFCs define the same requirement."""
    twice = sorted(id_ for id_, count in defined_ids(root, tracked).items() if count > 1)
    assert not twice, f"defined more than once in docs/rfc: {twice}"


def test_each_requirement_has_a_test(root: Path, tracked: list[Path]) -> None:
    """Some test carries the id of each requirement that an RFC defines."""
    untested = sorted(defined_ids(root, tracked).keys() - marked_ids(root, tracked).keys())
    assert not untested, f"defined in docs/rfc, but carried by no test: {untested}"


def test_each_id_of_a_test_is_a_requirement(root: Path, tracked: list[Path]) -> None:
    """Some RFC defines each id that a test carries."""
    defined = defined_ids(root, tracked)
    unknown = {id_: at for id_, at in marked_ids(root, tracked).items() if id_ not in defined}
    assert not unknown, f"carried by a test, but defined in no docs/rfc/*.md: {unknown}"
