"""The commands, and what each prints."""

from __future__ import annotations

import logging
import os
import sys
import threading
from pathlib import Path
from typing import Any, Final, NoReturn

import click
from rich.console import Console

from session_query_specs._subjects import UnknownCapabilityError
from session_query_specs.cli._progress import shown_progress
from session_query_specs.contract import CONTRACT_VERSION, CONTRACT_VERSIONS
from session_query_specs.reports import (
    UnreadableReportError,
    compare,
    html_report,
    json_report,
    junit_report,
    print_comparison,
    print_report,
    read_report,
    smoke_line,
)
from session_query_specs.running import (
    PROFILES,
    ConformanceUsageError,
    Report,
    Status,
    import_subject,
    run_conformance,
)

__all__ = ["main"]

_FAILED: Final = 1
_UNJUDGED: Final = 2
_UNHEARD: Final = logging.NullHandler()
"""What damaged and conflicting sessions are logged to: checks make hundreds of them."""


class _RunUnlessNamed(click.Group):
    """A group whose command `run` needs no name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {*self.commands, *(name for one in self.get_params(ctx) for name in one.opts)}
        if args and args[0] not in own:
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(
    cls=_RunUnlessNamed,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
)
@click.version_option(package_name="session-query-specs")
def main() -> None:
    """Judge a provider or a host of session-query by its contract.

    \b
    session-query-conformance my_package.conformance:MyProvider
    session-query-conformance smoke my_package.conformance:MyProvider
    session-query-conformance diff old.json new.json

    A class is given as MODULE:CLASS; modules are found in the current directory, too. Without the
    name of a command, run is meant.
    """  # noqa: D301 - click takes the very character as a sign to keep the lines


_SEED = click.option("--seed", type=int, default=None, help="What examples are drawn with.  [0]")
_FILE = click.Path(dir_okay=False, path_type=Path)
_EXISTING = click.Path(dir_okay=False, exists=True, path_type=Path)


@main.command()
@click.argument("subject", metavar="MODULE:CLASS")
@click.option(
    "--profile", type=click.Choice(list(PROFILES)), default=None, help="How much is tried.  [quick]"
)
@_SEED
@click.option(
    "--only", multiple=True, metavar="ID", help="A requirement or a check; may come again."
)
@click.option(
    "--known-failures",
    type=_EXISTING,
    help="A file of what is known to fail: one ID REASON a line.",
)
@click.option(
    "--contract",
    type=click.Choice(CONTRACT_VERSIONS),
    default=None,
    help=f"The version that the subject keeps to.  [{CONTRACT_VERSION}]",
)
@click.option(
    "--replay", type=_EXISTING, help="A JSON report: judge what failed in it, on the same examples."
)
@click.option("--json", "json_file", type=_FILE, help="Write the report as JSON.")
@click.option("--junit", "junit_file", type=_FILE, help="Write the report as JUnit XML.")
@click.option("--html", "html_file", type=_FILE, help="Write the report as one HTML page.")
def run(
    subject: str,
    *,
    replay: Path | None,
    json_file: Path | None,
    junit_file: Path | None,
    html_file: Path | None,
    **options: Any,
) -> None:
    """Judge all that a class claims; this is what happens without the name of a command.

    The exit code is 0 if all that is claimed holds, 1 if not, and 2 if nothing could be judged or
    a report could not be written.
    """
    if replay is not None:
        options = _replayed(replay, options)
    forms = ((html_file, html_report), (json_file, json_report), (junit_file, junit_report))
    files = {path: form for path, form in forms if path is not None}
    for path in files:
        _require_writable(path)
    report = _run(subject, **options)
    lost = [told for path, form in files.items() if (told := _unwritten(path, form(report)))]
    whole = html_file or json_file
    console = Console(highlight=False)
    print_report(report, console, f"whole in {whole}" if whole else "whole with --html FILE")
    for told in lost:
        click.echo(f"Error: {told}", err=True)
    _end(report, _UNJUDGED if lost else None)


@main.command()
@click.argument("subject", metavar="MODULE:CLASS")
@_SEED
def smoke(subject: str, seed: int | None) -> None:
    """Say in seconds, and in one line, whether a class works at all."""
    report = _run(subject, profile="smoke", seed=seed, progress=False)
    click.echo(smoke_line(report))
    _end(report)


@main.command()
@click.argument("old", type=_EXISTING)
@click.argument("new", type=_EXISTING)
def diff(old: Path, new: Path) -> None:
    """Compare two JSON reports; the exit code is 1 if anything got worse.

    What passed and isn't in the new report at all is worse, too.
    """
    try:
        comparison = compare(read_report(old), read_report(new))
    except UnreadableReportError as error:
        raise click.UsageError(str(error)) from error
    print_comparison(comparison, Console(highlight=False))
    sys.exit(_FAILED if comparison.worse else 0)


def _replayed(path: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that judge again what failed; what was given on the line counts."""
    try:
        report = read_report(path)
    except UnreadableReportError as error:
        raise click.UsageError(str(error)) from error
    failed = [
        one["check"] for one in report["results"] if one["status"] in {Status.FAILED, Status.FLAKY}
    ]
    seeds = {one.get("seed") for one in report["results"] if one["check"] in failed}
    if not failed:
        raise click.UsageError(f"{path}: nothing failed in that run")
    if len(seeds) > 1 and options["seed"] is None:
        raise click.UsageError(
            f"{path}: failures of several seeds; say which by --seed: {sorted(seeds)}"
        )
    if options["seed"] is not None:
        seeds = {options["seed"]}
    profile = "full" if report["profile"] == "soak" else report["profile"]
    return {
        **options,
        "only": options["only"] or failed,
        "seed": seeds.pop(),
        "profile": options["profile"] or profile,
        "contract": options["contract"] or report["contractVersion"],
    }


def _run(subject: str, *, progress: bool = True, **options: Any) -> Report:
    given = {name: value for name, value in options.items() if value is not None}
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    logging.getLogger("session_query").addHandler(_UNHEARD)
    try:
        with shown_progress(enabled=progress) as on_result:
            found = import_subject(subject)
            return run_conformance(found, on_result=on_result, where=subject, **given)
    except (ConformanceUsageError, UnknownCapabilityError) as error:
        raise click.UsageError(str(error)) from error


def _end(report: Report, code: int | None = None) -> NoReturn:
    """End with the code of a report, or another one."""
    if not report.judged:
        click.echo(f"Error: nothing could be judged: {_why_unjudged(report)}", err=True)
        code = _UNJUDGED
    elif code is None:
        code = 0 if report.passed else _FAILED
    threads = {one for one in threading.enumerate() if not one.daemon} - {threading.main_thread()}
    if threads and any(one.hung for one in report.results):
        # Python waits for each thread before it ends, and these belong to what never comes back
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _why_unjudged(report: Report) -> str:
    """Return the first reason, and how many checks have others or the same."""
    reasons = [f"{one.name}: {one.reason}" for one in report.results]
    more = len(reasons) - 1
    return f"{reasons[0]}{f'; and {more} more' if more else ''}"


def _require_writable(path: Path) -> None:
    """Refuse a file that can't be written, before a run is lost over it."""
    there = path.exists()
    try:
        with path.open("ab"):
            pass
        if not there:
            path.unlink()
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from error


def _unwritten(path: Path, text: str) -> str:
    """Write a file; return what is wrong if that fails."""
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        return f"{path}: {error.strerror}"
    return ""
