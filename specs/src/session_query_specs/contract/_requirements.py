"""The table that `specs/generate_contract.py` wrote from the RFCs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

__all__ = ["CONTRACT_VERSION", "CONTRACT_VERSIONS", "REQUIREMENTS", "Requirement", "is_newer"]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement.

    Attributes:
        id: as in the RFC.
        subject: the part of the RFC that it stands in.
        target: whom it binds: a `provider`, a `host`, the `reference` host and its snapshot suite,
            this `suite`, or the `command` session-query.
        sentence: the first sentence of it.
        since: the version of the contract that brought it.
        excluded: why it can't be tested from outside; empty if it can.
        text: as much of it as is read at once; it ends with "…" if that is not all.
    """

    id: str
    subject: str
    target: str
    sentence: str
    since: str
    excluded: str = ""
    text: str = ""


def is_newer(version: str, than: str) -> bool:
    """Tell whether one version of the contract came after another."""
    return _numbers(version) > _numbers(than)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


_TABLE = json.loads((files(__package__) / "requirements.json").read_text("utf-8"))

CONTRACT_VERSION: Final[str] = _TABLE["version"]
"""The version of the contract that this suite was made for."""

REQUIREMENTS: Final[Mapping[str, Requirement]] = {
    entry["id"]: Requirement(**entry) for entry in _TABLE["requirements"]
}
"""Every requirement by its id, in the order of the RFCs."""

CONTRACT_VERSIONS: Final = tuple(
    sorted({CONTRACT_VERSION, *(one.since for one in REQUIREMENTS.values())}, key=_numbers)
)
"""The versions that a subject may keep to, oldest first."""
