"""An adapter whose framework is missing says what to install."""

from __future__ import annotations

import importlib
import sys

import pytest


@pytest.mark.parametrize(
    ("adapter", "framework", "extra"),
    [
        ("openai_agents", "agents", "openai-agents"),
        ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
        ("langchain", "langchain_core.tools", "langchain"),
    ],
)
@pytest.mark.requirement("TOOL-1")
def test_a_missing_framework_is_named_by_its_extra(
    adapter: str, framework: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Importing the adapter fails with the extra that brings its framework, and with the cause."""
    monkeypatch.delitem(sys.modules, f"tool_session_query.adapters.{adapter}", raising=False)
    monkeypatch.setitem(sys.modules, framework, None)
    with pytest.raises(ImportError, match=rf"tool-session-query\[{extra}\]") as raised:
        importlib.import_module(f"tool_session_query.adapters.{adapter}")
    assert isinstance(raised.value.__cause__, ImportError)
