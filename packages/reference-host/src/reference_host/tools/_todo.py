"""The plan of the agent, written down where people see it."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reference_host.errors import ToolError
from reference_host.tools._tool import CallCard, Card, Concurrency, HostRun

__all__ = ["TodoTool"]


class _Todo(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    content: str = Field(min_length=1)
    status: Literal["pending", "in_progress", "completed"]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    todos: list[_Todo]


_PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "todos": {
            "type": "array",
            "description": "The whole plan, in order; it replaces the one before.",
            "items": {
                "type": "object",
                "properties": {
                    "content": {"type": "string", "minLength": 1},
                    "status": {"enum": ["pending", "in_progress", "completed"]},
                },
                "required": ["content", "status"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["todos"],
    "additionalProperties": False,
}


class TodoTool:
    """Logs `todo/write`, which the client is shown as a plan (ACP-1)."""

    name = "todo"
    description = "Write down the plan of your work, so that the user can follow it."
    timeout_ms: int | None = None
    concurrency: Concurrency = "exclusive"

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        return _PARAMETERS

    async def execute(self, arguments: Any, run: HostRun) -> str:
        """Log the plan.

        Raises:
            ToolError: `TOOL_INVALID_ARGUMENT`, naming what is wrong.
        """
        run.signal.raise_if_aborted()
        try:
            checked = _Arguments.model_validate(arguments)
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, found["loc"])) or "arguments"
            raise ToolError(f"{where}: {found['msg']}", "TOOL_INVALID_ARGUMENT") from None
        todos = [todo.model_dump() for todo in checked.todos]
        run.agent.session.append("todo/write", {"todos": todos})
        done = sum(todo.status == "completed" for todo in checked.todos)
        return f"Written down: {len(todos)} items, {done} of them completed."

    def present_call(self, arguments: Any) -> Card:
        """Return what people see of a call."""
        return CallCard("think", "Update the plan", arguments)
