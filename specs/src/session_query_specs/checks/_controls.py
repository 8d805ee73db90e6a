"""What each search must tell apart, so that whoever answers with everything passes nothing."""

from __future__ import annotations

from typing import Final

from session_query import SessionQueryEngine

from session_query_specs.checks._check import Violation
from session_query_specs.corpora import Call

__all__ = ["ABSENT", "tells_absent"]

ABSENT: Final = "absentword"
"""A word that no corpus here has, nor an id."""


async def tells_absent(engine: SessionQueryEngine, session_id: str | None = None) -> None:
    """Violation unless an engine finds nothing for a word that is nowhere.

    Args:
        engine: the engine.
        session_id: the session to search; the corpus if left out.
    """
    call = Call("search_sessions", ({"query": ABSENT},))
    if session_id is not None:
        call = Call("search_events", ({"sessionId": session_id, "query": ABSENT},))
    outcome = await call.on(engine)
    if outcome.answer is None or outcome.answer["items"]:
        raise Violation("nothing for a word that is nowhere", str(outcome))
