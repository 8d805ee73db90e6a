"""Each package is complete, and all of them are released together."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distributions
from pathlib import Path
from typing import Any


def project(path: Path) -> dict[str, Any]:
    """The parsed pyproject.toml of a folder."""
    return tomllib.loads((path / "pyproject.toml").read_text("utf-8"))


def test_each_package_is_complete(root: Path, packages: list[Path]) -> None:
    """Each package ships its type marker, a README and the licence of the project."""
    licence = (root / "LICENSE").read_text("utf-8")
    for package in packages:
        module = project(package)["project"]["name"].replace("-", "_")
        assert (package / "src" / module / "py.typed").is_file(), package.name
        assert (package / "README.md").read_text("utf-8").startswith("# "), package.name
        assert (package / "LICENSE").read_text("utf-8") == licence, package.name


def test_versions_agree(packages: list[Path]) -> None:
    """All packages have one version, and depend on each other in exactly that version."""
    projects = [project(package)["project"] for package in packages]
    versions = {metadata["name"]: metadata["version"] for metadata in projects}
    assert len(set(versions.values())) == 1, versions
    for metadata in projects:
        for dependency in metadata["dependencies"]:
            name = re.split(r"[^\w.-]", dependency)[0]
            if name in versions:
                assert dependency == f"{name}=={versions[name]}", metadata["name"]


def test_every_installed_version_is_pinned(root: Path, packages: list[Path]) -> None:
    """The root pins exactly the version of all that the development environment holds."""
    pins = project(root)["tool"]["uv"]["constraint-dependencies"]
    ours = {project(package)["project"]["name"] for package in packages}
    installed = {
        f"{name}=={distribution.version}"
        for distribution in distributions()
        if (name := re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower()) not in ours
    }
    assert not installed - set(pins), "run `nox -s pins`, then `uv sync`"


def test_the_changelog_has_room_for_the_next_change(root: Path) -> None:
    """The changelog opens with the section that the next change writes in."""
    headings = re.findall(r"^## (.+)$", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings
    assert headings[0] == "[Unreleased]"


def test_the_readme_tells_the_test_command(root: Path) -> None:
    """The README marks one block as the test command, which `.ci/run` runs as it stands."""
    blocks = re.findall(
        r"^<!-- test-command -->\n+```\w*\n(.+?)^```$",
        (root / "README.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert len(blocks) == 1
