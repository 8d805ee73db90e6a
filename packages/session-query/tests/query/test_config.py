"""Settings are checked when they are made."""

from __future__ import annotations

from typing import Any

import pytest
from session_query.corpus import SessionSources
from session_query.errors import ErrorCode, SessionQueryError
from session_query.live import SessionStore
from session_query.log import QUERY_TOOL_NAMES
from session_query.query import EngineConfig, SearchConfig

from ..corpus.engines import ExactEngine


@pytest.mark.requirement("ERR-3", "LOG-24", "READ-2", "READ-3", "SEARCH-11")
def test_the_defaults_are_those_of_the_contract() -> None:
    """Every key has its documented default."""
    assert SearchConfig().model_dump() == {
        "read_window_max": 50,
        "persisted_inspect_concurrency": 4,
        "unsearchable_tools": QUERY_TOOL_NAMES,
        "default_limit": 20,
        "max_limit": 500,
        "snippet_chars": 240,
        "segmentation": "script",
    }


@pytest.mark.requirement("ERR-3")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("read_window_max", -1),
        ("read_window_max", True),
        ("read_window_max", "50"),
        ("read_window_max", 5.0),
        ("read_window_max", None),
        ("persisted_inspect_concurrency", 0),
        ("persisted_inspect_concurrency", 1.5),
        ("unsearchable_tools", "session_search"),
        ("unsearchable_tools", [5]),
        ("unsearchable_tools", [["x"]]),
        ("unsearchable_tools", None),
        ("unsearchable_tools", {"x": 1}),
        ("default_limit", 0),
        ("default_limit", 501),
        ("max_limit", 0),
        ("max_limit", float("nan")),
        ("snippet_chars", 0),
        ("segmentation", "words"),
        ("segmentation", None),
        ("no_such_key", 1),
        ("Max_Limit", 1),
    ],
)
def test_a_wrong_setting_is_named(key: str, value: object) -> None:
    """Each wrong or unknown key is named, and no exception of the validator gets out with it."""
    with pytest.raises(SessionQueryError) as caught:
        SearchConfig(**{key: value})  # type: ignore[arg-type]
    error = caught.value
    assert error.code is ErrorCode.INVALID_CONFIG
    assert error.message.startswith(key)
    assert error.__cause__ is None
    assert error.__suppress_context__


@pytest.mark.requirement("ERR-3")
def test_all_wrong_settings_are_named_at_once() -> None:
    """One error tells every mistake."""
    with pytest.raises(SessionQueryError) as caught:
        SearchConfig(max_limit=0, snippet_chars="x", other=1)  # type: ignore[call-arg, arg-type]
    assert [part.partition(":")[0] for part in str(caught.value).split("; ")] == [
        "max_limit",
        "snippet_chars",
        "other",
    ]


@pytest.mark.requirement("ERR-3")
def test_settings_that_were_made_stay_as_they_are() -> None:
    """Settings are frozen, and tools may be given as any collection of names."""
    config = EngineConfig(unsearchable_tools=["a", "b", "a"])  # type: ignore[arg-type]
    assert config.unsearchable_tools == frozenset("ab")
    with pytest.raises(AttributeError, match="read_window_max"):
        config.read_window_max = 5  # type: ignore[misc]


@pytest.mark.requirement("ERR-3")
def test_no_way_in_lets_the_validator_out() -> None:
    """Settings read by the validator's own methods fail in the same way."""
    assert SearchConfig.model_validate({"max_limit": 30}).max_limit == 30
    with pytest.raises(SessionQueryError, match="max_limit"):
        SearchConfig.model_validate({"max_limit": 0})
    with pytest.raises(SessionQueryError, match="max_limit"):
        SearchConfig.model_validate_json('{"max_limit": 0}')


class OwnConfig(SearchConfig):
    """Settings of a provider with one positional key."""

    path: str
    depth: int = 3

    def __init__(self, path: str, **settings: Any) -> None:
        super().__init__(path=path, **settings)  # type: ignore[call-arg]


@pytest.mark.requirement("ERR-3")
def test_a_provider_adds_keys_of_its_own() -> None:
    """A subclass has fields and a positional parameter, checked in the same way."""
    assert OwnConfig("p", depth=4, max_limit=30).depth == 4
    for wrong, key in (
        ({"path": 5}, "path"),
        ({"path": "p", "depth": "x"}, "depth"),
        ({"path": "p", "own": 1}, "own"),
        ({"path": "p", "default_limit": 600}, "default_limit"),
    ):
        with pytest.raises(SessionQueryError, match=key) as caught:
            OwnConfig(**wrong)
        assert caught.value.code is ErrorCode.INVALID_CONFIG


@pytest.mark.requirement("ERR-3", "CORPUS-1")
@pytest.mark.parametrize("wrong", [{}, {"read_window_max": 5}, 5, "x", EngineConfig])
def test_an_engine_takes_settings_and_nothing_else(wrong: object) -> None:
    """What is no settings object fails at construction."""
    with pytest.raises(SessionQueryError) as caught:
        ExactEngine(SessionSources(SessionStore()), wrong)  # type: ignore[arg-type]
    assert caught.value.code is ErrorCode.INVALID_CONFIG


@pytest.mark.requirement("SEARCH-11")
def test_the_largest_page_is_told() -> None:
    """`max_limit` is that of the settings, or the default where they have none."""
    sources = SessionSources(SessionStore())
    assert ExactEngine(sources).max_limit == 500
    assert ExactEngine(sources, SearchConfig(max_limit=40)).max_limit == 40
