"""An author who has only the wheels, an environment of their own, and the guide (CONF-1)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

from .documents import DOCS, blocks, missing, run

UV = shutil.which("uv")
COMMANDS = re.findall(
    r"^(?:python -m uv build|pip install --find-links) .+$",
    (DOCS / "write-a-provider.md").read_text("utf-8"),
    re.MULTILINE,
)
"""How the guide builds and installs."""


def uv(*arguments: str, cwd: Path, offline: bool = True) -> subprocess.CompletedProcess[str]:
    """Run uv."""
    assert UV is not None
    without = {"VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "PYTHONPATH"}
    return subprocess.run(
        [UV, *arguments, *(["--offline"] if offline else [])],
        cwd=cwd,
        env={name: value for name, value in os.environ.items() if name not in without},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def install(environment: Path, names: list[str], folder: Path) -> None:
    """Install from a folder of wheels; the rest from the cache of uv, else from the index."""
    pins = folder / "pins.txt"
    found = {one.metadata["Name"]: one.version for one in distributions()}
    lines = (
        f"{name}=={version}\n"
        for name, version in found.items()
        if not re.match("(tool-)?session[-_]query|acp-snapshot|reference-host", name)
    )
    pins.write_text("".join(lines), "utf-8")
    found_in = [f"--find-links={folder}", "--prerelease=allow"]
    given = [f"--python={environment}", f"--constraints={pins}", *found_in, *names]
    done = uv("pip", "install", *given, cwd=folder)
    if done.returncode != 0:
        done = uv("pip", "install", *given, cwd=folder, offline=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(UV is None, reason="there is no uv to build wheels with")
@pytest.mark.requirement("CONF-1")
def test_the_guide_works_outside_of_the_workspace(tmp_path: Path) -> None:
    """With wheels built and installed as it says, the provider of the guide passes in one go."""
    building, installing = COMMANDS
    built = uv(*building.split()[3:], f"--out-dir={tmp_path}", cwd=DOCS.parent)
    assert built.returncode == 0, built.stderr
    environment, project = tmp_path / "environment", tmp_path / "project"
    made = uv("venv", f"--python={sys.executable}", str(environment), cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    install(environment, installing.split("dist ")[1].split(), tmp_path)
    project.mkdir()
    *_, whole = (content for file, content in blocks("write-a-provider.md") if file == "scan.py")
    (project / "scan.py").write_text(whole, "utf-8")
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    printed = run("session-query-conformance scan:Scan --html page.html", project, programs)
    shown = ["scan passed: 82 passed, 12 not claimed, 34 not testable"]
    assert not missing(shown, printed), printed
    assert "<html" in (project / "page.html").read_text("utf-8")
