"""What a list of sessions or hits is silent about (CLI-2, CLI-4).

How many are left out, and that a store has none, go to standard error as plain lines, so that pipes
and JSON hold results alone.
"""

from __future__ import annotations

from collections.abc import Mapping

import click
from click.core import ParameterSource

from session_query_sqlite.cli._application import Job
from session_query_sqlite.cli._help import Option
from session_query_sqlite.cli._logging import LeftOut
from session_query_sqlite.cli._neutral import visible_line
from session_query_sqlite.cli._output import report_line
from session_query_sqlite.cli._settings import NAME, ROOT_VARIABLE

__all__ = ["tell_gaps", "typed_filters"]


def typed_filters() -> str:
    """Return the options that were typed in order to narrow down what is found.

    Texts stand with them, as they may be mistyped: types of events are an open set.
    """
    context = click.get_current_context()
    told = []
    for option in context.command.params:
        if not isinstance(option, Option) or not option.section.startswith("Which "):
            continue
        if context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE:
            value = context.params[option.name or ""]
            texts = value if option.multiple else [""]
            told += [f"{option.opts[0]} {visible_line(text)}".rstrip() for text in texts]
    return ", ".join(told)


async def tell_gaps(job: Job, reasons: Mapping[str, LeftOut], *, found: bool) -> None:
    """Say how many sessions are left out, or that there are none in this store.

    Args:
        job: what was done.
        reasons: the sessions that were left out in the meantime; with -v each was told already.
        found: whether something was found.
    """
    settings = job.settings
    if reasons:
        if not settings.verbose:
            are = "session is" if len(reasons) == 1 else "sessions are"
            advice = f"{settings.command('doctor')} says why"
            report_line(f"{NAME}: {len(reasons)} {are} left out; {advice}")
    elif not found and not await job.engine.list_sessions(job.signal):
        advice = f"name the store with --root or {ROOT_VARIABLE}"
        report_line(f"{NAME}: no session logs in {settings.store!r}; {advice}")
