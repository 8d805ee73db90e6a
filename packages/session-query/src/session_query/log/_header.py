"""The immutable header of a session (LOG-1, LOG-2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from session_query.log._json import JsonValue, describe, freeze, safe_integral

__all__ = ["LOG_VERSION", "SessionHeader"]

LOG_VERSION = 0
"""The only version of the log format that is read and written."""

_JSON_NAMES = {
    "version": "version",
    "id": "id",
    "created_at": "createdAt",
    "cwd": "cwd",
    "parent_session": "parentSession",
    "seed_length": "seedLength",
    "origin": "origin",
    "delegation_depth": "delegationDepth",
    "agent_preset": "agentPreset",
}
_FIELDS = frozenset(_JSON_NAMES.values())
_REQUIRED = ("version", "id", "created_at")


def _text(name: str, value: object) -> JsonValue:
    if not isinstance(value, str):
        raise ValueError(f"{name}: expected a text, got {describe(value)}")  # noqa: TRY004 - one exception type for every bad value
    return freeze(value)


def _id(name: str, value: object) -> JsonValue:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name}: expected a non-empty text, got {describe(value)}")
    return freeze(value)


def _count(name: str, value: object) -> JsonValue:
    count = safe_integral(value)
    if count is None or count < 0:
        raise ValueError(f"{name}: expected an integer from 0 to 2**53 - 1, got {describe(value)}")
    return count


_CHECKS = {
    "version": _count,
    "id": _id,
    "created_at": _count,
    "cwd": _text,
    "parent_session": _text,
    "seed_length": _count,
    "origin": _text,
    "delegation_depth": _count,
    "agent_preset": _text,
}


@dataclass(frozen=True, slots=True)
class SessionHeader:
    """What is known of a session before its log is read (LOG-1).

    Parameters are checked: a wrong one raises :class:`ValueError` that names it.

    :param version: the log format, currently 0.
    :param id: non-empty; any text.
    :param created_at: epoch milliseconds, 0 to 2**53 - 1.
    :param cwd: the workspace, compared as an exact string everywhere.
    :param parent_session: id of the session it was forked or delegated from.
    :param seed_length: how many leading events were inherited.
    :param origin: ``"subagent"`` or absent.
    :param delegation_depth: how many delegations stand above it; absent counts as 0.
    :param agent_preset: name of the preset it was started with.
    """

    version: int
    id: str
    created_at: int
    cwd: str | None = None
    parent_session: str | None = None
    seed_length: int | None = None
    origin: str | None = None
    delegation_depth: int | None = None
    agent_preset: str | None = None

    def __post_init__(self) -> None:
        if safe_integral(self.version) != LOG_VERSION:
            raise ValueError(
                f"version: this reads version {LOG_VERSION}, got {describe(self.version)}"
            )
        if self.origin is not None and self.origin != "subagent":
            raise ValueError(f"origin: expected 'subagent', got {describe(self.origin)}")
        for name, check in _CHECKS.items():
            value = getattr(self, name)
            if value is not None or name in _REQUIRED:
                object.__setattr__(self, name, check(_JSON_NAMES[name], value))

    def compatible_with(self, other: SessionHeader) -> bool:
        """Tell whether two observations can be of one session (LOG-2)."""
        return _identity(self) == _identity(other)

    def to_json(self) -> dict[str, JsonValue]:
        """Return the header in camelCase, absent optionals left out (JSON-1)."""
        return {
            _JSON_NAMES[field.name]: value
            for field in fields(self)
            if (value := getattr(self, field.name)) is not None
        }

    @classmethod
    def from_json(cls, obj: JsonValue) -> SessionHeader:
        """Read the form of :meth:`to_json`; :class:`ValueError` names the field that is wrong."""
        if not isinstance(obj, Mapping):
            raise ValueError(f"a header is a JSON object, got {describe(obj)}")  # noqa: TRY004 - one exception type for every bad value
        for key, value in obj.items():
            if key not in _FIELDS:
                raise ValueError(f"unknown header field {describe(key)}")
            if value is None:
                raise ValueError(f"{key}: an absent field is left out, never null")
        for name in _REQUIRED:
            if _JSON_NAMES[name] not in obj:
                raise ValueError(f"{_JSON_NAMES[name]}: missing")
        return cls(**{name: obj[key] for name, key in _JSON_NAMES.items() if key in obj})


def _identity(header: SessionHeader) -> tuple[object, ...]:
    return (
        header.version,
        header.id,
        header.created_at,
        header.cwd,
        header.parent_session,
        header.seed_length,
        header.delegation_depth or 0,
    )
