"""The benches run, and tell what they measured."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from ..benches import BENCHES
from ..cli import main
from ..measure import Figure
from ..report import as_markdown, as_table, replace_table
from ..workshop import Scale, Workshop

TINY = Scale(
    sessions=12,
    events=60,
    growth=(6, 12),
    rounds=1,
    index_rounds=1,
    unchanged=8,
    appended=(20, 40),
    occurrences=(100, 1_000),
    abort_seconds=0.0,
    aborts=2,
)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """What the benches share, in sizes that take no time."""
    return Workshop(tmp_path_factory.mktemp("workshop"), TINY, seed=3, largest=12)


# `loop` makes records of a fixed, large size
@pytest.mark.parametrize("name", [name for name in BENCHES if name != "loop"])
def test_a_bench_measures(name: str, workshop: Workshop) -> None:
    """A bench gives figures with names, positive numbers and details that JSON can hold."""
    figures = asyncio.run(BENCHES[name](workshop))
    assert figures
    for figure in figures:
        assert figure.name
        assert figure.outcome in {"ok", "over", "under", ""}
        json.dumps(figure.to_json())


FIGURES = [
    Figure("low enough", 1.234, 2.0),
    Figure("too high", 20.5, 10.0, "ms"),
    Figure("too low", 1.5, 2.0, at_least=True),
    Figure("  only told", 1234.5, None, "MB"),
]


def test_outcomes_compare_with_the_target() -> None:
    """A figure is over or under its target in the direction that counts."""
    assert [figure.outcome for figure in FIGURES] == ["ok", "over", "under", ""]


def test_tables_tell_every_figure() -> None:
    """Both tables have a row for each figure, with target, number and outcome."""
    rows = as_markdown(FIGURES).split("\n")[2:]
    assert [row.split("|")[1].strip(" …") for row in rows] == [
        figure.name.strip() for figure in FIGURES
    ]
    assert rows[1] == "| too high | ≤ 10 ms | 20.5 ms | over |"
    for figure in FIGURES:
        assert figure.name in as_table(FIGURES)


def test_a_document_keeps_what_is_around_its_table(tmp_path: Path) -> None:
    """Renewing the table of a document changes only what is between its marks."""
    document = tmp_path / "performance.md"
    document.write_text("before\n<!-- begin figures -->\nold\n<!-- end figures -->\nafter\n")
    replace_table(document, "new")
    assert document.read_text() == (
        "before\n<!-- begin figures -->\nnew\n<!-- end figures -->\nafter\n"
    )
    document.write_text("no marks")
    with pytest.raises(ValueError, match="has no"):
        replace_table(document, "new")


def test_the_command_makes_a_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`generate` writes as many sessions and events as it is told, and says so."""
    arguments = ["generate", str(tmp_path), "--sessions", "3", "--events", "20", "--seed", "1"]
    assert main(arguments) == 0
    assert len(list(tmp_path.glob("*/*/session.jsonl"))) == 3
    assert "3 sessions, 60 events" in capsys.readouterr().out
