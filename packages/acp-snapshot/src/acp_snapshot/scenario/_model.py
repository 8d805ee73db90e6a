"""What a `scenario.toml` says (SNAP-2)."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

__all__ = [
    "STEP_NAMES",
    "AwaitPrompt",
    "AwaitTurnEnd",
    "AwaitUpdate",
    "Cancel",
    "Capture",
    "CloseStdin",
    "ForkSession",
    "Initialize",
    "ListSessions",
    "LoadSession",
    "NewSession",
    "ProcessSteps",
    "Prompt",
    "RawRequest",
    "ScenarioFile",
    "SendLine",
    "Step",
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _as_json(value: dict[str, Any]) -> dict[str, Any]:
    """Refuse what TOML has and JSON has not: dates, times, infinity and such."""
    try:
        json.dumps(value, allow_nan=False)
    except TypeError as error:
        raise ValueError(str(error)) from error
    return value


class _Request(_Strict):
    error: int | None = Field(None, description="The code of the JSON-RPC error that is due.")


class Initialize(_Request):
    """Ask what the agent can do."""

    do: Literal["initialize"]


class NewSession(_Request):
    """Begin a session."""

    do: Literal["new_session"]
    name: str = Field("main", description="What later steps call the session.")
    cwd: str = "<workspace>"


class LoadSession(_Request):
    """Load a session, by its name in the scenario or by its id."""

    do: Literal["load_session"]
    session: str = "main"
    cwd: str = "<workspace>"


class ForkSession(_Request):
    """Fork a session."""

    do: Literal["fork_session"]
    session: str = "main"
    name: str = Field("fork", description="What later steps call the fork.")
    cwd: str = "<workspace>"


class ListSessions(_Request):
    """List sessions: those of one `cwd`, or all."""

    do: Literal["list_sessions"]
    cwd: str | None = None


class Prompt(_Request):
    """Send a prompt, and wait for the end of its turn unless it runs in the background."""

    do: Literal["prompt"]
    text: str
    session: str = "main"
    background: bool = False
    stop_reason: str | None = Field(None, description="The stop reason that is due.")


class AwaitPrompt(_Request):
    """Wait for the prompt of a session that runs in the background."""

    do: Literal["await_prompt"]
    session: str = "main"
    stop_reason: str | None = None


class AwaitUpdate(_Strict):
    """Wait for an update of a session since its last prompt was sent."""

    do: Literal["await_update"]
    update: str = Field(description="The kind, such as `tool_call`.")
    session: str = "main"
    containing: str = Field("", description="Text that its JSON holds.")


class Cancel(_Strict):
    """Cancel what a session does, once a named update was seen."""

    do: Literal["cancel"]
    session: str = "main"
    after_update: str | None = Field(None, description="The kind of update to wait for.")
    containing: str = ""


class AwaitTurnEnd(_Strict):
    """Wait until the log of a session, on disk, ends with the end of its last prompt's turn."""

    do: Literal["await_turn_end"]
    session: str = "main"
    turns: int | None = Field(None, ge=1, description="How many turns have ended, all in all.")


class RawRequest(_Request):
    """Send a request that the SDK's client would not, such as one with hostile `_meta`."""

    do: Literal["request"]
    method: str
    params: Annotated[dict[str, Any], AfterValidator(_as_json)] = {}


class Capture(_Strict):
    """Remember a text that only the run knows, such as a locator, for later steps and scripts.

    It's the last match in what this process told and in the logs on disk: its first group, or all
    of it. `<captured:NAME>` stands for it.
    """

    do: Literal["capture"]
    name: str
    pattern: str


class SendLine(_Strict):
    """Write a line to stdin as it stands."""

    do: Literal["send_line"]
    line: str


class CloseStdin(_Strict):
    """Close stdin, and wait until the agent has ended; the last step of a process."""

    do: Literal["close_stdin"]


Step: TypeAlias = Annotated[
    Initialize
    | NewSession
    | LoadSession
    | ForkSession
    | ListSessions
    | Prompt
    | AwaitPrompt
    | AwaitUpdate
    | Cancel
    | AwaitTurnEnd
    | RawRequest
    | Capture
    | SendLine
    | CloseStdin,
    Field(discriminator="do"),
]


STEP_NAMES = frozenset(
    name
    for model in get_args(get_args(Step)[0])
    for name in get_args(model.model_fields["do"].annotation)
)
"""What a step can do."""


class ProcessSteps(_Strict):
    """One launch of the agent, and what the client does with it."""

    script: str = Field("model.json", description="The model script, a file beside the scenario.")
    permissions: Literal["deny", "allow"] = "deny"
    end: Literal["eof", "kill"] = Field("eof", description="Whether it is ended, or crashes.")
    exit_code: int = Field(0, description="How it ends, unless it is killed.")
    step: tuple[Step, ...] = Field(min_length=1, strict=False)


class ScenarioFile(_Strict):
    """A whole scenario."""

    about: str = Field(description="What it shows, for people.")
    composition: str = Field(min_length=1, description="The composition class.")
    pins_header: bool = Field(default=False, description="Whether it shows the class's header.")
    header_changes: int = Field(0, ge=0, description="How many further headers the run sends.")
    process: tuple[ProcessSteps, ...] = Field(min_length=1, strict=False)
