"""The command `session-query`: its commands, its errors and its exit codes (CLI-1, CLI-2)."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from io import TextIOWrapper
from typing import Final

import click
from click.shell_completion import shell_complete
from session_query import ErrorCode, SessionQueryError

from session_query_sqlite.cli._application import Application
from session_query_sqlite.cli._common import common_options
from session_query_sqlite.cli._completion import COMPLETE_VARIABLE, SHELLS, completion_script
from session_query_sqlite.cli._doctor_command import doctor_command
from session_query_sqlite.cli._events import events_command
from session_query_sqlite.cli._help import Command, Group
from session_query_sqlite.cli._index import index_command
from session_query_sqlite.cli._interrupt import Interrupted, Interruption
from session_query_sqlite.cli._list import list_command
from session_query_sqlite.cli._logging import quiet_logs
from session_query_sqlite.cli._neutral import ENCODING_ERRORS
from session_query_sqlite.cli._output import report_error
from session_query_sqlite.cli._search import search_command
from session_query_sqlite.cli._settings import NAME, Settings
from session_query_sqlite.cli._show import show_command
from session_query_sqlite.cli._trace import trace_command

__all__ = ["cli", "main"]

FOUND: Final = 0
NOTHING_FOUND: Final = 1
USAGE: Final = 2
FAILED: Final = 3
INTERRUPTED: Final = 130

_EXIT_CODES: Final = {
    ErrorCode.SESSION_NOT_FOUND: NOTHING_FOUND,
    ErrorCode.EVENT_NOT_FOUND: NOTHING_FOUND,
    ErrorCode.INVALID_CONFIG: USAGE,
    ErrorCode.INVALID_FILTER: USAGE,
    ErrorCode.INVALID_LIMIT: USAGE,
    ErrorCode.INVALID_QUERY: USAGE,
    ErrorCode.INVALID_WINDOW: USAGE,
}

_ADVICE: Final = {
    ErrorCode.SESSION_NOT_FOUND: ("list", "shows those there are"),
    ErrorCode.EVENT_NOT_FOUND: ("events", "shows those there are"),
    ErrorCode.INDEX_FAILED: ("doctor", "says what can be done"),
    ErrorCode.CORRUPT_SESSION: ("doctor", "says what can be done"),
    ErrorCode.INVALID_SURFACE: ("doctor", "says what can be done"),
}
"""What to type, and what for; `events` needs the session of the error too."""


@click.group(
    NAME,
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    commands=[
        list_command, search_command, events_command, show_command, trace_command, index_command,
        doctor_command,
        doctor_command,
    ],
    examples=[
        ("What was done about it before", "session-query search connection refused"),
        ("The newest sessions", "session-query list --limit 10"),
        ("Tab completion in bash", 'eval "$(session-query completion bash)"'),
    ],
)  # fmt: skip
@click.version_option(version("session-query-sqlite"), prog_name=NAME)
@common_options
def cli() -> None:
    """Search and read the recorded sessions of coding agents.

    A SESSION is named by its id, or by the beginning of it that no other session shares. Times are
    shown on the local clock and in UTC. Exit codes: 0 found or done, 1 nothing found, 2 wrong
    usage, 3 a store or an index that can't be used, 130 interrupted.
    """


@cli.command(
    "completion",
    cls=Command,
    short_help="Print a script that completes commands, options and ids.",
    examples=[
        ("bash, in ~/.bashrc", 'eval "$(session-query completion bash)"'),
        ("zsh, in ~/.zshrc", 'eval "$(session-query completion zsh)"'),
        ("fish", "session-query completion fish > ~/.config/fish/completions/session-query.fish"),
    ],
)
@click.argument("shell", type=click.Choice(SHELLS))
@common_options
def completion_command(shell: str) -> int:
    """Print what SHELL has to run in order to complete commands, options and ids of sessions."""
    click.echo(completion_script(cli, shell), nl=False)
    return FOUND


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code (CLI-2).

    Args:
        arguments: what was typed after the name of the command; by default that of the process.
    """
    _open_streams()
    typed = sys.argv[1:] if arguments is None else [*arguments]
    interruption = Interruption()
    application = Application(Settings(), interruption)
    try:
        with interruption.watching(), quiet_logs(application.settings):
            try:
                code = _invoke(typed, application)
                sys.stdout.flush()
            except BrokenPipeError:
                _silence_output()
                code = FOUND
    except Exception as error:  # noqa: BLE001 - whatever it is, the user gets one line
        if isinstance(error, Interrupted):
            _silence_output()  # nobody may read what is left
        code = _report(application.settings, error, typed)
        with suppress(OSError):
            sys.stdout.flush()
    return code


def _invoke(typed: Sequence[str], application: Application) -> int:
    """Run what was typed; `click`'s own `main` would have exit codes of its own."""
    instruction = os.environ.get(COMPLETE_VARIABLE)
    if instruction:
        return shell_complete(cli, {"obj": application}, NAME, COMPLETE_VARIABLE, instruction)
    try:
        with cli.make_context(NAME, [*typed], obj=application) as context:
            code = cli.invoke(context)
            return code if isinstance(code, int) else FOUND
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return USAGE
    except click.exceptions.Exit as ended:
        return ended.exit_code


def _report(settings: Settings, error: Exception, typed: Sequence[str]) -> int:
    """Print one line about an error, after its traceback if wanted; return the exit code."""
    if settings.debug or "--debug" in typed:
        traceback.print_exception(error)
    name, message, code = _told(settings, error)
    report_error(message, name, as_json=settings.json or "--json" in typed)
    return code


def _told(settings: Settings, error: Exception) -> tuple[str, str, int]:
    """Return the name, the message and the exit code of an error."""
    match error:
        case Interrupted():
            message = "interrupted; the index is intact, and the next search or index goes on"
            return ErrorCode.ABORTED, message, INTERRUPTED
        case click.ClickException():
            context = error.ctx if isinstance(error, click.UsageError) else None
            path = NAME if context is None else context.command_path
            return "USAGE", f"{error.format_message()} (see: {path} --help)", USAGE
        case SessionQueryError():
            message = error.message + _advice(settings, error)
            return error.code, message, _EXIT_CODES.get(error.code, FAILED)
        case OSError():
            return "OUTPUT", f"the output can't be written: {error.strerror or error}", FAILED
        case _:
            what = f"{type(error).__name__}: {error}"
            return "INTERNAL", f"internal error, {what}; --debug tells where to report it", FAILED


def _advice(settings: Settings, error: SessionQueryError) -> str:
    """Return what can be typed after an error, as the end of its line."""
    code = error.code
    if code is ErrorCode.PERSISTENCE_FAILED and error.__cause__ is not None:
        code = ErrorCode.CORRUPT_SESSION
    if code not in _ADVICE:
        return ""
    command, purpose = _ADVICE[code]
    words = [command]
    if code is ErrorCode.EVENT_NOT_FOUND and error.header is not None:
        words.append(error.header.id)
    return f"; {settings.command(*words)} {purpose}"


def _open_streams() -> None:
    """Make sure that the standard streams exist and take every character.

    A descriptor that was closed at the start would otherwise be that of the next file to be opened.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:  # noqa: PLR2004 - stderr
        pass
    os.close(descriptor)
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=ENCODING_ERRORS)


def _nowhere() -> TextIOWrapper:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - lives with the process


def _silence_output() -> None:
    """Let what is still buffered go nowhere: the reader has gone (CLI-2)."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
