"""The command line of the benchmarks."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.benches import BENCHES
from benchmarks.corpus import generate
from benchmarks.measure import Figure
from benchmarks.plot import plot_growth
from benchmarks.report import as_json, as_markdown, as_table, machine, replace_table
from benchmarks.workshop import FULL, QUICK, Workshop

__all__ = ["main"]

_RESULTS = Path(__file__).parent / "results"
_DOCUMENT = Path(__file__).parents[1] / "docs" / "performance.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code, which is 0 whatever the figures are."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["generate"]:
        return _generate(given[1:])
    return _run(given)


def _generate(given: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("python -m benchmarks generate", description=generate.__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="the store, new or to be added to")
    parser.add_argument("--sessions", type=int, default=100, metavar="N")
    parser.add_argument("--events", type=int, default=200, metavar="M", help="events per session")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--zstd", action="store_true", help="compress the logs")
    options = parser.parse_args(given)
    start = time.perf_counter()
    written = generate(
        options.folder, options.sessions, options.events, options.seed, compress=options.zstd
    )
    seconds = time.perf_counter() - start
    print(
        f"{options.folder}: {written.sessions} sessions, {written.events} events,"
        f" {written.bytes / 1e6:.1f} MB in {seconds:.1f} s"
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m benchmarks",
        description="Measure the index, each figure against a floor of the same run."
        " `generate DIR` makes a corpus instead.",
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    parser.add_argument(
        "--only", action="append", choices=[*BENCHES], metavar="NAME", help=", ".join(BENCHES)
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the JSON")
    parser.add_argument("--seed", type=int, default=0, help="of the corpora")
    parser.add_argument(
        "--folder", type=Path, metavar="DIR", help="keep stores and indexes there for the next run"
    )
    parser.add_argument(
        "--markdown", action="store_true", help=f"renew the table in {_DOCUMENT.name} too"
    )
    return parser


def _run(given: Sequence[str]) -> int:
    parser = _parser()
    options = parser.parse_args(given)
    if options.markdown and (options.quick or options.only):
        parser.error("--markdown wants a full run")
    scale = QUICK if options.quick else FULL
    names = [name for name in BENCHES if not options.only or name in options.only]
    largest = max(scale.growth) if "growth" in names else scale.sessions
    figures: list[Figure] = []
    with _folder(options.folder) as folder:
        workshop = Workshop(folder, scale, options.seed, largest)
        for name in names:
            start = time.perf_counter()
            print(f"{name} …", file=sys.stderr, flush=True)
            some = asyncio.run(BENCHES[name](workshop))
            print(f"{as_table(some)}\n  {time.perf_counter() - start:.0f} s", file=sys.stderr)
            figures += some
    print(as_table(figures))
    _write(options.json, figures, workshop, {"quick": options.quick, "only": options.only})
    if options.markdown:
        replace_table(_DOCUMENT, f"{_conditions()}\n\n{as_markdown(figures)}")
    return 0


@contextlib.contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is None:
        with tempfile.TemporaryDirectory(prefix="session-query-benchmarks-") as name:
            yield Path(name)
    else:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()


def _write(
    path: Path | None, figures: Sequence[Figure], workshop: Workshop, settings: dict[str, object]
) -> None:
    _RESULTS.mkdir(exist_ok=True)
    path = path or _RESULTS / "figures.json"
    settings |= {"seed": workshop.seed, "scale": asdict(workshop.scale)}
    path.write_text(json.dumps(as_json(figures, workshop.growth, settings), indent=1), "utf-8")
    files = [path, *(plot_growth(workshop.growth, _RESULTS) if workshop.growth else ())]
    print(f"\nwritten: {', '.join(map(str, files))}")


def _conditions() -> str:
    at = machine()
    day = time.strftime("%Y-%m-%d")
    return (
        f"Measured {day} on {at['cores']} cores, {at['system']}, Python {at['python']},"
        f" SQLite {at['sqlite']}."
    )
