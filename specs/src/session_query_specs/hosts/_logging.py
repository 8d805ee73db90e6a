"""What a host logs while it is judged: formatted as any handler would, and then dropped."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["refused_logs", "swallowed_logs"]


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
