"""Calls on a corpus as data: what most checks are judged on, and what a script repeats."""

from __future__ import annotations

import json
import pprint
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from session_query import SessionQueryEngine, SessionQueryError, SessionSources

from session_query_specs._subjects import ProviderUnderTest, SuiteConfig
from session_query_specs.corpora._corpus import Corpus

__all__ = ["Call", "CallsOn", "CallsWhile", "Outcome", "opened", "program"]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the service; its arguments are JSON, so that they can be printed and sent."""

    method: str
    arguments: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.method}({', '.join(map(repr, self.arguments))})"

    async def on(self, engine: SessionQueryEngine) -> Outcome:
        """Make the call; an error of the contract is an outcome, anything else is raised."""
        try:
            answer = await getattr(engine, self.method)(*self.arguments)
        except SessionQueryError as error:
            return Outcome(code=error.code.value)
        if isinstance(answer, list):
            return Outcome([one.to_json() for one in answer])
        return Outcome(answer.to_json())


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer as JSON, or the code of an error."""

    answer: Any = None
    code: str | None = None

    def __str__(self) -> str:
        if self.code is not None:
            return self.code
        return json.dumps(self.answer, ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True, slots=True)
class CallsOn:
    """Some calls, one after the other, of an engine over a corpus.

    Attributes:
        corpus: what the sources hold.
        calls: the calls.
        settings: those of the provider.
        told: what a check does besides, in lines that a person reads.
    """

    corpus: Corpus
    calls: Sequence[Call]
    settings: Mapping[str, Any] = field(default_factory=dict)
    told: tuple[str, ...] = field(default=(), repr=False)

    def described(self) -> list[str]:
        """Return corpus, settings and calls in lines that a person reads."""
        settings = [f"settings: {dict(self.settings)}"] if self.settings else []
        calls = (f"call {call}" for call in self.calls)
        return [*self.corpus.described(), *settings, *calls, *self.told]

    async def outcomes(self, provider: ProviderUnderTest) -> list[Outcome]:
        """Make the calls on a provider, over sources of their own."""
        sources, _, _ = self.corpus.open()
        async with opened(provider, sources, self.settings) as engine:
            return [await call.on(engine) for call in self.calls]

    def script(self, subject: str) -> str:
        """Return a program that makes the same calls; it needs the class and no check."""
        lines = [
            f"print(await shown(engine.{call.method}({', '.join(map(repr, call.arguments))})))"
            for call in self.calls
        ]
        return program(subject, self.corpus, self.settings, lines)


@dataclass(frozen=True, slots=True)
class CallsWhile(CallsOn):
    """Some calls, and what else is the case or happens meanwhile, as the check names it."""

    what: str = ""


def program(subject: str, corpus: Corpus, settings: Mapping[str, Any], lines: Sequence[str]) -> str:
    """Return a program that opens a class over a corpus and runs some lines; no check is needed.

    The lines may use `engine`, `live`, `stored`, `sources`, and `shown`, which returns the answer
    of a call as JSON, or its error as text.
    """
    module, _, name = subject.partition(":")
    sessions = [
        (
            one.header.to_json(),
            [event.to_json() for event in one.events],
            None if one.stored is None else len(one.stored),
            None if one.live is None else len(one.live),
        )
        for one in corpus.sessions
    ]
    return _PROGRAM.format(
        module=module,
        name=name,
        sessions=pprint.pformat(sessions, width=96, sort_dicts=False),
        settings="".join(f", {key}={value!r}" for key, value in settings.items()),
        lines="\n".join(f"        {line}".rstrip() for line in lines),
    )


@asynccontextmanager
async def opened(
    provider: ProviderUnderTest,
    sources: SessionSources,
    settings: Mapping[str, Any] | None = None,
    directory: Path | None = None,
) -> AsyncIterator[SessionQueryEngine]:
    """Open a provider, in a directory of its own unless one is given, and close it again."""
    if directory is not None:
        engine = await provider.open(sources, SuiteConfig(directory=directory, **(settings or {})))
        try:
            yield engine
        finally:
            await engine.close()
        return
    with tempfile.TemporaryDirectory(prefix="session-query-specs-") as own:
        async with opened(provider, sources, settings, Path(own)) as engine:
            yield engine


_PROGRAM = """\
import asyncio
import tempfile
from pathlib import Path

from session_query import JsonlPersistence, SessionEvent, SessionHeader
from session_query import SessionSources, SessionStore
from session_query_specs import SuiteConfig

from {module} import {name}

# header, events, how many of them are stored and live; None where the session is not
SESSIONS = {sessions}


async def shown(call):
    try:
        answer = await call
        return [one.to_json() for one in answer] if isinstance(answer, list) else answer.to_json()
    except Exception as error:
        return getattr(error, "code", repr(error))


async def main():
    with tempfile.TemporaryDirectory() as folder:
        live, stored = SessionStore(), JsonlPersistence(f"{{folder}}/logs")
        for header, events, in_store, in_memory in SESSIONS:
            header = SessionHeader.from_json(header)
            events = [SessionEvent.from_json(event) for event in events]
            if in_store is not None:
                await stored.append(header, events[:in_store])
            if in_memory is not None:
                live.attach(header, events[:in_memory])
        sources = SessionSources(live, stored)
        config = SuiteConfig(directory=Path(folder){settings})
        engine = await {name}().open(sources, config)
{lines}
        await engine.close()


asyncio.run(main())
"""
