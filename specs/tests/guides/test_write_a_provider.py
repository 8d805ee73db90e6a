"""The guide for authors of providers: its files do what it says that they do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .documents import DOCS, blocks, commands, missing, run

GUIDE = "write-a-provider.md"


@pytest.mark.requirement("CONF-1", "CONF-4", "CONF-15")
def test_each_command_prints_what_is_shown(tmp_path: Path) -> None:
    """With the files shown so far, each command prints the lines below it, numbers aside."""
    consoles = 0
    for file, content in blocks(GUIDE):
        if file:
            (tmp_path / file).write_text(content, "utf-8")
            continue
        consoles += 1
        for command, shown in commands(content):
            printed = run(command, tmp_path)
            assert not missing(shown, printed), f"{command} printed\n{printed}"
    assert consoles == (DOCS / GUIDE).read_text("utf-8").count("```console")


def test_the_provider_is_small_and_stands_alone() -> None:
    """It has less than 80 lines that are not blank, and takes nothing from the oracle."""
    *_, whole = (content for file, content in blocks(GUIDE) if file == "scan.py")
    assert sum(bool(line.strip()) for line in whole.splitlines()) < 80
    imports = re.findall(r"^(?:from|import) .+", whole, re.MULTILINE)
    assert "from session_query_specs import ProviderUnderTest" in imports
    assert not any("oracle" in line or "sqlite" in line for line in imports)
