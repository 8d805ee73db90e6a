"""Reading a composition (HOST-1)."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from reference_host.composition._composition import Composition, ReplaySettings
from reference_host.composition._problems import problem_of
from reference_host.errors import CompositionError

__all__ = ["SHIPPED", "load_composition", "parse_composition"]

_FOLDER: Final = files("reference_host.composition") / "shipped"

SHIPPED: Final = tuple(
    sorted(entry.name.removesuffix(".toml") for entry in _FOLDER.iterdir() if entry.is_file())
)
"""The names of the compositions that come with the package."""


def load_composition(name: str) -> Composition:
    """Read a composition by its shipped name or the path of its file.

    Raises:
        CompositionError: `COMPOSITION_NOT_FOUND` or `COMPOSITION_INVALID`, naming each wrong or
            unknown key.
    """
    if name in SHIPPED:
        return parse_composition((_FOLDER / f"{name}.toml").read_text("utf-8"), name)
    path = Path(name)
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        problem = (
            f"no composition {name!r}: {error.strerror or error}. Give the path of a TOML file, or"
            f" one of {', '.join(SHIPPED)}"
        )
        raise CompositionError(problem, "COMPOSITION_NOT_FOUND") from error
    except ValueError as error:
        raise CompositionError(f"{name}: {error}", "COMPOSITION_INVALID") from error
    composition = parse_composition(text, name)
    model = composition.model
    if isinstance(model, ReplaySettings):
        found = model.model_copy(update={"script": path.parent / model.script})
        return composition.model_copy(update={"model": found})
    return composition


def parse_composition(text: str, name: str = "composition") -> Composition:
    """Check a composition given as TOML; `name` is what it's called in errors.

    Raises:
        CompositionError: `COMPOSITION_INVALID`, naming each wrong or unknown key.
    """
    try:
        composition = Composition.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise CompositionError(f"{name}: {error}", "COMPOSITION_INVALID") from error
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        problems = "; ".join(problem_of(one, Composition) for one in found)
        raise CompositionError(f"{name}: {problems}", "COMPOSITION_INVALID") from error
    missing = _missing(composition)
    if missing is not None:
        raise CompositionError(f"{name}: {missing}", "COMPOSITION_INVALID")
    return composition


def _missing(composition: Composition) -> str | None:
    """Return what a composition needs besides what it names, or None."""
    tools, spill = composition.tools, composition.policies.spill
    if tools.session_query is not None and composition.index is None:
        return "tools.session_query needs an index; add [index]"
    if spill is not None and spill.max_inline_bytes is not None and tools.read is None:
        return "policies.spill needs the tool that reads on in spilled results; add [tools.read]"
    return None
