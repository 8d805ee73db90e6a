"""A log that appears at once and complete, or not at all (LOG-21)."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from session_query.log import SessionHeader
from session_query.persistence.jsonl._encoding import header_line, stored_header
from session_query.persistence.jsonl._frames import encode_frame
from session_query.persistence.jsonl._layout import (
    NAME_LIMIT,
    Place,
    encode_id,
    log_name,
    project_name,
)
from session_query.persistence.jsonl._locks import directory_locked, try_lock
from session_query.persistence.jsonl._owned import OwnedLog, write_all
from session_query.persistence.jsonl._publish import (
    is_temporary,
    make_directories,
    publish,
    sync_directory,
    temporary,
)

__all__ = ["create_log", "remove_leftovers"]


def create_log(  # noqa: PLR0913 - what makes a log
    root: str,
    header: SessionHeader,
    lines: bytes,
    count: int,
    absent: Callable[[], bool],
    *,
    compressed: bool,
) -> OwnedLog | None:
    """Create the log of a session with its first batch of `count` events in `lines`.

    Args:
        root: the directory of the store, which is created if need be.
        header: of the session.
        lines: of the events.
        count: how many they are.
        absent: tells whether the session is still stored nowhere.
        compressed: whether to write zstd frames.

    Returns:
        The log, which is locked; None if another writer was quicker.

    Raises:
        ValueError: the header is too large, or the id too long for a file name.
        OSError: it can't be written; nothing was created but directories.
    """
    place = _place(root, header, compressed=compressed)
    frames = [header_line(header), lines] if lines else [header_line(header)]
    if compressed:
        frames = [encode_frame(frame) for frame in frames]
    directory = os.path.dirname(place.path)  # noqa: PTH120 - a string
    # All of them, since another process may have created one and not have synced it yet.
    to_sync = {directory, os.path.dirname(directory), root}  # noqa: PTH120 - a string
    to_sync.update(make_directories(directory))
    descriptor, path = temporary(directory)
    try:
        try_lock(descriptor)
        write_all(descriptor, frames)
        if _published(root, path, place.path, absent):
            path = place.path
            for name in to_sync:
                sync_directory(name)
            remove_leftovers(directory)
            size = sum(map(len, frames))
            return OwnedLog(descriptor, place, stored_header(header), count, end=size)
    except BaseException:
        _discard(descriptor, path)
        raise
    _discard(descriptor, path)
    return None


def remove_leftovers(directory: str) -> None:
    """Remove what killed writers left in the directory of a session that this process owns."""
    with os.scandir(directory) as entries:
        paths = [entry.path for entry in entries if is_temporary(entry.name)]
    for path in paths:
        with suppress(OSError):
            os.unlink(path)  # noqa: PTH108 - a string


def _place(root: str, header: SessionHeader, *, compressed: bool) -> Place:
    project, name = project_name(header.cwd), encode_id(header.id)
    if len(name) > NAME_LIMIT:
        raise ValueError(
            f"the id is too long: its directory would need a name of {len(name)} characters,"
            f" and {NAME_LIMIT} is the most"
        )
    return Place(project, name, f"{root}/{project}/{name}/{log_name(compressed=compressed)}")


def _published(root: str, source: str, target: str, absent: Callable[[], bool]) -> bool:
    # One at a time, so that no two processes store a session in two projects or encodings.
    with directory_locked(root):
        if not absent():
            return False
        try:
            publish(source, target)
        except (FileExistsError, FileNotFoundError):
            # Whoever owns the session by now has removed the temporary file of this one.
            return False
    return True


def _discard(descriptor: int, path: str) -> None:
    with suppress(OSError):
        os.unlink(path)  # noqa: PTH108 - a string
    os.close(descriptor)
