"""Compositions are read strictly: each key counts, and no other (HOST-1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from reference_host.composition import (
    SHIPPED,
    Composition,
    IndexSettings,
    OpenAICompatibleSettings,
    ReplaySettings,
    SpillSettings,
    load_composition,
    parse_composition,
)
from reference_host.errors import CompositionError

LEAST = 'prompt = "Be short."\nmodel = {kind = "replay", script = "s.json"}\n'
WHOLE = """
prompt = "Be short."
max_steps = 7

[model]
kind = "openai-compatible"
base_url = "http://localhost:1/v1"
model = "small"
api_key_env = "KEY"
timeout_ms = 5
max_retries = 0

[persistence]
root = "logs"
compression = "none"

[index]
path = "search.db"

[tools.read]

[tools.todo]

[tools.session_query]
max_search_results = 3
search_timeout_ms = 4

[policies.deadline]
default_timeout_ms = 6

[policies.spill]
max_inline_bytes = 8_000
root = "long"
retention_days = 1.5

[policies.permission]
ask = ["read"]
"""


def refusal(text: str, name: str = "mine.toml") -> str:
    """Return why a composition is refused."""
    with pytest.raises(CompositionError) as raised:
        parse_composition(text, name)
    assert raised.value.code == "COMPOSITION_INVALID"
    assert raised.value.message.startswith(f"{name}: ")
    return raised.value.message


def set_keys(table: BaseModel) -> Iterator[str]:
    """Yield each key that a table was given, and those of the tables in it."""
    for key in table.model_fields_set:
        yield key
        value = getattr(table, key)
        if isinstance(value, BaseModel):
            yield from (f"{key}.{inner}" for inner in set_keys(value))


def all_keys(kind: type[BaseModel]) -> Iterator[str]:
    """Yield each key that a table may be given, and those of the tables in it."""
    for key, field in kind.model_fields.items():
        yield key
        options: tuple[Any, ...] = getattr(field.annotation, "__args__", (field.annotation,))
        for option in options:
            if isinstance(option, type) and issubclass(option, BaseModel):
                yield from (f"{key}.{inner}" for inner in all_keys(option))


@pytest.mark.requirement("HOST-1")
def test_each_key_is_taken_as_it_is_given() -> None:
    """A composition that gives every key has every value."""
    made = parse_composition(WHOLE)
    assert {*set_keys(made)} == {*all_keys(Composition)} - {"model.script"}
    model = made.model
    assert isinstance(model, OpenAICompatibleSettings)
    assert (model.base_url, model.model, model.api_key_env) == (
        "http://localhost:1/v1",
        "small",
        "KEY",
    )
    assert (model.timeout_ms, model.max_retries, made.max_steps) == (5, 0, 7)
    assert (made.persistence.root, made.persistence.compression) == (Path("logs"), "none")
    assert made.index == IndexSettings(path=Path("search.db"))
    query = made.tools.session_query
    assert query is not None
    assert (query.max_search_results, query.search_timeout_ms) == (3, 4)
    policies = made.policies
    assert policies.deadline is not None
    assert policies.deadline.default_timeout_ms == 6
    assert policies.spill == SpillSettings(
        max_inline_bytes=8_000, root=Path("long"), retention_days=1.5
    )
    assert policies.permission is not None
    assert policies.permission.ask == ("read",)


@pytest.mark.requirement("HOST-1")
def test_what_is_left_out_is_not_mounted() -> None:
    """The least composition has a model and a prompt: no index, no tool, no policy."""
    made = parse_composition(LEAST)
    assert made.model == ReplaySettings(kind="replay", script=Path("s.json"))
    assert made.index is None
    assert [*made.tools.model_dump(exclude_none=True)] == []
    assert [*made.policies.model_dump(exclude_none=True)] == []


@pytest.mark.requirement("HOST-1")
@pytest.mark.parametrize(
    "table",
    [
        *("", "[model]", "[persistence]", "[index]", "[tools]", "[tools.read]", "[tools.todo]"),
        *("[tools.session_query]", "[policies]", "[policies.deadline]", "[policies.spill]"),
        "[policies.permission]",
    ],
)
def test_an_unknown_key_is_refused_with_file_and_key(table: str) -> None:
    """In every table, a key that is none stops the host before it mounts anything."""
    lines = f"\n{WHOLE}".replace("[tools.read]", "[tools]\n[tools.read]")
    lines = lines.replace("[policies.deadline]", "[policies]\n[policies.deadline]")
    given = f"surprise = 1\n{lines}"
    if table:
        given = lines.replace(f"\n{table}\n", f"\n{table}\nsurprise = 1\n")
        assert given != lines
    place = table.strip("[]")
    told = refusal(given)
    key = "surprise" if not place else f"{place}.surprise"
    assert key in told.replace("model.openai-compatible.", "model.")


@pytest.mark.requirement("HOST-1")
@pytest.mark.parametrize(
    ("changed", "named"),
    [
        (("max_steps = 7", "max_steps = 0"), "max_steps"),
        (("max_steps = 7", 'max_steps = "7"'), "max_steps"),
        (("max_steps = 7", "max_steps = 7.0"), "max_steps"),
        (("max_steps = 7", "max_steps = true"), "max_steps"),
        (('prompt = "Be short."', 'prompt = ""'), "prompt"),
        (('prompt = "Be short."', ""), "prompt"),
        (('kind = "openai-compatible"', 'kind = "magic"'), "model"),
        (('kind = "openai-compatible"', ""), "model"),
        (('model = "small"', ""), "model.model"),
        (('compression = "none"', 'compression = "zip"'), "persistence.compression"),
        (("max_search_results = 3", "max_search_results = 0"), "max_search_results"),
        (("default_timeout_ms = 6", "default_timeout_ms = 0"), "default_timeout_ms"),
        (("retention_days = 1.5", "retention_days = 0"), "retention_days"),
        (('ask = ["read"]', "ask = [1]"), "policies.permission.ask.0"),
        (("[index]", "[index"), "mine.toml"),
    ],
)
def test_a_wrong_value_is_refused_with_file_and_key(changed: tuple[str, str], named: str) -> None:
    """Numbers are numbers, and choices are those that there are."""
    assert WHOLE.count(changed[0]) == 1
    assert named in refusal(WHOLE.replace(*changed))


@pytest.mark.requirement("HOST-1")
def test_tools_that_search_need_an_index() -> None:
    """`session_query` without `[index]` is refused, and says what to add."""
    told = refusal(f"{LEAST}[tools.session_query]\n")
    assert "tools.session_query needs an index; add [index]" in told
    assert parse_composition(f"{LEAST}[index]\n[tools.session_query]\n").tools.session_query


@pytest.mark.requirement("HOST-1")
def test_a_file_is_read_and_its_script_lies_beside_it(tmp_path: Path) -> None:
    """A path gives the composition of that file; a relative script is relative to it."""
    path = tmp_path / "mine.toml"
    path.write_text(LEAST, "utf-8")
    assert load_composition(str(path)).model == ReplaySettings(
        kind="replay", script=tmp_path / "s.json"
    )
    path.write_text(f"{LEAST}\nsurprise = 1", "utf-8")
    with pytest.raises(CompositionError, match=f"{path}: .*surprise"):
        load_composition(str(path))
    path.write_bytes(b'prompt = "\xff"')
    with pytest.raises(CompositionError, match=str(path)):
        load_composition(str(path))


@pytest.mark.requirement("HOST-1")
def test_a_name_that_is_none_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    """Neither a missing file nor a directory is a composition."""
    for name in (str(tmp_path / "none.toml"), str(tmp_path), "acp2", "nul\0"):
        with pytest.raises(CompositionError) as raised:
            load_composition(name)
        assert raised.value.code in {"COMPOSITION_NOT_FOUND", "COMPOSITION_INVALID"}
    assert SHIPPED == ("acp", "acp-session-query", "headless")


@pytest.mark.requirement("HOST-1")
def test_a_composition_can_not_be_changed() -> None:
    """What was checked stays as it was checked."""
    made: Any = parse_composition(LEAST)
    with pytest.raises(ValueError, match="frozen"):
        made.max_steps = 0
