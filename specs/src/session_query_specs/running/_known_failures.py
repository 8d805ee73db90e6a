"""What is known to fail, and why: a file of one `ID reason` a line (CONF-4)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from session_query_specs.checks import Check
from session_query_specs.contract import REQUIREMENTS
from session_query_specs.running._subject_class import ConformanceUsageError

__all__ = [
    "UNCHECKED",
    "KnownFailures",
    "listed_as",
    "names_check",
    "read_known_failures",
    "require_matches",
]

UNCHECKED: Final = "this version of the suite has no check for it"


class KnownFailures(dict[str, str]):
    """Why what is known to fail does, by id, and the file and lines that say so."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.lines: dict[str, int] = {}


def read_known_failures(path: Path) -> KnownFailures:
    """Return the reason for each id in a file.

    Raises:
        ConformanceUsageError: the file can't be read, or a line isn't `ID reason`.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConformanceUsageError(f"{path}: {error}") from error
    found = KnownFailures(path)
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        name, *reason = stripped.split(maxsplit=1)
        if not reason:
            raise ConformanceUsageError(f"{path}:{number}: {name} has no reason")
        if name in found:
            raise ConformanceUsageError(f"{path}:{number}: {name} stands there twice")
        found[name], found.lines[name] = reason[0], number
    return found


def names_check(name: str, check: Check[Any]) -> bool:
    """Tell whether a name is that of a check, or of the requirement that it judges."""
    return name in {check.name, check.requirement}


def listed_as(check: Check[Any], known: Mapping[str, str]) -> str:
    """Return what a check is known to fail as, its name or else its id; empty if it is not."""
    return next((name for name in (check.name, check.requirement) if name in known), "")


def require_matches(names: Collection[str], checks: Collection[Check[Any]], what: str) -> None:
    """Refuse names that are of no check.

    Raises:
        ConformanceUsageError: one of them matches nothing.
    """
    lost = [name for name in names if not any(names_check(name, check) for check in checks)]
    if not lost:
        return
    if isinstance(names, KnownFailures):
        what = f"{names.path}:{names.lines[lost[0]]}"
    requirement = REQUIREMENTS.get(lost[0])
    if requirement is None:
        why = "; write an id as SEARCH-9, or a check as SEARCH-9/order"
    elif requirement.target not in {check.subject for check in checks}:
        why = f": it binds the {requirement.target}"
    else:
        why = f": {requirement.excluded or UNCHECKED}"
    raise ConformanceUsageError(f"{what}: {lost[0]} matches no check{why}")
