"""What a package exports is what it says it exports."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType


def public_packages(packages: list[Path]) -> list[str]:
    """Every importable package of the workspace that has no underscored part in its name."""
    names = [
        path.parent.relative_to(package / "src").parts
        for package in packages
        for path in sorted(package.glob("src/**/__init__.py"))
    ]
    return [".".join(parts) for parts in names if not any(part[0] == "_" for part in parts)]


def test_all_names_what_is_importable(packages: list[Path]) -> None:
    """`__all__` of each package equals the public names that can be imported from it."""
    wrong = {}
    for name in public_packages(packages):
        module = importlib.import_module(name)
        importable = {
            key
            for key, value in vars(module).items()
            if key[0] != "_" and not isinstance(value, ModuleType)
        } - {"annotations", "TYPE_CHECKING"}
        # what is loaded only when it is asked for
        importable |= {key for key in getattr(module, "__all__", []) if hasattr(module, key)}
        if difference := importable ^ set(getattr(module, "__all__", [])):
            wrong[name] = sorted(difference)
    assert not wrong, f"either in __all__ or importable, but not both: {wrong}"
