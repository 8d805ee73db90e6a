"""The options that every command takes, before or after its name (CLI-1 to CLI-3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from session_query_sqlite.cli._application import Application
from session_query_sqlite.cli._help import Option
from session_query_sqlite.cli._settings import INDEX_VARIABLE, ROOT_VARIABLE

__all__ = ["common_options"]

F = TypeVar("F", bound=Callable[..., Any])


def _keep(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Store a value where the whole invocation finds it; what was typed beats the environment."""
    application = context.find_object(Application)
    if application is None or value is None:
        return
    settings = application.settings
    source = context.get_parameter_source(parameter.name)
    if source is ParameterSource.COMMANDLINE:
        if value == "":
            raise click.BadParameter("name a path, not an empty text.")
        setattr(settings, parameter.name, value)
        if isinstance(value, str):
            settings.typed[parameter.name] = value
    elif source is ParameterSource.ENVIRONMENT and getattr(settings, parameter.name) is None:
        setattr(settings, parameter.name, value)


def common_options(command: F) -> F:
    """Give a command, or the group, the options that fill its `Settings`."""
    path: dict[str, Any] = {
        "type": click.Path(),
        "callback": _keep,
        "expose_value": False,
        "is_eager": True,
    }
    flag: dict[str, Any] = {**path, "is_flag": True, "type": None}
    options = [
        Option.of(
            "--root",
            metavar="DIR",
            envvar=ROOT_VARIABLE,
            help=f"The store of sessions. [{ROOT_VARIABLE}; default: ~/.dsh/sessions]",
            **path,
        ),
        Option.of(
            "--index",
            metavar="FILE",
            envvar=INDEX_VARIABLE,
            help=f"The index for searching. [{INDEX_VARIABLE}; default: one a store, in the cache"
            " directory of the user]",
            **path,
        ),
        Option.of("--json", help="Print JSON, one value a line.", **flag),
        Option.of(
            "--no-color",
            "plain",
            help="Print no colours and no other terminal codes, as NO_COLOR does.",
            **flag,
        ),
        Option.of("--verbose", "-v", help="Tell on stderr what is left out, and why.", **flag),
        Option.of("--debug", help="Print the traceback of an error.", **flag),
    ]
    for option in reversed(options):
        command = option(command)
    return command
