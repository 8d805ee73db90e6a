"""What a host logs while it is judged: formatted as any handler would, and then dropped."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

__all__ = ["Logged", "recorded_logs", "refused_logs", "swallowed_logs"]


class _Swallowing(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Format a record; what can't be formatted is the handler's own trouble."""
        try:
            self.format(record)
        except Exception:  # noqa: BLE001 - as every handler of the standard library does
            return


class _Refusing(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Raise, as a handler that is broken does."""
        raise OSError(f"no space for {record.name}")


@dataclass(frozen=True, slots=True)
class Logged:
    """A record, and its text as a handler writes it: with the traceback, if it has one."""

    level: int
    text: str


class _Recording(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.logged: list[Logged] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep what a record says; what can't be formatted says nothing."""
        try:
            self.logged.append(Logged(record.levelno, self.format(record)))
        except Exception:  # noqa: BLE001 - as every handler of the standard library does
            return


@contextmanager
def recorded_logs() -> Iterator[list[Logged]]:
    """Keep what any logger is given inside the `with`, of whatever level."""
    root = logging.getLogger()
    recording = _Recording()
    known = [one for one in root.manager.loggerDict.values() if isinstance(one, logging.Logger)]
    apart = [root, *(one for one in known if not one.propagate)]
    levels = {one: one.level for one in apart}
    for one in apart:
        one.setLevel(1)
        one.addHandler(recording)
    try:
        yield recording.logged
    finally:
        for one, level in levels.items():
            one.removeHandler(recording)
            one.setLevel(level)


@contextmanager
def swallowed_logs() -> Iterator[None]:
    """Keep what is logged inside the `with` off the terminal."""
    yield from _handled(_Swallowing())


@contextmanager
def refused_logs() -> Iterator[None]:
    """Let each attempt to log fail."""
    yield from _handled(_Refusing())


def _handled(handler: logging.Handler) -> Iterator[None]:
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
