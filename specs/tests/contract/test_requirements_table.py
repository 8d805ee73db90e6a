"""The shipped table is the one that the RFCs give (CONF-5, CONF-13)."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from session_query_specs.contract import (
    CONTRACT_VERSION,
    CONTRACT_VERSIONS,
    REQUIREMENTS,
    Requirement,
    is_newer,
)

SPECS = Path(__file__).resolve().parents[2]
GENERATOR = runpy.run_path(str(SPECS / "generate_contract.py"))


@pytest.mark.requirement("CONF-13")
def test_the_table_is_up_to_date() -> None:
    """The table in the package is what the generator makes of the RFCs now."""
    shipped = GENERATOR["TABLE"].read_text("utf-8")
    assert shipped == GENERATOR["generated"](), "run python specs/generate_contract.py"


@pytest.mark.requirement("CONF-13")
def test_every_definition_is_in_the_table() -> None:
    """Whatever an RFC defines in bold at the begin of an item is a requirement of the table."""
    rfcs = sorted((SPECS.parent / "docs/rfc").glob("*.md"))
    defined = [
        found
        for rfc in rfcs
        for found in re.findall(r"^- \*\*([A-Z]+-\d+)", rfc.read_text("utf-8"), re.MULTILINE)
    ]
    assert list(REQUIREMENTS) == defined


@pytest.mark.requirement("CONF-13")
@pytest.mark.parametrize("requirement", REQUIREMENTS.values(), ids=lambda one: one.id)
def test_each_requirement_says_what_it_is(requirement: Requirement) -> None:
    """Each has a subject, a target, a version and one whole sentence; a reason is one line."""
    assert requirement.subject
    assert requirement.target in {"provider", "host", "reference", "suite", "command"}
    assert requirement.excluded or requirement.target in {"provider", "host"}
    assert requirement.since in CONTRACT_VERSIONS
    assert requirement.sentence.endswith(".")
    assert "*Why" not in requirement.sentence
    assert requirement.text.startswith(requirement.sentence)
    assert not re.search(r"\*(Why|Tests|Weighed)", requirement.text)
    assert len(requirement.text) <= 402
    assert "\n" not in requirement.excluded


@pytest.mark.requirement("CONF-15")
@pytest.mark.parametrize(
    ("passage", "text"),
    [
        ("One.", "One."),
        ("One. Two.\n  Three. *Why:* so. *Tests:* `here/`.", "One. Two. Three."),
        ("One. Two. Three. Four.", "One. Two. Three. …"),
        (f"One. {'x' * 400}. Three.", "One. …"),
    ],
)
def test_a_card_shows_the_whole_of_a_short_requirement(passage: str, text: str) -> None:
    """What is judged may stand in any sentence; what is left out is marked."""
    assert GENERATOR["text_of"](passage) == text


@pytest.mark.requirement("CONF-13")
@pytest.mark.parametrize(
    ("passage", "sentence"),
    [
        ("`a.b` tells. More.", "`a.b` tells."),
        ("One (LOG-2. or so) of [two](x.md). *Why:* so.", "One (LOG-2. or so) of two."),
        ("It is\n  two lines. And", "It is two lines."),
    ],
)
def test_code_and_brackets_end_no_sentence(passage: str, sentence: str) -> None:
    """The first sentence is cut after its own end, not inside of code, brackets or links."""
    assert GENERATOR["first_sentence"](passage) == sentence


@pytest.mark.requirement("CONF-5")
def test_versions_are_compared_by_their_numbers() -> None:
    """1.10 is newer than 1.9, and no version is newer than itself."""
    assert is_newer("1.10", "1.9")
    assert not is_newer("1.9", "1.10")
    assert not is_newer(CONTRACT_VERSION, CONTRACT_VERSION)
    assert CONTRACT_VERSIONS[-1] == CONTRACT_VERSION
