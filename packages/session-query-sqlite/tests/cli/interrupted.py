"""The command, stopped inside the reading of its first log until a line comes in; run by tests."""

from __future__ import annotations

import sys
import threading

from session_query_sqlite.cli import main

FIRST = threading.Lock()


def stop_at_a_log(event: str, arguments: tuple[object, ...]) -> None:
    """Say that a log is being read, in the thread that reads it, and wait."""
    reads_a_log = event == "open" and str(arguments[0]).endswith("session.jsonl")
    if reads_a_log and threading.current_thread() is not threading.main_thread():
        if "word" in sys.argv or "index" in sys.argv or "list" in sys.argv:
            if FIRST.acquire(blocking=False):
                print("reading", flush=True)  # noqa: T201 - this is what it is for
                sys.stdin.readline()


sys.addaudithook(stop_at_a_log)
sys.exit(main())
