"""The system prompt is its sections in order (HOST-2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_host import PromptAssembly

SECTIONS = st.dictionaries(
    st.text(max_size=3), st.text(min_size=1).filter(lambda text: bool(text.strip())), max_size=5
)


@pytest.mark.requirement("HOST-2")
@given(SECTIONS)
def test_the_prompt_is_the_sections_in_the_order_of_their_adding(sections: dict[str, str]) -> None:
    """The same sections, added in the same order, give the same text, a blank line between them."""
    prompt = PromptAssembly()
    for name, text in sections.items():
        prompt.add(name, text)
    assert prompt.names == tuple(sections)
    assert prompt.text() == "\n\n".join(text.strip() for text in sections.values())


@pytest.mark.requirement("HOST-2")
def test_a_section_is_removed_once() -> None:
    """Removing twice does nothing more, also when another section has got the name by then."""
    prompt = PromptAssembly()
    prompt.add("base", "Be short.")
    remove = prompt.add("more", "Be kind.")
    assert prompt.text() == "Be short.\n\nBe kind."
    remove()
    remove()
    assert (prompt.names, prompt.text()) == (("base",), "Be short.")
    prompt.add("more", "Be brief.")
    remove()
    assert prompt.names == ("base", "more")


@pytest.mark.requirement("HOST-2")
def test_a_name_that_is_taken_and_a_text_that_is_blank_are_refused() -> None:
    """Nothing is added then."""
    prompt = PromptAssembly()
    prompt.add("base", "Be short.")
    with pytest.raises(ValueError, match="'base' already"):
        prompt.add("base", "Be kind.")
    with pytest.raises(ValueError, match="'more' of the prompt is blank"):
        prompt.add("more", " \n")
    assert prompt.text() == "Be short."
