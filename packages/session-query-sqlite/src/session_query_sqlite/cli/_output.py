"""What the command prints, and where (CLI-2, CLI-3).

On a terminal, people read: lines have styles and fit the width. Elsewhere, programs do: each record
is one line whose fields are separated by tabs, whole and without styles.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, TextIO

from rich.console import Console
from rich.text import Text
from rich.tree import Tree
from session_query import dumps

from session_query_sqlite.cli._interrupt import Interruption
from session_query_sqlite.cli._neutral import json_text, visible_line
from session_query_sqlite.cli._progress import Advance, bar_progress, plain_progress
from session_query_sqlite.cli._settings import NAME, Settings

__all__ = ["Output", "report_error", "report_line"]

_UTF_8: Final = "utf-8"
_DUMB: Final = ("dumb", "unknown")


class _Terminal(Console):
    """A console that leaves closed pipes to whoever runs the command."""

    def on_broken_pipe(self) -> None:
        """Let the exception go on."""
        raise  # noqa: PLE0704 - called while the exception is being handled


def _is_plain(stream: TextIO, settings: Settings) -> bool:
    """Tell whether a stream takes no escape sequences, or is to get none."""
    unwanted = settings.plain or bool(os.environ.get("NO_COLOR"))
    return unwanted or not stream.isatty() or os.environ.get("TERM") in _DUMB


def _console(stream: TextIO, settings: Settings) -> Console:
    return _Terminal(
        file=stream,
        force_terminal=stream.isatty(),
        color_system=None if _is_plain(stream, settings) else "auto",
        highlight=False,
        markup=False,
        emoji=False,
    )


class Output:
    """Standard output, and the progress on standard error.

    Args:
        settings: what the options say.
        interruption: ends the command at the next line after Ctrl-C.
    """

    def __init__(self, settings: Settings, interruption: Interruption) -> None:
        self._settings = settings
        self._stream = sys.stdout
        self._interruption = interruption
        self._console = _console(sys.stdout, settings)
        self.for_people = not settings.json
        """Whether something else than JSON is wanted."""
        self.on_terminal = self.for_people and self._console.is_terminal
        """Whether people read it as it is printed."""
        self.shows_progress = self.for_people and sys.stderr.isatty()
        """Whether somebody waits for it."""

    @property
    def width(self) -> int:
        """How many columns the terminal has."""
        return self._console.width

    def json(self, value: Any) -> None:
        """Print one JSON value on one line; all that a terminal could act on is escaped."""
        unicode = (self._stream.encoding or "").lower().replace("_", "-") in (_UTF_8, "utf8")
        self.raw(json_text(dumps(value), ascii_only=not unicode))

    def row(self, *fields: object) -> None:
        """Print one record for programs: neutralised fields with tabs between them."""
        self.raw("\t".join(visible_line(str(field)) for field in fields))

    def raw(self, line: str) -> None:
        """Print one line that is neutralised already."""
        with self._interruption.printing():
            self._stream.write(line + "\n")

    def line(
        self,
        text: Text | None = None,
        *,
        crop: bool = False,
        wrap: bool = True,
        indent: int = 0,
    ) -> None:
        """Print something for people.

        Args:
            text: whose content is neutralised already; an empty line without it.
            crop: cut what is wider than the terminal instead of wrapping it.
            wrap: break lines at words; else the terminal breaks them anywhere.
            indent: how far each line stands in.
        """
        text = Text() if text is None else text
        if crop:
            text.truncate(max(self.width - indent, 1), overflow="ellipsis")
        lines = text.wrap(self._console, max(self.width - indent, 1)) if wrap else [text]
        with self._interruption.printing():
            for line in lines:
                line.rstrip()
                self._console.print(Text(" " * indent).append_text(line), soft_wrap=True)

    def tree(self, tree: Tree) -> None:
        """Print a tree whose labels are neutralised already."""
        with self._interruption.printing():
            self._console.print(tree)

    def joined(self, parts: Sequence[Text], *, indent: int = 0) -> None:
        """Print parts on one line, or each on its own where that is too narrow for all of them."""
        line = Text("  ").join(parts)
        if indent + line.cell_len <= self._console.width:
            self.line(line, indent=indent)
        else:
            for part in parts:
                self.line(part, indent=indent)

    def more(self, message: str) -> None:
        """Say that there is more than was printed; beside the values where those are JSON."""
        if self.on_terminal:
            self.line(Text(message, style="dim"))
        elif self.for_people:
            self.row(message)
        else:
            report_line(message)

    @contextmanager
    def progress(self, what: str) -> Iterator[Advance]:
        """Give a function that shows how many of how many are done, on a terminal only."""
        if not self.shows_progress:
            yield lambda _done, _total: None
        elif _is_plain(sys.stderr, self._settings):
            with plain_progress(what) as advance:
                yield advance
        else:
            with bar_progress(what, _console(sys.stderr, self._settings)) as advance:
                yield advance


def report_line(message: str) -> None:
    """Print one neutralised line on standard error."""
    _report(visible_line(message))


def report_error(message: str, code: str, *, as_json: bool) -> None:
    """Print one line on standard error that tells what is wrong and what to do (CLI-2)."""
    if as_json:
        _report(json_text(dumps({"code": code, "message": message}), ascii_only=True))
    else:
        _report(f"{NAME}: {visible_line(message)}")


def _report(line: str) -> None:
    # nobody may be listening, and there is nobody left to tell
    with suppress(OSError, ValueError):
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
