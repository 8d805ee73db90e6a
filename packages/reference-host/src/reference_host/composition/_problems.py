"""What is wrong with a composition, in words of its file and not of its models."""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

__all__ = ["problem_of"]


_PLAIN: Final = {
    "missing": "must be there",
    "model_type": "expected a table",
    "model_attributes_type": "expected a table",
    "dict_type": "expected a table",
    "tuple_type": "expected a list",
    "string_pattern_mismatch": "can't be blank",
}


def problem_of(found: ErrorDetails, model: type[BaseModel]) -> str:
    """Return where in the file something is wrong, and what is expected there."""
    keys, table = _followed(found["loc"], model)
    where = ".".join(map(str, keys)) or "the file"
    kind = found["type"]
    if kind == "extra_forbidden" and table is not None:
        return f"{where}: there is no such key; there are {', '.join(table.model_fields)}"
    if kind in {"union_tag_not_found", "union_tag_invalid"}:
        return f"{where}.kind: expected one of {', '.join(_kinds(model, keys))}"
    told = _PLAIN.get(kind, f"{found['msg'][:1].lower()}{found['msg'][1:]}")
    return f"{where}: {told}"


def _followed(
    loc: Sequence[int | str], model: type[BaseModel]
) -> tuple[list[int | str], type[BaseModel] | None]:
    """Return a place without the names of alternatives, which are in no file; and its table."""
    keys: list[int | str] = []
    tables: list[type[BaseModel]] = [model]
    for number, part in enumerate(loc, 1):
        tagged = [one for one in tables if len(tables) > 1 and part in _kind_of(one)]
        if tagged:
            tables = tagged
            continue
        keys.append(part)
        fields = [one.model_fields[str(part)] for one in tables if str(part) in one.model_fields]
        if number == len(loc) and not fields:
            break
        tables = [one for field in fields for one in _tables(field.annotation)]
    return keys, tables[0] if tables else None


def _tables(annotation: Any) -> list[type[BaseModel]]:
    """Return the models that an annotation allows."""
    if get_origin(annotation) in {Union, UnionType, Annotated}:
        return [one for part in get_args(annotation) for one in _tables(part)]
    if isinstance(annotation, type) and annotation is not NoneType:
        return [annotation] if issubclass(annotation, BaseModel) else []
    return []


def _kind_of(table: type[BaseModel]) -> tuple[object, ...]:
    field = table.model_fields.get("kind")
    return () if field is None else get_args(field.annotation)


def _kinds(model: type[BaseModel], keys: Sequence[int | str]) -> list[str]:
    tables = [model]
    for key in keys:
        annotations = [one.model_fields[str(key)].annotation for one in tables]
        tables = [one for annotation in annotations for one in _tables(annotation)]
    return [str(kind) for one in tables for kind in _kind_of(one)]
