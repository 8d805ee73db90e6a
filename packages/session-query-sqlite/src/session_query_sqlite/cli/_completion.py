"""Completion by the shell: the script that asks for it, and the ids it offers (CLI-6)."""

from __future__ import annotations

import asyncio

import click
from click.shell_completion import CompletionItem, get_completion_class

from session_query_sqlite.cli._application import Application
from session_query_sqlite.cli._neutral import visible
from session_query_sqlite.cli._settings import NAME

__all__ = ["COMPLETE_VARIABLE", "SHELLS", "complete_session", "completion_script"]

SHELLS = ("bash", "zsh", "fish")
COMPLETE_VARIABLE = "_SESSION_QUERY_COMPLETE"


def completion_script(command: click.Command, shell: str) -> str:
    """Return what a shell has to run in order to complete what is typed."""
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"there is no completion for {shell}; use {', '.join(SHELLS)}")
    complete = kind(command, {}, NAME, COMPLETE_VARIABLE)
    # not source(), which also runs bash to look at its version
    return complete.source_template % complete.source_vars()


def complete_session(
    context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the ids that begin like what was typed; none where the store can't be read."""
    application = context.find_object(Application)
    if application is None:
        return []
    try:
        headers = asyncio.run(application.store().list())
    except Exception:  # noqa: BLE001 - a shell that completes has no place for an error
        return []
    ids = sorted(header.id for header in headers)
    # an id that can't be typed is not offered
    return [
        CompletionItem(one) for one in ids if one.startswith(incomplete) and visible(one) == one
    ]
