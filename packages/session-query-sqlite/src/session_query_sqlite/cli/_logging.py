"""The log records of the service: what is left out, and why (ERR-5, CLI-2, CLI-5)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from session_query_sqlite.cli._neutral import visible_line
from session_query_sqlite.cli._output import report_line
from session_query_sqlite.cli._settings import NAME, Settings

__all__ = ["LeftOut", "left_out", "quiet_logs"]

_LOGGER = logging.getLogger("session_query")


class LeftOut(NamedTuple):
    """Why a session is left out."""

    code: str
    reason: str

    @property
    def told(self) -> str:
        """The reason, or at least the code."""
        return self.reason or self.code


class _Lines(logging.Handler):
    """Writes one line on standard error for each record, if that was asked for."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings

    def emit(self, record: logging.LogRecord) -> None:
        if self._settings.verbose:
            report_line(f"{NAME}: {record.levelname.lower()}: {record.getMessage()}")


class _Collector(logging.Handler):
    """Keeps, for each session, the last reason why it is left out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, LeftOut] = {}

    def emit(self, record: logging.LogRecord) -> None:
        session_id, code = getattr(record, "session_id", ""), getattr(record, "code", "")
        if session_id:
            message = record.getMessage().removesuffix(f" ({code})")
            reason = message.partition(" is left out: ")[2] or message
            self.found[visible_line(session_id)] = LeftOut(str(code), visible_line(reason))


@contextmanager
def _handled_by(handler: logging.Handler) -> Iterator[None]:
    _LOGGER.addHandler(handler)
    try:
        yield
    finally:
        _LOGGER.removeHandler(handler)


@contextmanager
def quiet_logs(settings: Settings) -> Iterator[None]:
    """Keep the records of the service to one line each, on request, for the whole invocation."""
    before = _LOGGER.propagate
    _LOGGER.propagate = False
    try:
        with _handled_by(_Lines(settings)):
            yield
    finally:
        _LOGGER.propagate = before


@contextmanager
def left_out() -> Iterator[dict[str, LeftOut]]:
    """Collect which sessions are left out in the meantime, and why."""
    collector = _Collector()
    with _handled_by(collector):
        yield collector.found
