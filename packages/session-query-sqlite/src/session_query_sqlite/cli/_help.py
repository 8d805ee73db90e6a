"""Help pages with their options in sections, and with examples (CLI-6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import click

__all__ = ["COMMON", "Command", "Group", "Option"]

COMMON: Final = "Common options"
_EXAMPLES: Final = "Examples"


class Option(click.Option):
    """An option that belongs to a section of the help page."""

    def __init__(self, *declarations: Any, section: str = COMMON, **attributes: Any) -> None:
        super().__init__(*declarations, **attributes)
        self.section = section

    @classmethod
    def of(cls, *declarations: str, **attributes: Any) -> Callable[[Any], Any]:
        """Return a decorator that gives a command this option."""
        return click.option(*declarations, cls=cls, **attributes)


class _Sections(click.Command):
    """What commands and the group share.

    Args:
        arguments: those of click.
        examples: pairs of a purpose and a line to type.
        attributes: those of click.
    """

    def __init__(
        self, *arguments: Any, examples: Sequence[tuple[str, str]] = (), **attributes: Any
    ) -> None:
        super().__init__(*arguments, **attributes)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section of options under its own heading, the common ones last."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if isinstance(parameter, click.Option) and record is not None:
                section = parameter.section if isinstance(parameter, Option) else COMMON
                sections.setdefault(section, []).append(record)
        common = sections.pop(COMMON, [])
        for heading, records in [*sections.items(), (COMMON, common)]:
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
        self._format_examples(formatter)

    def _format_examples(self, formatter: click.HelpFormatter) -> None:
        if self.examples:
            with formatter.section(_EXAMPLES):
                for purpose, line in self.examples:
                    formatter.write_text(f"{purpose}:")
                    formatter.write(f"{'':{formatter.current_indent}}  {line}\n")


class Command(_Sections):
    """One of the commands."""


class Group(_Sections, click.Group):
    """The command itself, which only leads to its commands."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands first: whoever asks here looks for one."""
        self.format_commands(ctx, formatter)
        _Sections.format_options(self, ctx, formatter)
