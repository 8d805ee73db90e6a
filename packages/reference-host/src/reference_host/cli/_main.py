"""The command `reference-host` (HOST-9)."""

from __future__ import annotations

import asyncio
import logging
import sys
import traceback
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final, NoReturn

import click
import platformdirs
from session_query import ErrorCode, PersistenceError, SessionQueryError

from reference_host._host import opened_host
from reference_host.composition import SHIPPED, Composition, load_composition
from reference_host.errors import CompositionError, HostError, SessionError
from reference_host.wire import open_missing_streams

__all__ = ["main"]

EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_STORE: Final = 3
EXIT_INTERRUPTED: Final = 130

_COMPOSITION: Final = click.option(
    "--composition",
    "name",
    required=True,
    metavar="NAME|FILE",
    help=f"What is mounted: one of {', '.join(SHIPPED)}, or a TOML file.",
)
_STATE: Final = click.option(
    "--state",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    envvar="REFERENCE_HOST_STATE",
    show_envvar=True,
    help="Where logs, index and spilled results are; by default the user's state directory.",
)
_REPLAY: Final = click.option(
    "--replay",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Answer from this script in the place of the composition's model.",
)
_RECORD: Final = click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Append each request that the model is sent to this file, as one line of JSON.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="reference-host")
def main() -> None:
    """Run an agent whose sessions are logged, and can be listed, resumed, forked and searched."""
    open_missing_streams()
    logging.basicConfig(
        level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(levelname)s: %(message)s"
    )


@main.command()
@_COMPOSITION
@_STATE
@_REPLAY
@_RECORD
@click.option(
    "--cwd",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    default=".",
    metavar="DIR",
    help="The working directory of the session; by default the current one.",
)
@click.option("--resume", metavar="SESSION", help="Go on in this session of that directory.")
@click.argument("task")
def run(  # noqa: PLR0913, PLR0917 - one for each option
    name: str,
    state: Path | None,
    replay: Path | None,
    record: Path | None,
    cwd: str,
    resume: str | None,
    task: str,
) -> None:
    """Do one TASK and print the log of it: a line of JSON for the session, one for each event.

    Exit codes: 0 done; 1 the turn failed; 2 wrong use, composition, session or model; 3 the store
    or the index can't be used; 130 interrupted.
    """
    if not task.strip():
        _fail("the task is empty", EXIT_USAGE)
    from reference_host.headless import run_task  # noqa: PLC0415 - what other commands don't need

    composition = _loaded(name)
    _exit(
        lambda: run_task(
            opened_host(composition, _state(state), replay=replay, record=record),
            cwd,
            task,
            resume,
        )
    )


@main.command()
@_COMPOSITION
@_STATE
@_REPLAY
@_RECORD
def acp(name: str, state: Path | None, replay: Path | None, record: Path | None) -> None:
    """Serve one client of the Agent Client Protocol over stdin and stdout, until stdin ends."""
    # half a second to import, which the other commands need not wait for
    from reference_host.acp import serve_stdio  # noqa: PLC0415

    composition = _loaded(name)
    _exit(
        lambda: serve_stdio(opened_host(composition, _state(state), replay=replay, record=record))
    )


@main.command()
@_COMPOSITION
@_STATE
@click.argument("session")
@click.argument("title")
def rename(name: str, state: Path | None, session: str, title: str) -> None:
    """Give SESSION a TITLE of your own."""
    from reference_host.headless import rename_session  # noqa: PLC0415 - likewise

    composition = _loaded(name)
    _exit(
        lambda: rename_session(
            opened_host(composition, _state(state), answers=False), session, title
        )
    )


@main.command()
@_COMPOSITION
@_STATE
@click.option(
    "--cwd",
    type=click.Path(resolve_path=True),
    metavar="DIR",
    help="Only sessions of exactly this directory.",
)
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True)
@click.argument("query", nargs=-1, required=True)
def search(
    name: str, state: Path | None, cwd: str | None, limit: int, query: tuple[str, ...]
) -> None:
    """Print the sessions that match QUERY: id, seq and text of the best match, with tabs between.

    The composition must mount an index. This is for people: it shows the sessions of every
    directory.
    """
    from reference_host.headless import search_sessions  # noqa: PLC0415 - likewise

    composition = _loaded(name)
    _exit(
        lambda: search_sessions(
            opened_host(composition, _state(state), answers=False), cwd, " ".join(query), limit
        )
    )


def _loaded(name: str) -> Composition:
    try:
        return load_composition(name)
    except CompositionError as error:
        _fail(error.message, EXIT_USAGE)


def _state(given: Path | None) -> Path:
    return given or platformdirs.user_state_path("reference-host", appauthor=False)


def _exit(start: Callable[[], Coroutine[Any, Any, int]]) -> NoReturn:
    """Run a command to its end, and end the process with its code."""
    try:
        code = asyncio.run(start())
    except KeyboardInterrupt:
        _fail("interrupted", EXIT_INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the last one who can tell people what went wrong
        _fail(*_told(error))
    sys.exit(code)


def _told(error: Exception) -> tuple[str, int]:
    """Return what people are told of an error, and the exit code."""
    match error:
        case ExceptionGroup():
            return _told(error.exceptions[0])
        case SessionError(code="SESSION_WRITE_FAILED" | "SESSION_CORRUPT" | "SESSION_UNREADABLE"):
            return error.message, EXIT_STORE
        case HostError():
            return error.message, EXIT_USAGE
        case SessionQueryError():
            asked_wrongly = error.code in {ErrorCode.SEARCH_DISABLED, ErrorCode.INVALID_QUERY}
            return error.message, EXIT_USAGE if asked_wrongly else EXIT_STORE
        case PersistenceError() | OSError():
            return str(error), EXIT_STORE
    # the text of the error and the values around it may hold what nobody should see
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}, line {place.lineno}"
    return f"a fault of this program: {type(error).__name__} in {where}", EXIT_FAILED


def _fail(message: str, code: int) -> NoReturn:
    told = " ".join(message.split())
    click.echo(f"reference-host: {told}", err=True)
    sys.exit(code)
