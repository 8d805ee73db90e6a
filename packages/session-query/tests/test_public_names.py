"""The top of the package promises what its parts promise."""

from __future__ import annotations

import importlib
import pkgutil

import session_query


def test_every_public_name_can_be_imported_from_the_top() -> None:
    """`session_query` exports the names of all its public parts, each the same object."""
    missing = []
    for part in pkgutil.iter_modules(session_query.__path__):
        if part.name.startswith("_"):
            continue
        module = importlib.import_module(f"session_query.{part.name}")
        missing += [
            f"{part.name}.{name}"
            for name in module.__all__
            if getattr(session_query, name, None) is not getattr(module, name)
        ]
    assert not missing
