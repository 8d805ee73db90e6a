"""What all models of arguments share, and how a mistake in them is told (INPUT-2)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import ErrorDetails, PydanticCustomError
from session_query import SessionQueryError, parse_query

from tool_session_query._errors import SessionQueryToolError, invalid_argument
from tool_session_query._input._timestamps import instant_of, milliseconds_within

__all__ = [
    "Arguments",
    "Choice",
    "Instant",
    "Query",
    "Span",
    "Text",
    "Texts",
    "Whole",
    "checked_span",
    "instant",
    "integer",
    "milliseconds",
    "read_arguments",
]

_MOST: Final = 2**53 - 1
_SHOWN: Final = 60
_MOST_PROBLEMS: Final = 5
_NO_VALUE: Final = "expected a value, got null; leave the argument out"
_NOT_NARROWING: Final = frozenset({"query", "match", "session_id"})

A = TypeVar("A", bound="Arguments")


class Arguments(BaseModel):
    """The arguments of one tool: flat, strict, and nothing beside them."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    def narrowing(self) -> tuple[str, ...]:
        """Return the names of the arguments that narrow a search (RENDER-4)."""
        return tuple(
            name
            for name, field in type(self).model_fields.items()
            if name not in _NOT_NARROWING and getattr(self, name) != field.default
        )


