"""The settings of the tools, checked before anything is registered (TOOL-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from session_query import ErrorCode, SessionQueryError

__all__ = ["ToolSessionQueryConfig"]


class ToolSessionQueryConfig(BaseModel):
    """Settings of the tools; nothing that a model sends can change them (TOOL-4).

    Args:
        max_search_results: how many hits a search shows at most; at least 1. Also how many
            sessions of a lineage are shown with their titles.
        search_timeout_ms: how long a search may take, in milliseconds; at least 1.

    Raises:
        SessionQueryError: `SESSION_QUERY_INVALID_CONFIG`, naming each wrong or unknown key.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    max_search_results: int = Field(default=100, ge=1)
    search_timeout_ms: int = Field(default=30_000, ge=1)

    # Type checkers see the constructor that the fields make.
    if not TYPE_CHECKING:

        def __init__(self, **settings: Any) -> None:
            try:
                super().__init__(**settings)
            except ValidationError as error:
                problems = [
                    f"{'.'.join(map(str, found['loc']))}: {found['msg']}"
                    for found in error.errors(include_url=False)
                ]
                # the model and its input stay out of the chain
                raise SessionQueryError("; ".join(problems), ErrorCode.INVALID_CONFIG) from None
