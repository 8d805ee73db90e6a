"""Writing sessions as a store of logs, in the layout that the project reads."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import zstandard

from benchmarks.corpus.session import Session, build
from benchmarks.corpus.texts import Texts

__all__ = ["Written", "copy_first", "generate", "session_files", "write_session"]

_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_SHARE = 64
"""Sessions that a process makes at once."""


class Written(NamedTuple):
    """What a store holds."""

    sessions: int
    events: int
    bytes: int


def generate(  # noqa: PLR0913 - the shape of a corpus
    root: Path,
    sessions: int,
    events: int,
    seed: int,
    *,
    compress: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> Written:
    """Write a store of so many sessions of so many events; O(sessions · events).

    The first n sessions of a store are the same for every ``sessions`` of at least n.

    Args:
        root: the folder of the store; what is in it stays.
        sessions: how many sessions.
        events: how many events in each.
        seed: another seed gives other words, texts and sessions.
        compress: write zstd frames instead of plain lines.
        on_progress: told how many sessions have been written so far.
    """
    root.mkdir(parents=True, exist_ok=True)
    shares = [range(first, min(first + _SHARE, sessions)) for first in range(0, sessions, _SHARE)]
    write = partial(_write_some, root, events, seed, compress)
    written = size = 0
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        # few shares are not worth the start of a process
        for share, bytes_ in zip(shares, (pool.map if len(shares) > 2 else map)(write, shares)):  # noqa: B905
            written += len(share)
            size += bytes_
            if on_progress is not None:
                on_progress(written)
    return Written(written, written * events, size)


_texts: dict[int, Texts] = {}


def _write_some(root: Path, events: int, seed: int, compress: bool, numbers: range) -> int:  # noqa: FBT001 - called by partial
    texts = _texts.get(seed)
    if texts is None:
        texts = _texts[seed] = Texts(seed)
    return sum(
        write_session(root, build(seed, number, events, texts), compress=compress)
        for number in numbers
    )


def write_session(root: Path, session: Session, *, compress: bool = False) -> int:
    """Write the log of one session; return its size in bytes."""
    project = session.header["cwd"].strip("/").replace("/", "-")
    folder = root / f"--{project}--" / session.id
    folder.mkdir(parents=True, exist_ok=True)
    head = f"{_ENCODE(session.header)}\n".encode()
    body = "".join(f"{_ENCODE(line)}\n" for line, _ in session.lines).encode()
    if not compress:
        return (folder / "session.jsonl").write_bytes(head + body)
    packer = zstandard.ZstdCompressor(write_checksum=True, write_content_size=False)
    return (folder / "session.jsonl.zstd").write_bytes(
        packer.compress(head) + packer.compress(body)
    )


def session_files(root: Path) -> Iterator[Path]:
    """Yield the logs of a store in the order in which the sessions were made."""
    yield from sorted(root.glob("*/*/session.jsonl*"), key=lambda path: path.parent.name)


def copy_first(root: Path, sessions: int, target: Path) -> None:
    """Make a store of the first sessions of another."""
    shutil.rmtree(target, ignore_errors=True)
    for path in islice(session_files(root), sessions):
        folder = target / path.relative_to(root).parent
        folder.mkdir(parents=True)
        shutil.copyfile(path, folder / path.name)
