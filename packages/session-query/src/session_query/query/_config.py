"""The settings of an engine, checked when they are made (ERR-3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from session_query.errors import ErrorCode, SessionQueryError
from session_query.log import QUERY_TOOL_NAMES

__all__ = ["EngineConfig", "SearchConfig"]


def _names(given: object) -> object:
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Collection):
        return given
    try:
        return frozenset(given)
    except TypeError:
        return given


class EngineConfig(BaseModel):
    """Settings that every engine has.

    A subclass adds fields, and a constructor of its own where one of them is positional.

    Args:
        read_window_max: the largest `before` and `after` of `read_event`; at least 0.
        persisted_inspect_concurrency: how many stored logs a batch of titles holds at once.
        unsearchable_tools: the tools whose calls and results give no text (LOG-24).

    Raises:
        SessionQueryError: `SESSION_QUERY_INVALID_CONFIG`, naming each wrong or unknown key.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", validate_default=True)

    read_window_max: int = Field(default=50, ge=0)
    persisted_inspect_concurrency: int = Field(default=4, ge=1)
    unsearchable_tools: Annotated[frozenset[str], BeforeValidator(_names)] = QUERY_TOOL_NAMES

    # Type checkers see the constructor that the fields make.
    if not TYPE_CHECKING:

        def __init__(self, **settings: Any) -> None:
            try:
                super().__init__(**settings)
            except ValidationError as error:
                # The model and its input stay out of the chain: no pydantic type leaves (ERR-2).
                raise _invalid(error) from None

        def __setattr__(self, name: str, value: object) -> None:
            raise AttributeError(f"settings are frozen; {name!r} can't be set")


class SearchConfig(EngineConfig):
    """Settings that every engine with a full-text index has.

    Args:
        default_limit: the page size of requests that name none; at most `max_limit`.
        max_limit: the largest page size.
        snippet_chars: the length of snippets, in code points (SEARCH-10).
        segmentation: `script` finds each part of a text without spaces; `none` only whole runs of
            it (SEARCH-7).

    Raises:
        SessionQueryError: `SESSION_QUERY_INVALID_CONFIG`, naming each wrong or unknown key.
    """

    default_limit: int = Field(default=20, ge=1)
    max_limit: int = Field(default=500, ge=1)
    snippet_chars: int = Field(default=240, ge=1)
    segmentation: Literal["script", "none"] = "script"

    @model_validator(mode="after")
    def _default_fits(self) -> SearchConfig:
        if self.default_limit > self.max_limit:
            raise PydanticCustomError(
                "limits",
                "default_limit: {default} is more than max_limit, {largest}",
                {"default": self.default_limit, "largest": self.max_limit},
            )
        return self


def _invalid(error: ValidationError) -> SessionQueryError:
    problems = []
    for found in error.errors(include_url=False, include_context=False):
        key = ".".join(map(str, found["loc"]))
        if found["type"] == "extra_forbidden":
            problems.append(f"{key}: unknown key")
        elif found["type"] == "missing":
            problems.append(f"{key}: missing")
        elif key:
            problems.append(f"{key}: {found['msg']}, got {found['input']!r:.80}")
        else:
            problems.append(found["msg"])
    return SessionQueryError("; ".join(problems), ErrorCode.INVALID_CONFIG)
