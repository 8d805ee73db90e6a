"""The frameworks that the tests go through."""

from __future__ import annotations

import pytest

from .conversing import Framework
from .on_langchain import OnLangChain
from .on_openai_agents import OnOpenAIAgents
from .on_pydantic_ai import OnPydanticAI

FRAMEWORKS: list[Framework] = [OnOpenAIAgents(), OnPydanticAI(), OnLangChain()]

in_each_framework = pytest.mark.parametrize(
    "framework", FRAMEWORKS, ids=lambda framework: type(framework).__name__
)
in_each_that_takes_text = pytest.mark.parametrize(
    "framework",
    [framework for framework in FRAMEWORKS if framework.takes_any_text],
    ids=lambda framework: type(framework).__name__,
)
