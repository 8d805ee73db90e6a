"""The project's tasks: `nox` runs the checks that must pass, `nox -l` lists all of them."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from pathlib import Path

import nox

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "uv"
nox.options.sessions = ["lint", "types", "tests", "docs"]
nox.options.error_on_external_run = True

PACKAGES = [
    *sorted(path.parent for path in Path("packages").glob("*/pyproject.toml")),
    Path("specs"),
]
MARKDOWN = ["README.md", "CONTRIBUTING.md", "docs", *(str(path / "README.md") for path in PACKAGES)]
# Exact versions too; node is the one that acpx asks for, where the machine has an older one.
ACP_SDK = ["@agentclientprotocol/sdk@1.4.0", "zod@4.6.2"]
ACPX = ["acpx@0.19.1", "node@22.23.3"]


def sync(session: nox.Session, *groups: str) -> None:
    """Give the session the named dependency groups, in the versions that pyproject.toml pins."""
    environment = session.virtualenv.location
    session.run_install(
        "uv",
        "sync",
        "--quiet",
        f"--python={environment}",
        *(f"--only-group={group}" for group in groups),
        env={"UV_PROJECT_ENVIRONMENT": environment},
    )


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and formatting; `nox -s lint -- --fix` mends what can be mended."""
    sync(session, "lint")
    fix = "--fix" in session.posargs
    session.run("ruff", "check", *(["--fix"] if fix else []))
    session.run("ruff", "format", *([] if fix else ["--check"]))


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of the packages, their tests and the project's own scripts."""
    sync(session, "types", "benchmarks")
    session.run("mypy", *(str(path / "src") for path in PACKAGES))
    for path in PACKAGES:
        # Each package is a root of its own: two packages may have tests of the same name.
        if any(path.glob("tests/**/*.py")):
            session.run("mypy", str(path / "tests"), env={"MYPYPATH": str(path)})
    session.run("mypy", "noxfile.py", "conftest.py", "tests")
    if any(Path("benchmarks").glob("**/*.py")):
        session.run("mypy", "benchmarks")
    if any(Path("fixtures").glob("**/*.py")):
        session.run("mypy", "fixtures", env={"MYPYPATH": "fixtures"})


@nox.session
def tests(session: nox.Session) -> None:
    """Run every test; arguments after `--` go to pytest."""
    sync(session, "test")
    # Most of the time goes into properties, which keep every core busy.
    session.run("pytest", "--numprocesses=auto", "--dist=worksteal", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Run the examples in the documents and check their links and requirements."""
    sync(session, "test")
    checks = ["tests/test_links.py", "tests/test_requirements.py"]
    session.run("pytest", "--doctest-glob=*.md", *MARKDOWN, *checks, *session.posargs)


@nox.session
def benchmarks(session: nox.Session) -> None:
    """Measure speed and size; arguments after `--` go to the benchmarks."""
    sync(session, "benchmarks")
    session.run("python", "-m", "benchmarks", *session.posargs)


@nox.session(name="npm-client")
def npm_client(session: nox.Session) -> None:
    """Let clients from npm talk with the reference host; needs Node, `-- acpx` brings its own."""
    sync(session, "packages")
    folder = Path(session.create_tmp()).absolute()
    host = Path(session.bin, "reference-host").absolute()
    packages = ACPX if "acpx" in session.posargs else ACP_SDK
    npm = ("npm", "install", f"--prefix={folder}", "--no-audit", "--no-fund", "--no-save")
    session.run_install(*npm, *packages, external=True)
    if packages is ACP_SDK:
        conversation = Path("packages/reference-host/tests/npm/conversation.mjs")
        # a module finds its imports beside itself
        script = shutil.copy(conversation, folder)
        session.run("node", str(script), "fixtures/sessions", str(host), external=True)
        return
    replies = [[{"type": "text-delta", "text": "Well."}]]
    (folder / "script.json").write_text(json.dumps({"replies": replies}), "utf-8")
    agent = f"{host} acp --composition acp --state {folder}/state --replay {folder}/script.json"
    acpx = (f"{folder}/node_modules/.bin/node", f"{folder}/node_modules/.bin/acpx")
    # its own settings would be in the home of the user
    said = session.run(
        *acpx,
        f"--cwd={folder}",
        "--deny-all",
        "--format=quiet",
        f"--agent={agent}",
        "exec",
        "What do you say?",
        env={"HOME": str(folder)},
        external=True,
        silent=True,
    )
    if str(said).strip() != "Well.":
        session.error(f"acpx understood another answer: {said!r}")


@nox.session(venv_backend="none")
def pins(session: nox.Session) -> None:
    """Resolve every dependency anew and write the exact versions into pyproject.toml."""
    project = Path("pyproject.toml")
    pinned = re.compile(r"(?<=^constraint-dependencies = \[\n).*?(?=^\])", re.MULTILINE | re.DOTALL)
    project.write_text(pinned.sub("", project.read_text("utf-8")), "utf-8")
    session.run(sys.executable, "-m", "uv", "lock", "--upgrade", external=True)
    locked = tomllib.loads(Path("uv.lock").read_text("utf-8"))["package"]
    lines = [
        f'    "{package["name"]}=={package["version"]}",\n'
        for package in locked
        if "registry" in package["source"]
    ]
    project.write_text(pinned.sub("".join(lines), project.read_text("utf-8")), "utf-8")
    session.run(sys.executable, "-m", "uv", "lock", external=True)
