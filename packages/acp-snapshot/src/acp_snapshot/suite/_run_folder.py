"""Where the suite runs a scenario: under a path that is as long on every machine."""

from __future__ import annotations

import os
import secrets
import shutil
import string
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from acp_snapshot.errors import AcpSnapshotError

__all__ = ["PATH_LENGTH", "run_folder"]

PATH_LENGTH = 32
"""How long the path is: texts are cut, and bytes counted, with the path in them."""

_NAME = "acp-snapshot-"
_ALPHABET = string.ascii_lowercase + string.digits
_FEWEST_RANDOM = 6


@contextmanager
def run_folder(kept: Path, bases: Sequence[Path] | None = None) -> Iterator[Path]:
    """Make a folder for one run, free of symbolic links, and move it to `kept` afterwards.

    The random part of its name makes up for a base that is longer, such as `/private/tmp`.

    Args:
        kept: where it can be looked at afterwards; what holds it is there already.
        bases: where it may lie; `/tmp`, and then the folder that `TMPDIR` names.

    Raises:
        AcpSnapshotError: no base can be written to, and is short enough.
    """
    root = _made([Path("/tmp"), Path(tempfile.gettempdir())] if bases is None else bases)  # noqa: S108 - the folder made there is private
    try:
        yield root
    finally:
        shutil.move(root, kept)


def _made(bases: Sequence[Path]) -> Path:
    problems = []
    for given in bases:
        base = Path(os.path.realpath(given))
        room = PATH_LENGTH - len(str(base / _NAME))
        if room < _FEWEST_RANDOM or not str(base).isascii():
            problems.append(f"{base} is too long, or has letters beyond ASCII")
            continue
        while True:
            root = base / (_NAME + "".join(secrets.choice(_ALPHABET) for _ in range(room)))
            try:
                root.mkdir(mode=0o700)
            except FileExistsError:
                continue
            except OSError as error:
                problems.append(f"{base}: {error.strerror}")
                break
            return root
    raise AcpSnapshotError(
        "no folder to run scenarios in, under a path that is as long on every machine"
        f" ({'; '.join(problems)}): make /tmp writable, or have TMPDIR name a folder with a path"
        f" of at most {PATH_LENGTH - len(_NAME) - _FEWEST_RANDOM - 1} characters"
    )
