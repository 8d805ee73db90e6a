"""JSON Schemas out of the models, as short as they can be (TOOL-3)."""

from __future__ import annotations

from typing import Any, Final

from tool_session_query._input._models import Arguments

__all__ = ["parameters_of"]

_NOISE: Final = ("title", "default", "maximum")


def parameters_of(model: type[Arguments], **limits: int) -> dict[str, Any]:
    """Return the JSON Schema of some arguments: flat, closed, without what a model needs not read.

    Args:
        model: the arguments.
        limits: the largest value of an argument, by its name.
    """
    schema = model.model_json_schema()
    properties = {name: _short(each) for name, each in schema["properties"].items()}
    for name, largest in limits.items():
        properties[name]["maximum"] = largest
    return {
        "type": "object",
        "properties": properties,
        **({"required": schema["required"]} if "required" in schema else {}),
        "additionalProperties": False,
    }


def _short(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without null: an argument that is not given is left out."""
    given = {key: value for key, value in schema.items() if key != "anyOf"}
    for choice in schema.get("anyOf", ()):
        if choice != {"type": "null"}:
            given = {**choice, **given}
    return {
        key: _short(value) if key == "items" else value
        for key, value in given.items()
        if key not in _NOISE
    }
