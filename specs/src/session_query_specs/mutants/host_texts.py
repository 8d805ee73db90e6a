"""Hosts that collect, title or show in a wrong way; each is made of a host that gets it right."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from session_query import (
    AbortController,
    AbortSignal,
    ErrorCode,
    SessionQueryError,
    SessionSearchPage,
    SessionSearchRequest,
    TitleResult,
)

from session_query_specs._subjects import ToolOutcome
from session_query_specs.hosts import ScriptedEngine
from session_query_specs.mutants._mutant import host_mutant
from session_query_specs.mutants._spoiled_host import OverEngine, SpoiledHost

__all__: list[str] = []


class _OnePage(ScriptedEngine):
    """Has one page for each search."""

    async def search_sessions(
        self,
        request: SessionSearchRequest | Mapping[str, Any],
        signal: AbortSignal | None = None,
    ) -> SessionSearchPage:
        return replace(await super().search_sessions(request, signal), next_cursor=None)


@host_mutant("TITLE-1/all-pages")
class FirstPageOnly(OverEngine):
    """Shows the hits of the first page alone."""

    through = _OnePage


class _SpoiledBatches(ScriptedEngine):
    """Fails for all titles where one can't be read."""

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        results = await super().read_titles(ids, signal)
        for result in results:
            if result.reason is not None:
                raise SessionQueryError("one title failed", ErrorCode.PERSISTENCE_FAILED)
        return results


@host_mutant("TITLE-2/failed")
class OneTitleSpoilsAll(OverEngine):
    """Lets one title that can't be read fail the whole answer."""

    through = _SpoiledBatches


class _EachTitle(ScriptedEngine):
    """Reads each title by itself."""

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        results = []
        for name in ids:
            results += await super().read_titles([name], signal)
        return results


@host_mutant("TITLE-2/one-batch")
class TitlesOneByOne(OverEngine):
    """Reads each title of an answer by itself."""

    through = _EachTitle


class _Forgetful(ScriptedEngine):
    """Goes on with titles in a task of its own when the call is aborted."""

    async def read_titles(
        self, ids: Iterable[str], signal: AbortSignal | None = None
    ) -> list[TitleResult]:
        working = asyncio.ensure_future(super().read_titles(ids))
        aborted = asyncio.ensure_future((signal or AbortController().signal).wait())
        await asyncio.wait({working, aborted}, return_when=asyncio.FIRST_COMPLETED)
        aborted.cancel()
        if signal is not None and not working.done():
            working.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            signal.raise_if_aborted()
        return await working


@host_mutant("TITLE-3/each-step")
class LeavesTitlesRunning(OverEngine):
    """Ends at once when it is aborted, while titles are still being read."""

    through = _Forgetful


@host_mutant("RENDER-1/hits")
class HitsWithoutSeq(SpoiledHost):
    """Doesn't show the seq of a hit."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        text = outcome.text
        return replace(outcome, text=None if text is None else re.sub(r"seq \d+", "an event", text))


def _without(outcome: ToolOutcome, pattern: str, instead: str = "") -> ToolOutcome:
    """Return an answer with something else in the place of what a pattern finds."""
    text = outcome.text
    return replace(outcome, text=text and re.sub(pattern, instead, text))


@host_mutant("RENDER-1/told-of-hits")
class TimesInSeconds(SpoiledHost):
    """Shows times without their milliseconds."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, r"\.\d{3}Z", ".000Z")


@host_mutant("RENDER-1/told-of-hits")
class HitsWithoutAvailability(SpoiledHost):
    """Doesn't say whether the session of a hit is live or stored."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, r"(?m)^ +availability: .*\n")


@host_mutant("RENDER-1/told-of-hits")
class HitsWithoutCreated(SpoiledHost):
    """Doesn't say when the session of a hit was created."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, r"(?m)^ +created: .*\n")


