"""The immutable header of a session (LOG-1, LOG-2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from session_query.log._json import JsonValue, freeze, safe_integral

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
_TEXTS = ("cwd", "parent_session", "agent_preset")
_COUNTS = ("seed_length", "delegation_depth")


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
        put = object.__setattr__
        version = safe_integral(self.version)
        if version != LOG_VERSION:
            msg = f"unsupported version {self.version!r}; this reads version {LOG_VERSION}"
            raise ValueError(msg)
        put(self, "version", version)
        if not isinstance(self.id, str) or not self.id:
            msg = f"id: expected a non-empty text, got {self.id!r}"
            raise ValueError(msg)
        put(self, "id", freeze(self.id))
        created_at = safe_integral(self.created_at)
        if created_at is None or created_at < 0:
            msg = f"createdAt: expected epoch milliseconds from 0 to 2**53 - 1, got {self.created_at!r}"
            raise ValueError(msg)
        put(self, "created_at", created_at)
        for name in _TEXTS:
            value = getattr(self, name)
            if value is not None:
                if not isinstance(value, str):
                    msg = f"{_JSON_NAMES[name]}: expected a text, got {type(value).__name__}"
                    raise ValueError(msg)
                put(self, name, freeze(value))
        for name in _COUNTS:
            value = getattr(self, name)
            if value is not None:
                count = safe_integral(value)
                if count is None or count < 0:
                    msg = f"{_JSON_NAMES[name]}: expected an integer of at least 0, got {value!r}"
                    raise ValueError(msg)
                put(self, name, count)
        if self.origin not in (None, "subagent"):
            msg = f"origin: expected 'subagent', got {self.origin!r}"
            raise ValueError(msg)

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
            msg = f"a header is a JSON object, got {type(obj).__name__}"
            raise ValueError(msg)  # noqa: TRY004 - one exception type for every bad value
        unknown = obj.keys() - set(_JSON_NAMES.values())
        if unknown:
            msg = f"unknown header field {min(map(str, unknown))!r}"
            raise ValueError(msg)
        for key in ("version", "id", "createdAt"):
            if key not in obj:
                msg = f"{key}: missing"
                raise ValueError(msg)
        null = [key for key, value in obj.items() if value is None]
        if null:
            msg = f"{null[0]}: an absent field is left out, never null"
            raise ValueError(msg)
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
