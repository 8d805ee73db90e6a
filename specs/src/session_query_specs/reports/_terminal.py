"""The report on a terminal: a table, then one card for each cause (CONF-14, CONF-15)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from session_query_specs.reports._comparison import Change, Comparison
from session_query_specs.reports._neutral import neutral
from session_query_specs.reports._reading import Card, Row, cards_of, columns_of, rows_of
from session_query_specs.running import Report, Status

__all__ = ["card_lines", "print_comparison", "print_report", "smoke_line"]

_SCREEN: Final = 48
"""Lines of a card: a screen of 50 without the prompt."""

_STYLES: Final = {
    Status.PASSED: "green",
    Status.FAILED: "bold red",
    Status.FLAKY: "bold red",
    Status.STALE: "bold red",
    Status.KNOWN_FAILURE: "yellow",
}
_HEADINGS: Final = {Status.KNOWN_FAILURE: "known", Status.STALE: "stale"}


def print_report(report: Report, console: Console, whole: str) -> None:
    """Print the table and the cards.

    Args:
        report: the report.
        console: where to.
        whole: where what a card cuts stands whole, as in `report.html`.
    """
    cards = cards_of(report)
    for card in cards:
        console.print()
        for number, line in enumerate(card_lines(card, console.width, whole)):
            _say(console, line, "bold red" if number == 0 else "")
    console.print()
    _say(console, f"{report.subject} ({report.where})", "bold")
    console.print(_table(report))
    if cards:
        console.print()
    for card in cards:
        more = f" ({len(card.followers)} not judged, as they build on it)" if card.followers else ""
        _say(console, f"{card.result.status.value}: {card.result.name}{more}", "red")
    _say(console, _verdict(report), "bold green" if report.passed else "bold red")
    seeds = f"seed {report.seed}" if report.seeds == 1 else f"{report.seeds} seeds"
    _say(
        console,
        f"contract {report.contract}, suite {report.suite}, profile {report.profile}, {seeds}, "
        f"{report.seconds:.1f} s",
        "dim",
    )


def _verdict(report: Report) -> str:
    counted = ", ".join(f"{count} {status}" for status, count in report.counts.items() if count)
    failed = "FAILED" if report.judged else "not judged"
    return f"{report.subject} {'passed' if report.passed else failed}: {counted}"


def _table(report: Report) -> Table:
    columns = columns_of(report)
    table = Table("subject", box=SIMPLE_HEAD)
    for status in columns:
        heading = _HEADINGS.get(status, status.value).replace(" ", "\n")
        table.add_column(heading, justify="right")
    rows = rows_of(report)
    judged = [row for row in rows if row.counts.keys() - {Status.NOT_TESTABLE}]
    unjudged = [row for row in rows if row not in judged]
    if unjudged:
        total = sum((Counter(row.counts) for row in unjudged), Counter[Status]())
        judged = [*judged, Row(f"{len(unjudged)} more, without checks", total)]
    for row in judged:
        counts = (_number(row.counts.get(status, 0), status) for status in columns)
        table.add_row(row.subject, *counts)
    return table


def _number(count: int, status: Status) -> Text:
    return Text(str(count), _STYLES.get(status, "")) if count else Text("·", "dim")


def card_lines(card: Card, width: int, whole: str) -> list[str]:
    """Return the lines of a card, none longer than `width`, and no more than fit one screen.

    Args:
        card: the card.
        width: the columns of the screen.
        whole: where what is cut stands whole.
    """
    result, finding = card.result, card.result.finding
    lines = [*_fold([f"✗ {result.name} · {result.status.value}"], width)]
    lines += _part("The contract", [card.sentence or result.requirement], width, 6, whole)
    lines += _part("The check", [result.claim], width, 3, whole)
    if result.reason:
        lines += _part("Because", [result.reason], width, 2, whole)
    again = card.again.replace(" --only", " \\\n  --only").splitlines()
    end = _part("Again", again, width, 4, whole)
    if card.followers:
        told = ", ".join(card.followers)
        end = [*_part("Not judged, as they build on it", [told], width, 2, whole), *end]
    if finding is not None:
        lines += _part("Corpus and call", finding.example, width, 10, whole, last=6)
        lines += _part("Expected", finding.expected.splitlines(), width, 4, whole)
        lines += _part("Got", finding.got.splitlines(), width, 4, whole)
        if finding.schedule:
            lines += _part("Schedule", finding.schedule, width, 8, whole, last=5)
        script = finding.script.rstrip().splitlines()
        room = max(4, _SCREEN - len(lines) - len(end) - 1)
        lines += _part("Reproduction", script, width, room, whole, last=min(9, room // 2))
    return lines + end


def _part(  # noqa: PLR0913, PLR0917 - each caller gives all, in the order of the words
    title: str, content: Sequence[str], width: int, most: int, whole: str, last: int = 0
) -> list[str]:
    """Return a titled part of at most `most` lines, of which `last` are kept from the end."""
    folded = [f"  {line}" for line in _fold(content, width - 2)]
    if len(folded) > most:
        first = most - 1 - last
        note = _fold([f"  … {len(folded) - first - last} more lines: {whole}"], width)[:1]
        folded = [*folded[:first], *note, *folded[len(folded) - last :]]
    return [f"{title}:", *folded]


def _fold(lines: Iterable[str], width: int) -> list[str]:
    """Break lines where they are full; wide characters count as the terminal shows them."""
    console = Console(width=max(width, 20), color_system=None, file=None)
    return [
        piece.plain.rstrip()
        for line in lines
        for piece in Text(neutral(line)).wrap(console, console.width, overflow="fold")
    ]


def smoke_line(report: Report) -> str:
    """Return what came of a short run in one line."""
    judged = [one for one in report.results if one.status is not Status.NOT_CLAIMED]
    good = sum(not one.status.spoils for one in judged)
    if report.passed:
        return neutral(f"{report.subject}: {good} of {len(judged)} hold")
    card = cards_of(report)[0] if cards_of(report) else None
    if card is None:
        return neutral(f"{report.subject}: nothing was judged")
    finding = card.result.finding
    got = " ".join(finding.got.split()) if finding is not None else card.result.reason
    broken = "everything is broken" if not good else f"{good} of {len(judged)} hold"
    return _one_line(f"{report.subject}: {broken}; {card.result.name}: got {got}")


def _one_line(text: str, most: int = 300) -> str:
    plain = neutral(" ".join(text.split()))
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print what differs between two runs."""
    for line in comparison.conditions:
        _say(console, line, "dim")
    parts = {
        "worse": (comparison.worse, "red"),
        "better": (comparison.better, "green"),
        "otherwise": (comparison.otherwise, "yellow"),
        "appeared": (comparison.appeared, ""),
        "went": (comparison.went, ""),
    }
    for title, (changes, style) in parts.items():
        if changes:
            _say(console, f"{title}:", f"bold {style}".strip())
        for change in changes:
            _say(console, f"  {change.check}: {_from_to(change)}", style)
    if not any(changes for changes, _ in parts.values()):
        _say(console, "no check came to anything else", "")


def _from_to(change: Change) -> str:
    if change.old is None:
        return change.new or ""
    return f"{change.old} → {change.new or 'not there'}"


def _say(console: Console, text: str, style: str) -> None:
    console.print(Text(neutral(text), style), soft_wrap=True)
