"""What the package promises, and what its guide says."""

from __future__ import annotations

import importlib
import pkgutil
import re
from inspect import ismodule, signature
from pathlib import Path
from typing import Any, get_args

import acp_snapshot
import pytest
from acp_snapshot.scenario._model import Step

README = Path(__file__).parents[1] / "README.md"
PUBLIC = sorted(
    name
    for _, name, _ in pkgutil.walk_packages(acp_snapshot.__path__, "acp_snapshot.")
    if "._" not in name
)


def _steps() -> dict[str, set[str]]:
    """Return the keys of each step, by what it does."""
    union, _ = get_args(Step)
    models: list[Any] = list(get_args(union))
    return {
        get_args(one.model_fields["do"].annotation)[0]: {*one.model_fields} - {"do"}
        for one in models
    }


@pytest.mark.parametrize("name", ["acp_snapshot", *PUBLIC])
def test_what_is_public(name: str) -> None:
    """Each public module names what it offers, all of it, and nothing that isn't there."""
    module = importlib.import_module(name)
    offered = {
        key
        for key, value in vars(module).items()
        if not key.startswith("_") and not ismodule(value)
    }
    assert module.__all__ == sorted(module.__all__, key=_as_ruff_sorts)
    if hasattr(module, "__path__"):
        assert set(module.__all__) == offered
    assert set(module.__all__) <= offered


def _as_ruff_sorts(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


@pytest.mark.requirement("SNAP-2")
def test_the_guide_tells_each_step() -> None:
    """The table of steps has all of them, each with all of its keys."""
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", README.read_text("utf-8"), re.MULTILINE)
    told = {name: set(re.findall(r"`(\w+)`", keys.split(":")[0])) for name, keys in rows}
    steps = _steps()
    assert {name: told.get(name) for name in steps} == steps


@pytest.mark.requirement("SNAP-8")
def test_the_guide_tells_each_argument() -> None:
    """The table of arguments has all that the suite takes."""
    text = README.read_text("utf-8")
    table = text[text.index("| argument |") : text.index("## A scenario")]
    told = re.findall(r"`(\w+)`", "".join(row.split("|")[1] for row in table.splitlines() if row))
    assert told == list(signature(acp_snapshot.define_acp_snapshot_suite).parameters)


@pytest.mark.requirement("SNAP-8")
def test_no_host_is_built_in() -> None:
    """The package imports no host and no suite of this workspace."""
    sources = Path(acp_snapshot.__file__).parent.rglob("*.py")
    text = "".join(path.read_text("utf-8") for path in sources)
    assert not re.search(r"reference_host|session_query_specs|session_query_sqlite", text)
