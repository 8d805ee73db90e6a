"""What a host is made of: one TOML file (HOST-1)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

__all__ = [
    "Composition",
    "DeadlinePolicy",
    "IndexSettings",
    "JsonlSettings",
    "OpenAICompatibleSettings",
    "PermissionPolicy",
    "Policies",
    "ReadToolSettings",
    "ReplaySettings",
    "SessionQuerySettings",
    "SpillSettings",
    "TodoToolSettings",
    "ToolSettings",
]


def _none_if_empty(value: object) -> object:
    return None if value == "" else value


class _Table(BaseModel):
    # paths come as text, and numbers stay numbers: nothing else is converted
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ReplaySettings(_Table):
    """A model that answers from a script.

    Args:
        script: the file, relative to that of the composition.
    """

    kind: Literal["replay"]
    script: Annotated[Path, Field(strict=False)]


class OpenAICompatibleSettings(_Table):
    """A model behind a server that speaks the chat completions API; needs the extra `openai`.

    Args:
        base_url: where the server is, up to and without `/chat/completions`.
        model: its name there.
        api_key_env: the variable of the environment that holds the key; empty for a server that
            asks for none.
        timeout_ms: how long the server may be silent.
        max_retries: how often a request that failed before its answer began is sent again.
    """

    kind: Literal["openai-compatible"]
    base_url: str = "https://api.openai.com/v1"
    model: str
    api_key_env: Annotated[str | None, BeforeValidator(_none_if_empty)] = "OPENAI_API_KEY"
    timeout_ms: int = Field(default=120_000, ge=1, le=86_400_000)
    max_retries: int = Field(default=2, ge=0)


class JsonlSettings(_Table):
    """Where the logs are kept.

    Args:
        root: the directory, relative to that of the state.
        compression: how new logs are written.
    """

    root: Annotated[Path, Field(strict=False)] = Path("sessions")
    compression: Literal["zstd", "none"] = "zstd"


class IndexSettings(_Table):
    """The index that makes the logs searchable: for people, and for the tools if mounted.

    Args:
        path: the file, relative to the directory of the state.
    """

    path: Annotated[Path, Field(strict=False)] = Path("index.sqlite")


class ReadToolSettings(_Table):
    """The tool `read`: files of the working directory, and spilled results."""


class TodoToolSettings(_Table):
    """The tool `todo`: the plan of the agent."""


class SessionQuerySettings(_Table):
    """The five tools for earlier sessions; they need an index.

    Args:
        max_search_results: how many hits a search shows at most.
        search_timeout_ms: how long a search may take.
    """

    max_search_results: int = Field(default=100, ge=1)
    search_timeout_ms: int = Field(default=30_000, ge=1, le=86_400_000)


class ToolSettings(_Table):
    """The tools that are mounted: those whose table is there, even an empty one."""

    read: ReadToolSettings | None = None
    todo: TodoToolSettings | None = None
    session_query: SessionQuerySettings | None = None


class DeadlinePolicy(_Table):
    """How long a tool may take that has no limit of its own."""

    default_timeout_ms: int = Field(default=60_000, ge=1, le=86_400_000)


class SpillSettings(_Table):
    """What is done with results that are too long for a model.

    Args:
        max_inline_bytes: the longest result that is shown whole, in bytes of UTF-8; None for no
            limit, which turns the policy off. At least 1,000: the notice must fit.
        root: where spilled results are kept, relative to the directory of the state.
        retention_days: after how many days they are removed, at the start of a host.
    """

    max_inline_bytes: int | None = Field(default=32_768, ge=1_000)
    root: Annotated[Path, Field(strict=False)] = Path("spill")
    retention_days: float = Field(default=30, gt=0, le=36_500)


class PermissionPolicy(_Table):
    """For which tools the client is asked first; what is no clear yes is a no."""

    ask: tuple[str, ...] = Field(default=(), strict=False)


class Policies(_Table):
    """What holds for every tool; a policy whose table is left out is not mounted."""

    deadline: DeadlinePolicy | None = None
    spill: SpillSettings | None = None
    permission: PermissionPolicy | None = None


class Composition(_Table):
    """What a host is made of (HOST-1).

    Args:
        model: who answers.
        prompt: the first section of the system prompt.
        max_steps: after how many requests a turn ends.
        persistence: where the logs are kept.
        index: what makes them searchable; None for no search.
        tools: the tools that are mounted.
        policies: the policies that are mounted.
    """

    model: Annotated[ReplaySettings | OpenAICompatibleSettings, Field(discriminator="kind")]
    prompt: str = Field(pattern=r"\S")
    max_steps: int = Field(default=50, ge=1)
    persistence: JsonlSettings = JsonlSettings()
    index: IndexSettings | None = None
    tools: ToolSettings = ToolSettings()
    policies: Policies = Policies()
