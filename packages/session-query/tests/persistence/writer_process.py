"""A process that writes to a store until it is killed; `processes.py` runs it.

Each line on its input names a task. The process forks for it, waits for the end of the child, and
says that it has ended. The child says its id first.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from session_query.errors import PersistenceError, PersistenceNotFoundError
from session_query.log import SessionEvent, SessionHeader
from session_query.persistence import JsonlPersistence

HEADER = SessionHeader(0, "s", 0, cwd="/w")
LARGEST_BATCH = 60


def event(seq: int) -> SessionEvent:
    """Event number `seq` of every log here; some are large."""
    chance = random.Random(seq)
    return SessionEvent(
        "host/own", seq, seq, {"text": chance.randbytes(chance.choice([9, 2_000])).hex()}
    )


def events(start: int, end: int) -> list[SessionEvent]:
    """The events of the given seqs."""
    return [event(seq) for seq in range(start, end)]


def say(what: object) -> None:
    """Tell the test something, in one piece."""
    os.write(1, f"{what}\n".encode())


async def stream(root: str, compression: Any, seed: float, *, told: bool = False) -> None:
    """Append batches for ever, or one whenever told to, and say the count after each."""
    store = JsonlPersistence(root, compression)
    try:
        count = len((await store.inspect("s")).events)
    except PersistenceNotFoundError:
        count = 0
    chance = random.Random(seed)
    while not told or sys.stdin.readline():
        size = chance.randint(1, LARGEST_BATCH)
        await store.append(HEADER, events(count, count + size))
        count += size
        say(count)


async def step(root: str, compression: Any) -> None:
    """Append a batch whenever told to, and say the count."""
    await stream(root, compression, 1, told=True)


async def create(root: str, compression: Any, number: int) -> None:
    """Create sessions for ever, and say the number of each."""
    store = JsonlPersistence(root, compression)
    while True:
        await store.append(replace(HEADER, id=str(number), cwd=f"/{number % 7}"), events(0, 20))
        say(number)
        number += 1


async def hold(root: str, start: int) -> None:
    """Append one event, and keep the session."""
    store = JsonlPersistence(root)
    await store.append(HEADER, events(start, start + 1))
    say("owned")
    sys.stdin.readline()


async def fork(root: str, start: int) -> None:
    """Append, and release the session while a forked process still has copies of its files."""
    store = JsonlPersistence(root)
    await store.append(HEADER, events(start, start + 1))
    ended = os.fork()
    if not ended:
        # The copy goes without having released anything.
        del store
        os._exit(0)
    os.waitpid(ended, 0)  # noqa: ASYNC222 - nothing else is to happen
    say("forked")
    sys.stdin.readline()
    reading, writing = os.pipe()
    if not os.fork():
        # The other copy stays until this process is gone.
        os.close(writing)
        os.read(reading, 1)
        os._exit(0)
    await store.close()
    say("released")
    sys.stdin.readline()


async def race(root: str, compression: Any, cwd: str) -> None:
    """Append the first event when told to, and say what came of it."""
    store = JsonlPersistence(root, compression)
    say("ready")
    sys.stdin.readline()
    try:
        await store.append(replace(HEADER, cwd=cwd), events(0, 1))
        say("written")
    except PersistenceError as error:
        say(type(error).__name__)
    sys.stdin.readline()


def file_sizes(root: str) -> list[int]:
    """The sizes of all files of a store."""
    return sorted(path.stat().st_size for path in Path(root).rglob("*") if path.is_file())


async def fill(root: str, compression: Any, start: int, room: int) -> None:
    """Append to a disk on which there is no room for the batch, and then to one with room."""
    store = JsonlPersistence(root, compression)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    sizes = file_sizes(root)
    resource.setrlimit(resource.RLIMIT_FSIZE, (sum(sizes) + room, hard))
    try:
        await store.append(HEADER, events(start, start + 20))
    except PersistenceError as error:
        say(type(error).__name__)
    say(file_sizes(root) == sizes)
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    await store.append(HEADER, events(start, start + 1))
    say("written")


TASKS = {task.__name__: task for task in (stream, step, create, hold, fork, race, fill)}


def main() -> None:
    """Serve the tasks on standard input."""
    say("serving")
    while command := sys.stdin.readline():
        name, *arguments = json.loads(command)
        child = os.fork()
        if not child:
            say(os.getpid())
            asyncio.run(TASKS[name](*arguments))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        say(f"ended {status}")


if __name__ == "__main__":
    main()
