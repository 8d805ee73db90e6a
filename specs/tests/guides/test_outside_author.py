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


def install(environment: Path, wheels: list[Path], folder: Path) -> None:
    """Install wheels, from the cache of uv where it has all they need, else from the index."""
    pins = folder / "pins.txt"
    found = {one.metadata["Name"]: one.version for one in distributions()}
    ours = {re.split(r"-\d", wheel.name)[0].replace("_", "-") for wheel in wheels}
    lines = (
        f"{name}=={version}\n"
        for name, version in found.items()
        if not re.match("(tool-)?session[-_]query", name)
    )
    pins.write_text("".join(lines), "utf-8")
    assert ours == {"session-query", "session-query-specs"}
    given = [f"--python={environment}", f"--constraints={pins}", *map(str, wheels)]
    done = uv("pip", "install", *given, cwd=folder)
    if done.returncode != 0:
        done = uv("pip", "install", *given, cwd=folder, offline=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(UV is None, reason="there is no uv to build wheels with")
@pytest.mark.requirement("CONF-1")
def test_the_guide_works_outside_of_the_workspace(tmp_path: Path) -> None:
    """With both wheels in a clean environment, the provider of the guide passes by one command."""
    for package in ("session-query", "session-query-specs"):
        chosen = (f"--package={package}", f"--out-dir={tmp_path}")
        built = uv("build", "--wheel", *chosen, cwd=DOCS.parent)
        assert built.returncode == 0, built.stderr
    environment, project = tmp_path / "environment", tmp_path / "project"
    made = uv("venv", f"--python={sys.executable}", str(environment), cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    install(environment, sorted(tmp_path.glob("*.whl")), tmp_path)
    project.mkdir()
    *_, whole = (content for file, content in blocks("write-a-provider.md") if file == "scan.py")
    (project / "scan.py").write_text(whole, "utf-8")
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    printed = run("session-query-conformance scan:Scan --html page.html", project, programs)
    shown = ["scan passed: 82 passed, 12 not claimed, 34 not testable"]
    assert not missing(shown, printed), printed
    assert "<html" in (project / "page.html").read_text("utf-8")
