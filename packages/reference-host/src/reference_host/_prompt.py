"""The system prompt, assembled of named sections (HOST-2)."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["PromptAssembly"]


class PromptAssembly:
    """Ordered named sections; the prompt is those that are there, with a blank line between."""

    def __init__(self) -> None:
        self._sections: dict[str, str] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the sections, in order."""
        return tuple(self._sections)

    def add(self, name: str, text: str) -> Callable[[], None]:
        """Add a section after those that are there, and return what removes it.

        Removing twice does nothing more, also where another section has got the name by then.

        Raises:
            ValueError: there is a section of that name, or the text is blank.
        """
        if name in self._sections:
            raise ValueError(f"the prompt has a section {name!r} already")
        stripped = text.strip()
        if not stripped:
            raise ValueError(f"section {name!r} of the prompt is blank")
        self._sections[name] = stripped
        added = [name]

        def remove() -> None:
            if added:
                del self._sections[added.pop()]

        return remove

    def text(self) -> str:
        """Return the prompt; the same sections in the same order give the same text."""
        return "\n\n".join(self._sections.values())
