"""The command, stopped inside the reading of its first log until a line comes in; run by tests."""

from __future__ import annotations

import sys
import threading

from session_query_sqlite.cli import main

FIRST = threading.Lock()


def stop_at_a_log(event: str, arguments: tuple[object, ...]) -> None:
    """Say that a log is being read, in the thread that reads it, and wait."""
    if not (event == "open" and str(arguments[0]).endswith("session.jsonl")):
        return
    in_a_worker = threading.current_thread() is not threading.main_thread()
    if in_a_worker and FIRST.acquire(blocking=False):
        print("reading", flush=True)  # noqa: T201 - this is what it is for
        sys.stdin.readline()


sys.addaudithook(stop_at_a_log)
sys.exit(main())
