"""The guide to CI: its files are what the services read, and its nox session judges a provider."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from .documents import blocks, commands, missing, run

GUIDE = "run-in-ci.md"
FILES = {file: content for file, content in blocks(GUIDE) if file}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of a project whose provider is that of the other guide."""
    *_, whole = (content for file, content in blocks("write-a-provider.md") if file == "scan.py")
    named = whole.replace("Scan(Prov", "MyProvider(Prov").replace('"scan"', '"MyProvider"')
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "__init__.py").touch()
    (tmp_path / "my_package" / "conformance.py").write_text(named, "utf-8")
    (tmp_path / "known-failures.txt").touch()
    return tmp_path


def test_the_workflows_run_the_nox_session() -> None:
    """Both services run the session and keep what it writes, also when it failed."""
    github = yaml.safe_load(FILES[".github/workflows/conformance.yml"])
    steps = github["jobs"]["conformance"]["steps"]
    assert any(step.get("run", "").startswith("nox -s conformance") for step in steps)
    assert steps[-1]["if"] == "always()"
    gitlab = yaml.safe_load(FILES[".gitlab-ci.yml"])["conformance"]
    assert gitlab["script"][-1] == "nox -s conformance"
    assert gitlab["artifacts"]["when"] == "always"
    assert gitlab["artifacts"]["reports"]["junit"] in FILES["noxfile.py"]


class Session:
    """What the session of the guide uses of nox, without an environment of its own."""

    def __init__(self, folder: Path, *posargs: str) -> None:
        self.posargs = posargs
        self.installed: tuple[str, ...] = ()
        self.printed = ""
        self._folder = folder

    def install(self, *what: str) -> None:
        self.installed = what

    def run(self, *command: str) -> None:
        self.printed = run(" ".join(command), self._folder)


@pytest.mark.requirement("CONF-16")
def test_the_nox_session_judges_a_provider(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its body installs project and suite, runs the command, and leaves all three reports."""
    nox: Any = ModuleType("nox")
    nox.session, nox.Session = lambda function: function, Session
    monkeypatch.setitem(sys.modules, "nox", nox)
    names: dict[str, Any] = {}
    exec(compile(FILES["noxfile.py"], "noxfile.py", "exec"), names)  # noqa: S102 - it's our own
    session = Session(project, "--profile=smoke")
    names["conformance"](session)
    assert session.installed == (".", "session-query-specs")
    assert "MyProvider passed: 4 passed" in session.printed
    assert {path.suffix for path in project.glob("conformance.*")} == {".json", ".xml", ".html"}


@pytest.mark.requirement("CONF-1", "CONF-16")
def test_each_command_prints_what_is_shown(project: Path) -> None:
    """Each command of the guide prints the lines below it, numbers aside."""
    for file, content in blocks(GUIDE):
        if not file:
            for command, shown in commands(content):
                printed = run(command, project)
                assert not missing(shown, printed), f"{command} printed\n{printed}"
