"""Providers that are right but for rare values (FILTER-1, FILTER-2, SEARCH-9, RECON, ERR)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from session_query import EventDocument, SessionRecord, fold_whitespace

from session_query_specs.mutants._mutant import provider_mutant
from session_query_specs.oracle import Found, OracleEngine

__all__: list[str] = []


@provider_mutant("FILTER-1/exactly")
class EmptyCwdIsNone(OracleEngine):
    """Takes the empty working directory for none."""

    def session_holds(self, kind: str, asked: object, record: SessionRecord) -> bool:
        if kind == "cwd" and isinstance(asked, frozenset):
            return (record.header.cwd or None) in {value or None for value in asked}
        return super().session_holds(kind, asked, record)


@provider_mutant("FILTER-1/exactly")
class TypesByPrefix(OracleEngine):
    """Takes a type for all that begin with it."""

    def event_holds(self, kind: str, asked: object, document: EventDocument) -> bool:
        if kind == "type" and isinstance(asked, frozenset):
            return any(document.type.startswith(value) for value in asked)
        return super().event_holds(kind, asked, document)


@provider_mutant("FILTER-2/overlapping")
class LastOfAKind(OracleEngine):
    """Forgets a filter over a later one of its kind."""

    def session_admitted(
        self, clauses: Iterable[tuple[str, object]], record: SessionRecord
    ) -> bool:
        return super().session_admitted(dict(clauses).items(), record)


@provider_mutant("FILTER-2/ends")
class NoEndAtZero(OracleEngine):
    """Takes a range that ends or begins at zero for one without that end."""

    def holds(self, asked: Any, value: Any) -> bool:
        if isinstance(asked, tuple):
            asked = tuple(end or None for end in asked)
        return super().holds(asked, value)


@provider_mutant("SEARCH-9/close")
class NoTimeBeforeZero(OracleEngine):
    """Takes what was before 1970 for equally old."""

    def tie_key(self, found: Found) -> tuple[Any, ...]:
        return (-max(0, found.document.time), *super().tie_key(found)[1:])


@provider_mutant("SEARCH-9/close")
class FoldsBeforeItMeasures(OracleEngine):
    """Measures texts with their white space folded."""

    def length(self, found: Found) -> int:
        return len(fold_whitespace(found.document.text))


@provider_mutant("SEARCH-9/close")
class NamesInUtf16(OracleEngine):
    """Compares the ids of sessions by their UTF-16 units."""

    def tie_key(self, found: Found) -> tuple[Any, ...]:
        time, name, seq = super().tie_key(found)
        return (time, name.encode("utf-16-be", "surrogatepass"), seq)


@provider_mutant("SEARCH-9/close")
class CountsToEight(OracleEngine):
    """Counts no more than eight spans."""

    def spans(self, occurrences: Sequence[tuple[int, int]]) -> int:
        return min(8, super().spans(occurrences))
