"""An agent that answers one request, by hand, and fails as a process in the way it's told to."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys

_CHILD = "import sys; print('child', flush=True, file=sys.stderr); print('up', flush=True); {}"
_PAUSE = "import signal; signal.pause()"
_UNTIL_RELEASED = "open('hold').read()"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _start_child(then: str, *, in_own_session: bool, stderr: int | None = None) -> None:
    """Start a process that may hold stderr, and wait until it is up."""
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD.format(then)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
        start_new_session=in_own_session,
    )
    if child.stdout is not None:
        child.stdout.readline()


def _flood(fault: str) -> None:
    if fault == "floods-stderr":
        sys.stderr.write("warning: deep water\n" * 60_000)
        return
    while fault == "never-stops":
        os.write(1, b"x" * 65536)
    for _ in range(256):
        os.write(2, b"x" * 65536)
    os.write(2, b"the end")


def _misbehave(fault: str) -> None:
    match fault:
        case "dies":
            sys.stderr.write("no model is configured\n")
            sys.exit(3)
        case "rubbish":
            _say("Loading weights... done")
        case "rubbish-for-ever":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            _say("Loading weights...")
        case "floods-stderr" | "never-stops" | "never-stops-telling":
            _flood(fault)
        case "ignores-sigterm":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        case "leaves-child" | "leaves-silent-child":
            silent = subprocess.DEVNULL if fault == "leaves-silent-child" else None
            _start_child(_PAUSE, in_own_session=False, stderr=silent)
        case "escapes":
            _start_child(_UNTIL_RELEASED, in_own_session=True)
        case "prints-last":
            atexit.register(os.write, 1, b"goodbye")


def main(fault: str) -> None:
    """Misbehave, and answer each request until stdin ends, or for longer."""
    _misbehave(fault)
    for line in sys.stdin:
        number = json.loads(line)["id"]
        answer = {"jsonrpc": "2.0", "id": number, "result": {"protocolVersion": 1}}
        if fault == "answers-no-error":
            answer = {"jsonrpc": "2.0", "id": number, "error": "no"}
        _say(json.dumps(answer))
    if fault in {"ignores-eof", "ignores-sigterm", "rubbish-for-ever"}:
        while True:
            signal.pause()


if __name__ == "__main__":
    main(sys.argv[1])