@host_mutant("RENDER-1/told-of-hits")
class InheritedUnmarked(SpoiledHost):
    """Doesn't tell a match that was inherited from others."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, ", inherited from its parent")


@host_mutant("RENDER-1/relations")
class ChainOfOne(SpoiledHost):
    """Shows the first of a chain of replacements alone."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, r"(chain: \d+)(, \d+)+", r"\1")


@host_mutant("RENDER-1/relations")
class NotUsedBy(SpoiledHost):
    """Doesn't show what was made from an event."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, r"(?m)^used by: .*\n?")


@host_mutant("RENDER-1/lineage")
class FlatDescendants(SpoiledHost):
    """Shows all descendants as if they were children."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, r"(?m)^ +- ", "- ")


@host_mutant("INPUT-6/how")
class NotHowItMatched(SpoiledHost):
    """Doesn't say how a hit matched."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, r"(?m)^ +matched.*\n")


@host_mutant("RENDER-4/left-out")
class OwnUnsaid(SpoiledHost):
    """Doesn't say that the own session isn't searched."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        return _without(outcome, ", except your own")


@host_mutant("RENDER-1/lineage")
class AncestorsFarthestFirst(SpoiledHost):
    """Shows ancestors from the root on."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        if outcome.text is None:
            return outcome
        lines = outcome.text.split("\n")
        ancestors = [at for at, line in enumerate(lines) if re.match(r'\d+\. "', line)]
        turned = dict(zip(ancestors, reversed(ancestors), strict=True))
        text = "\n".join(lines[turned.get(at, at)] for at in range(len(lines)))
        return replace(outcome, text=text)


@host_mutant("RENDER-2/readable")
class AsciiOnly(SpoiledHost):
    """Shows a question mark for each character beyond ASCII."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        text = outcome.text
        return replace(outcome, text=text and text.encode("ascii", "replace").decode())


@host_mutant("RENDER-2/unseen")
class ShowsUnseen(SpoiledHost):
    """Puts characters that can't be seen into a text as they are."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        text = outcome.text
        return replace(
            outcome,
            text=text
            and re.sub(r"<U\+([0-9A-F]{4,6})>", lambda found: chr(int(found[1], 16)), text),
        )


@host_mutant("RENDER-2/deterministic")
class CountsAnswers(SpoiledHost):
    """Numbers its answers."""

    answers: int = 0

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        type(self).answers += 1
        text = outcome.text
        return replace(outcome, text=text and f"{text}\nanswer {self.answers}")


@host_mutant("RENDER-2/forged-lines")
class NoBars(SpoiledHost):
    """Shows what sessions say without marks at the begin of lines."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        text = outcome.text
        return replace(outcome, text=text and re.sub(r"(?m)^\s*\| ?", "", text))


@host_mutant("RENDER-2/forged-lines")
class BlanksAsBars(SpoiledHost):
    """Shows what the neighbours of an event say with nothing but blanks before it."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        exact, between, neighbours = (outcome.text or "").rpartition("\n```")
        if not between:
            return outcome
        return replace(outcome, text=exact + between + re.sub(r"(?m)^( *)\| ?", r"\1", neighbours))


@host_mutant("RENDER-2/unseen")
class KeysUnescaped(SpoiledHost):
    """Escapes the values of an event, but not the names in it."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        text = outcome.text
        return replace(outcome, text=text and re.sub(r'(?m)^ +"[^"]*": ', _unescaped, text))


def _unescaped(found: re.Match[str]) -> str:
    return re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), found[0])


@host_mutant("RENDER-3/caution")
class NoCaution(SpoiledHost):
    """Doesn't say that what sessions say is data."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        text = outcome.text
        return replace(outcome, text=text and re.sub("(?m)^.*not instructions.*\n", "", text))


@host_mutant("RENDER-4/nothing-found")
class NothingMore(SpoiledHost):
    """Doesn't say what was searched where nothing was found."""

    def told(self, outcome: ToolOutcome) -> ToolOutcome:
        text = outcome.text
        short = text is not None and text.startswith("Nothing found")
        return replace(outcome, text="Nothing found.") if short else outcome
