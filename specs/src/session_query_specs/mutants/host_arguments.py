"""Hosts that take arguments for what they don't say; each is made of a host that gets it right."""

# ruff: noqa: ARG002 - what is wrong often looks at nothing

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from session_query_specs._subjects import ToolOutcome
from session_query_specs.mutants._mutant import host_mutant
from session_query_specs.mutants._spoiled_host import Arguments, SpoiledHost

__all__: list[str] = []

T = TypeVar("T")

_OWN = "SESSION_QUERY_TOOL_"


@host_mutant("TOOL-4/no-such-argument")
class TakesALimit(SpoiledHost):
    """Takes a limit, and does nothing with it."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {key: given for key, given in arguments.items() if key != "limit"}


@host_mutant("TOOL-5/whole")
class CutsTexts(SpoiledHost):
    """Cuts a text off after 2,000 characters."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return replace(outcome, text=None if outcome.text is None else outcome.text[:2000])


@host_mutant("TOOL-6/codes")
class CodesOfItsOwn(SpoiledHost):
    """Tells failures with codes that there aren't."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return replace(outcome, code=outcome.code and outcome.code.removeprefix(_OWN))


@host_mutant("INPUT-1/target-alone")
class NeighboursByDefault(SpoiledHost):
    """Shows a neighbour where none was asked for."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {"before": 1, **arguments} if tool == "session_event_read" else arguments


@host_mutant("INPUT-2/wrong", "INPUT-2/unknown", "INPUT-2/missing")
class WrongWithoutName(SpoiledHost):
    """Doesn't say which argument is wrong."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        wrong = outcome.code == f"{_OWN}INVALID_ARGUMENT"
        return replace(outcome, message="That is wrong.") if wrong else outcome


@host_mutant("INPUT-2/wrong")
class NumbersAsText(SpoiledHost):
    """Takes a text of digits for a number."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {
            key: int(given)
            if key in {"seq", "before", "after", "from_seq", "to_seq"}
            and isinstance(given, str)
            and given.isdigit()
            else given
            for key, given in arguments.items()
        }


@host_mutant("INPUT-2/or-and", "INPUT-2/each-filter")
class LastValueOnly(SpoiledHost):
    """Looks at the last value of a list alone."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {
            key: given[-1:] if isinstance(given, list) and key != "surfaces" else given
            for key, given in arguments.items()
        }


@host_mutant("INPUT-3/no-time")
class AddsAnOffset(SpoiledHost):
    """Takes a time without an offset for one in UTC."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {
            key: f"{given}Z"
            if isinstance(given, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+", given)
            else given
            for key, given in arguments.items()
        }


@host_mutant("INPUT-3/ranges", "INPUT-3/exact")
class WholeSeconds(SpoiledHost):
    """Takes no notice of the part of a second in a time."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {
            key: re.sub(r"(:\d\d)\.\d+", r"\1", given) if key != "query" else given
            for key, given in arguments.items()
            if isinstance(given, str)
        } | {key: given for key, given in arguments.items() if not isinstance(given, str)}


@host_mutant("INPUT-3/calendar", "INPUT-3/no-time")
class LongMonths(SpoiledHost):
    """Takes a day after the end of a month for its last one."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {
            key: re.sub(r"^(\d{4}-\d\d)-(?:29|3\d)T", r"\1-28T", given)
            if key.endswith(("_from", "_to")) and isinstance(given, str)
            else given
            for key, given in arguments.items()
        }


@host_mutant("INPUT-2/seq-ranges")
class TurnsRanges(SpoiledHost):
    """Turns a range of seqs around that is the wrong way round."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        turned = dict(arguments)
        for name in ("seq", "event_seq"):
            ends = turned.get(f"{name}_from"), turned.get(f"{name}_to")
            if all(type(end) is int for end in ends):
                turned[f"{name}_from"], turned[f"{name}_to"] = sorted(ends)  # type: ignore[type-var]
        return turned


@host_mutant("INPUT-4/closed-sets")
class IgnoresUnknownPlaces(SpoiledHost):
    """Takes no notice of an availability or a surface that there isn't."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        known = {"live", "persisted", "current", "replaced", "log-only"}
        return {
            key: [one for one in given if one in known] or [*sorted(known & _PLACES[key])]
            if key in _PLACES and isinstance(given, list)
            else given
            for key, given in arguments.items()
        }


_PLACES: Mapping[str, set[str]] = {
    "availability": {"live", "persisted"},
    "surfaces": {"current", "replaced", "log-only"},
    "event_surfaces": {"current", "replaced", "log-only"},
}


@host_mutant("INPUT-5/parents")
class AnyParents(SpoiledHost):
    """Takes no notice of the parents that are asked for."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {key: given for key, given in arguments.items() if "parent" not in key}


@host_mutant("INPUT-6/match")
class AlwaysAuto(SpoiledHost):
    """Takes no notice of the match mode."""

    def asked(self, tool: str, arguments: Arguments) -> Arguments:
        return {key: given for key, given in arguments.items() if key != "match"}
