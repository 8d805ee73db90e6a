"""Providers that share, forget, wait and close wrongly (INDEX-5, -9, CANCEL-6, RECON-7).

What no provider must do, they claim to do.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from session_query import (
    AbortSignal,
    ErrorCode,
    EventDocument,
    OperationQueue,
    SessionQueryError,
    SessionSearchPage,
    SessionSearchRequest,
)

from session_query_specs.mutants._mutant import provider_mutant
from session_query_specs.oracle import Observed, OracleEngine

__all__: list[str] = []


class _Keeping(OracleEngine):
    """An engine with a file in its directory."""

    @property
    def file(self) -> Path:
        """The file."""
        directory: Path = self.config.directory  # type: ignore[attr-defined]
        return directory / "index"


@provider_mutant("INDEX-5/shared", claims=("multi_process",))
class SecondStaysBehind(_Keeping):
    """Answers for what it saw first where another engine had the directory before."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._first: Observed | None = None
        self._second = self.file.exists()
        self.file.touch()

    async def observe(self, signal: AbortSignal | None) -> Observed:
        if self._first is None or not self._second:
            self._first = await super().observe(signal)
        return self._first


@provider_mutant("INDEX-9/forgets", claims=("persistent_index", "forgets"))
class KeepsTexts(_Keeping):
    """Writes texts into its directory and never removes them."""

    def documents(self, session_id: str, events: Any) -> list[EventDocument]:
        found = super().documents(session_id, events)
        with self.file.open("ab") as index:
            for document in found:
                index.write(document.text.encode(errors="surrogatepass") + b"\n")
        return found


@provider_mutant("INDEX-9/forgets", claims=("persistent_index", "forgets"))
class KeepsNothing(OracleEngine):
    """Claims an index that forgets, and has none."""


class _Deaf(OperationQueue):
    """Lets nobody leave who waits."""

    @asynccontextmanager
    async def turn(self, signal: AbortSignal | None = None) -> AsyncIterator[None]:
        del signal
        async with super().turn():
            yield


def _closed() -> SessionQueryError:
    return SessionQueryError("the engine is closed", ErrorCode.INDEX_FAILED)


@provider_mutant("CANCEL-6/waiting")
class WaitsThoughAborted(OracleEngine):
    """Lets a search that waits for its turn wait on when it is aborted."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._queue = _Deaf(_closed)


@provider_mutant("CANCEL-6/interruptible", claims=("interruptible",))
class SearchesToTheEnd(OracleEngine):
    """Looks at the signal when its search has come to the end, and not on the way."""

    async def _search_sessions(
        self, request: SessionSearchRequest | Mapping[str, Any], signal: AbortSignal | None
    ) -> SessionSearchPage:
        page = await super()._search_sessions(request, None)
        await asyncio.sleep(0)
        if signal is not None:
            signal.raise_if_aborted()
        return page


@provider_mutant("CANCEL-6/indexed", claims=("interruptible",))
class OnlyReadingEnds(OracleEngine):
    """Looks at the signal while it reads logs, and not while it searches what it has read."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._reads = True

    async def _search_sessions(
        self, request: SessionSearchRequest | Mapping[str, Any], signal: AbortSignal | None
    ) -> SessionSearchPage:
        for _ in await self.list_sessions() if self._reads else ():
            await asyncio.sleep(0.005)
            if signal is not None:
                signal.raise_if_aborted()
        self._reads = False
        return await super()._search_sessions(request, None)


@provider_mutant("RECON-7/closing")
class ClosesAtOnce(OracleEngine):
    """Closes while a search is still running."""

    async def close(self) -> None:
        closing = asyncio.ensure_future(super().close())
        await asyncio.sleep(0)
        if not closing.done():
            closing.cancel()


@provider_mutant("RECON-7/closing")
class NeverClosed(OracleEngine):
    """Waits for the search that is running when it is closed, and answers the ones after it."""

    async def close(self) -> None:
        async with self._queue.turn():
            pass


@provider_mutant("RECON-7/closing")
class ClosingEndsSearches(OracleEngine):
    """Refuses the search that was accepted when it is closed."""

    def __init__(self, sources: Any, config: Any = None) -> None:
        super().__init__(sources, config)
        self._ends = False

    async def close(self) -> None:
        self._ends = True
        await super().close()

    async def observe(self, signal: AbortSignal | None) -> Observed:
        seen = await super().observe(signal)
        if self._ends:
            raise _closed()
        return seen
