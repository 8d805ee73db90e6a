"""What a person reads on a terminal (CONF-14, CONF-15)."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.cells import cell_len
from rich.console import Console
from session_query_specs.reports import card_lines, cards_of, print_report, rows_of, smoke_line
from session_query_specs.running import CheckResult, Finding, Report, Status

from .made import FAILING, PASSING, report


def printed(made: Report, width: int = 100) -> str:
    """Return what is printed of a report."""
    file = StringIO()
    print_report(made, Console(file=file, width=width, color_system=None), "whole in r.html")
    return file.getvalue()


@pytest.mark.requirement("CONF-14")
def test_rows_are_subjects_in_the_order_of_the_contract() -> None:
    """Checks are counted by subject and status, and blocked ones by their root alone."""
    rows = {row.subject: dict(row.counts) for row in rows_of(FAILING)}
    assert list(rows) == [
        "Header and events",
        "Exact reads",
        "Filters",
        "What a search answers",
        "Cursors",
    ]
    assert rows["What a search answers"] == {Status.PASSED: 1, Status.FAILED: 1}
    assert rows["Cursors"] == {Status.PASSED: 1, Status.NOT_CLAIMED: 1}


@pytest.mark.requirement("CONF-14")
def test_each_root_is_told_once_with_what_follows() -> None:
    """A blocked check has no card; it is named on the card of its root."""
    text = printed(FAILING)
    assert [card.result.name for card in cards_of(FAILING)] == [
        "SEARCH-9/order",
        "READ-1/reads",
        "READ-2/window",
    ]
    assert "✗ SEARCH-9/ties" not in text
    assert "Not judged, as they build on it:\n  SEARCH-9/ties\n" in text
    assert "failed: SEARCH-9/order (1 not judged, as they build on it)" in text


@pytest.mark.requirement("CONF-14")
def test_the_end_says_what_counts() -> None:
    """The last lines are the verdict with all counts, and under which conditions it was reached."""
    *_, verdict, conditions = printed(PASSING).splitlines()
    assert verdict == "my provider passed: 2 passed, 1 not claimed, 2 not testable"
    assert conditions == "contract 1.0, suite 0.1.0, profile quick, seed 7, 12.5 s"
    assert "my provider FAILED: 2 passed, 1 failed, 1 flaky" in printed(FAILING)


@pytest.mark.requirement("CONF-15")
@pytest.mark.parametrize("width", [60, 100])
def test_a_card_fits_one_screen(width: int) -> None:
    """However long its parts are, a card has at most 48 lines, none wider than the screen."""
    for card in cards_of(FAILING):
        lines = card_lines(card, width, "whole in r.html")
        assert len(lines) <= 48 + (width < 100) * 8
        assert all(cell_len(line) <= width for line in lines)


@pytest.mark.requirement("CONF-15")
def test_a_card_says_all_that_there_is_to_know() -> None:
    """Id, sentence, corpus and call, both answers, a script and the command stand in this order."""
    finding = Finding(["session 's1'", "call search"], "['s1']", "[]", "print('so')\n")
    failed = CheckResult("SEARCH-1/finds", "SEARCH-1", "It finds.", Status.FAILED, 3, seed=5)
    made = report(
        CheckResult(
            **{name: getattr(failed, name) for name in failed.__slots__} | {"finding": finding}
        )
    )
    assert card_lines(cards_of(made)[0], 90, "") == [
        "✗ SEARCH-1/finds · failed",
        "The contract:",
        "  A search over the corpus gives at most one hit for each session: its record and the",
        "  strongest matching event.",
        "The check:",
        "  It finds.",
        "Corpus and call:",
        "  session 's1'",
        "  call search",
        "Expected:",
        "  ['s1']",
        "Got:",
        "  []",
        "Reproduction:",
        "  print('so')",
        "Again:",
        "  session-query-conformance my_package.conformance:MyProvider \\",
        "    --only SEARCH-1/finds --profile quick --seed 5",
    ]


@pytest.mark.requirement("CONF-15")
def test_what_a_card_cuts_is_said() -> None:
    """A cut says how much is missing and where it stands whole; the call at the end stays."""
    lines = card_lines(cards_of(FAILING)[0], 100, "whole in r.html")
    corpus = lines[lines.index("Corpus and call:") : lines.index("Expected:")]
    assert len(corpus) == 11
    assert corpus[-7] == "  … 22 more lines: whole in r.html"
    assert corpus[-1].startswith("  call ")
    script = lines[lines.index("Reproduction:") :]
    hidden = 80 - sum(line.startswith("  print(") for line in script)
    assert f"  … {hidden} more lines: whole in r.html" in script


@pytest.mark.requirement("CONF-15")
def test_nothing_acts_on_the_terminal() -> None:
    """Controls, bidi marks and half characters are written out."""
    text = printed(FAILING)
    assert "\\x1b[31m<b>&amp;\\x00\\ud800\\u202e]]>" in text
    assert text.replace("\n", "").isprintable()


@pytest.mark.requirement("CONF-1")
def test_smoke_is_one_line() -> None:
    """One line says what holds, and what broke first where not all does."""
    assert smoke_line(PASSING) == "my provider: 4 of 4 hold"
    line = smoke_line(FAILING)
    assert line.isprintable()
    assert line.startswith("my provider: 6 of 10 hold; SEARCH-9/order: got ['s2', 's1'] \\x1b")
    assert len(line) <= 300
    broken = report(*(one for one in FAILING.results if one.status.spoils))
    assert "everything is broken" in smoke_line(broken)