def _whole(given: object) -> object:
    """Take 3.0 for 3: JSON knows no difference, and neither does its schema."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


def _instant(given: object) -> object:
    if not isinstance(given, str):
        return given
    try:
        return instant_of(given)
    except ValueError as error:
        raise PydanticCustomError("instant", "{problem}", {"problem": str(error)}) from None


def _not_empty(given: str) -> str:
    if not given:
        raise PydanticCustomError("string_too_short", "is empty")
    return given


def _query(given: object) -> object:
    if isinstance(given, str):
        try:
            parse_query(given)
        except SessionQueryError as error:
            raise PydanticCustomError("query", "{problem}", {"problem": error.message}) from None
    return given


Whole = Annotated[
    int,
    Field(ge=0, le=_MOST),
    BeforeValidator(_whole),
]
"""A whole number from 0 on that every JSON implementation holds exactly."""

# `min_length` would refuse lone surrogates, which ids may hold
Text = Annotated[str, AfterValidator(_not_empty), Field(json_schema_extra={"minLength": 1})]
Query = Annotated[str, BeforeValidator(_query)]
Texts = Annotated[list[str], Field(min_length=1)]
"""Some of many: one that is empty would match nothing, which nobody means."""

Instant = Annotated[Fraction, BeforeValidator(_instant)]
"""Milliseconds since the epoch, exactly as written."""


def integer(description: str) -> WithJsonSchema:
    """Return what the model is told of a `Whole`."""
    return WithJsonSchema({"type": "integer", "minimum": 0, "description": description})


def instant(description: str) -> WithJsonSchema:
    """Return what the model is told of an `Instant`."""
    return WithJsonSchema({"type": "string", "format": "date-time", "description": description})


Choice = Literal["auto", "phrase", "all", "any"]


class Span(NamedTuple):
    """An inclusive range of whole numbers; `nothing` where it holds none."""

    low: int | None
    high: int | None

    @property
    def given(self) -> bool:
        """Whether there is a bound at all."""
        return self.low is not None or self.high is not None

    @property
    def nothing(self) -> bool:
        """Whether no number is within."""
        return self.low is not None and self.high is not None and self.low > self.high


def checked_span(name: str, low: int | None, high: int | None) -> Span:
    """Return a range of seqs; raise for one whose ends are the wrong way round."""
    span = Span(low, high)
    if span.nothing:
        raise invalid_argument(f"{name}_from", f"lies after {name}_to")
    return span


def milliseconds(name: str, low: Fraction | None, high: Fraction | None) -> Span:
    """Return the whole milliseconds in a range; raise if its ends are the wrong way round."""
    if low is not None and high is not None and low > high:
        raise invalid_argument(f"{name}_from", f"lies after {name}_to")
    return Span(*milliseconds_within(low, high))


def read_arguments(model: type[A], given: object) -> A:
    """Return the arguments of a call, checked.

    Raises:
        SessionQueryToolError: `INVALID_ARGUMENT`, naming the first one that is wrong.
    """
    if not isinstance(given, Mapping):
        raise invalid_argument(None, f"expected arguments as a JSON object, got {_kind(given)}")
    values: dict[str, object] = {}
    try:
        values = dict(given)
        checked = model.model_validate(values)
    except ValidationError as error:
        # neither the model nor what it was given belongs in the chain of what the model sees
        problem = _told(model, _problems(model, error) | _nulls(model, values))
    except Exception:  # noqa: BLE001 - a mapping is somebody's code
        problem = invalid_argument(None, "expected an object with arguments that can be read")
    else:
        nulls = _nulls(model, values)
        if not nulls:
            return checked
        problem = _told(model, nulls)
    raise problem


def _nulls(model: type[Arguments], values: dict[str, object]) -> dict[str, str]:
    """Return what is wrong with each null in the place of an argument."""
    return {name: _NO_VALUE for name in model.model_fields if values.get(name, "") is None}


def _problems(model: type[Arguments], error: ValidationError) -> dict[str, str]:
    """Return what is wrong with each argument that was found wrong."""
    problems: dict[str, str] = {}
    for found in error.errors(include_url=False):
        name = str(found["loc"][0]) if found["loc"] else ""
        if len(problems) < _MOST_PROBLEMS:
            problems.setdefault(name, _problem(model, name, found))
    return problems


def _told(model: type[Arguments], problems: dict[str, str]) -> SessionQueryToolError:
    """Return the first mistake as an error, and the first few others in its message."""
    (first, problem), *others = list(problems.items())[:_MOST_PROBLEMS]
    told = [problem, *(f"{_cut(name)}: {other}" for name, other in others)]
    if any(name not in model.model_fields for name in problems):
        told.append(f"there are: {', '.join(model.model_fields)}")
    return invalid_argument(_cut(first), "; ".join(told))


def _problem(model: type[Arguments], name: str, found: ErrorDetails) -> str:
    if name not in model.model_fields:
        return "no such argument"
    if found["type"] == "missing":
        return "is missing"
    if found["type"] == "list_type" and isinstance(found["input"], str):
        return f"expected a list, such as [{shown(found['input'])}]"
    if found["type"] == "too_short":
        return _expected(found)
    return f"{_expected(found)}, got {shown(found['input'])}"


def _expected(found: ErrorDetails) -> str:
    """Say what would have been right, in words for a model that wrote JSON."""
    kind, context = found["type"], found.get("ctx", {})
    inner = len(found["loc"]) > 1
    if kind in _EXPECTED:
        expected = _EXPECTED[kind]
        return f"{expected} in the list" if inner else expected
    if kind == "literal_error":
        expected = f"expected {context['expected']}"
        return f"{expected} in the list" if inner else expected
    return found["msg"]


_WHOLE_NUMBER: Final = "expected a whole number from 0 to 9007199254740991"
_EXPECTED: Final = {
    "string_type": "expected a text",
    "string_unicode": "expected a text without lone surrogates",
    "is_instance_of": "expected a date and time as text",
    "bool_type": "expected true or false",
    "int_type": _WHOLE_NUMBER,
    "int_parsing_size": _WHOLE_NUMBER,
    "greater_than_equal": _WHOLE_NUMBER,
    "less_than_equal": _WHOLE_NUMBER,
    "list_type": "expected a list",
    "string_too_short": "expected a text that is not empty",
    "too_short": "an empty list matches nothing; leave the argument out",
}


def shown(given: object) -> str:
    """Return a value of JSON in a few characters."""
    if isinstance(given, str):
        return json.dumps(_cut(given))
    if given is None:
        return "null"
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, float) or (isinstance(given, int) and -_MOST <= given <= _MOST):
        return repr(given)
    return "a number that is too large" if isinstance(given, int) else _kind(given)


def _kind(given: object) -> str:
    for kind, name in _KINDS.items():
        if isinstance(given, kind):
            return name
    return "null" if given is None else "something that is not JSON"


_KINDS: Final[dict[Any, str]] = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "a list",
    Mapping: "an object",
}


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
