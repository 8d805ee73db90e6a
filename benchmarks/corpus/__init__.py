"""Made-up sessions that look like recorded ones, as many as are asked for, the same for a seed."""

from benchmarks.corpus.session import Session, build
from benchmarks.corpus.store import Written, copy_first, generate, session_files, write_session
from benchmarks.corpus.texts import Texts

__all__ = [
    "Session",
    "Texts",
    "Written",
    "build",
    "copy_first",
    "generate",
    "session_files",
    "write_session",
]
