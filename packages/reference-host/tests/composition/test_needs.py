"""What a composition needs besides what it names, and how slips in it are told (HOST-1)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from reference_host._host import opened_host
from reference_host.composition import OpenAICompatibleSettings, parse_composition
from reference_host.errors import CompositionError

REPLAY = 'prompt = "Be short."\nmodel = {kind = "replay", script = "none.json"}\n'


@pytest.mark.requirement("HOST-1")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[tool.read]", "tool: there is no such key; there are model, prompt"),
        ("tools.read = true", "tools.read: expected a table"),
        ('policies.permission.ask = "read"', "policies.permission.ask: expected a list"),
        ("[policies.spill]", r"add \[tools.read\]"),
        ("[tools.session_query]", r"add \[index\]"),
        ("tools.read = {}\npolicies.spill.max_inline_bytes = 100", "max_inline_bytes: .*1000"),
        ("tools.read = {}\npolicies.spill.retention_days = inf", "retention_days"),
    ],
)
def test_slips_are_told_in_words_of_the_file(text: str, told: str) -> None:
    """Each message says where, and what is expected there."""
    with pytest.raises(CompositionError, match=told):
        parse_composition(REPLAY + text)


@pytest.mark.requirement("HOST-1")
def test_a_model_is_told_by_its_keys() -> None:
    """The name of an alternative is in no file, so it is in no message."""
    for model, told in (
        ('{script = "x"}', "model.kind: expected one of replay, openai-compatible"),
        ('{kind = "openai-compatible"}', "model.model: must be there"),
        ('{kind = "replay", script = "x", key = 1}', "model.key: there is no such key"),
    ):
        with pytest.raises(CompositionError, match=told):
            parse_composition(f'prompt = "Be short."\nmodel = {model}')
    with pytest.raises(CompositionError, match="prompt: can't be blank"):
        parse_composition(REPLAY.replace("Be short.", " \\t"))
    named = parse_composition(
        'prompt = "x"\nmodel = {kind = "openai-compatible", model = "m", api_key_env = ""}'
    ).model
    assert isinstance(named, OpenAICompatibleSettings)
    assert named.api_key_env is None


@pytest.mark.requirement("HOST-1", "ACP-1")
def test_a_permission_for_no_tool_is_refused(tmp_path: Path) -> None:
    """A name with a slip in it would allow everything."""
    composition = parse_composition(
        REPLAY + 'tools.read = {}\npolicies.permission.ask = ["read", "reed"]'
    )

    async def main() -> None:
        with pytest.raises(CompositionError, match="reed: there is no such tool; there are read"):
            async with opened_host(composition, tmp_path, answers=False):
                pass

    asyncio.run(main())
