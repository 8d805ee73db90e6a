"""What is known to fail, and why: a file of one `ID reason` a line (CONF-4)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from session_query_specs.checks import Check
from session_query_specs.running._subject_class import ConformanceUsageError

__all__ = ["names_check", "read_known_failures", "reason_of", "require_matches"]


def read_known_failures(path: Path) -> dict[str, str]:
    """Return the reason for each id in a file.

    Raises:
        ConformanceUsageError: the file can't be read, or a line isn't `ID reason`.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConformanceUsageError(f"{path}: {error}") from error
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        name, _, reason = stripped.partition(" ")
        if not reason.strip():
            raise ConformanceUsageError(f"{path}:{number}: {name} has no reason")
        if name in found:
            raise ConformanceUsageError(f"{path}:{number}: {name} stands there twice")
        found[name] = reason.strip()
    return found


def names_check(name: str, check: Check[Any]) -> bool:
    """Tell whether a name is that of a check, or of the requirement that it judges."""
    return name in {check.name, check.requirement}


def reason_of(check: Check[Any], known: Mapping[str, str]) -> str | None:
    """Return why a check is known to fail, or None; its own name counts before its id."""
    return known.get(check.name, known.get(check.requirement))


def require_matches(names: Collection[str], checks: Collection[Check[Any]], what: str) -> None:
    """Refuse names that are of no check.

    Raises:
        ConformanceUsageError: one of them matches nothing.
    """
    lost = [name for name in names if not any(names_check(name, check) for check in checks)]
    if lost:
        raise ConformanceUsageError(
            f"{what}: {', '.join(lost)} matches no check; write an id as SEARCH-9, "
            "or a check as SEARCH-9/order"
        )
