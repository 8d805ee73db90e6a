"""Help, completion and documents know every command and every option (CLI-6)."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest
from session_query_sqlite.cli._help import COMMON, Option
from session_query_sqlite.cli._main import cli

from .shells import COMMAND, Shell

DOCUMENT = "docs/command-line.md"


def commands() -> list[click.Command]:
    """Return all commands, sorted by name."""
    return [command for _, command in sorted(cli.commands.items())]


def table(command: click.Command, *, common: bool) -> str:
    """Return the options of a command, as they must stand in the document."""
    context = click.Context(command, info_name=command.name, **command.context_settings)
    rows = ["| option | what it does |", "|---|---|"]
    for parameter in command.get_params(context):
        if not isinstance(parameter, click.Option):
            continue
        is_common = not isinstance(parameter, Option) or parameter.section == COMMON
        record = parameter.get_help_record(context)
        if record is not None and is_common == common:
            names, told = (re.sub(r"\s+", " ", part).replace("|", "\\|") for part in record)
            rows.append(f"| `{names}` | {told} |")
    return "\n".join(rows)


@pytest.fixture(scope="session")
def document(pytestconfig: pytest.Config) -> str:
    """The document about the command."""
    return (pytestconfig.rootpath / DOCUMENT).read_text("utf-8")


@pytest.mark.requirement("CLI-6")
@pytest.mark.parametrize("command", [cli, *commands()], ids=lambda command: command.name)
def test_every_command_and_option_has_help(command: click.Command) -> None:
    """Each command says what it is for and gives examples; each option says what it does."""
    context = click.Context(command, info_name=command.name, **command.context_settings)
    page = command.get_help(context)
    assert command.help
    assert "Examples:" in page
    assert command is cli or command.short_help
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if isinstance(parameter, click.Option):
            assert record is not None
            assert record[1].strip().endswith((".", "]"))


@pytest.mark.requirement("CLI-6")
@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_every_example_is_a_command_line(command: click.Command) -> None:
    """Each example on a help page parses, as far as it is about this command."""
    for purpose, line in command.examples:  # type: ignore[attr-defined]  # of our own class
        assert purpose
        words = re.split(r"[|>)]", line.removeprefix('eval "$('))[0]
        name, own, *arguments = shlex.split(words)
        assert (name, own) == ("session-query", command.name)
        command.make_context(own, arguments, resilient_parsing=False)


@pytest.mark.requirement("CLI-6")
@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_every_command_is_documented_with_its_options(
    command: click.Command, document: str
) -> None:
    """The document has a section for each command, with a table of exactly its options."""
    section = document.partition(f"\n## `session-query {command.name}")[2].partition("\n## ")[0]
    assert section
    expected = table(command, common=False)
    if expected.count("\n") > 1:
        assert expected in section, f"put this into {DOCUMENT}:\n{expected}"
    options = section.partition("| option |")[2].partition("\n\n")[0]
    assert options.count("\n| `") == expected.count("\n| `")


@pytest.mark.requirement("CLI-6")
def test_the_common_options_are_documented(document: str) -> None:
    """The options that every command takes stand in one table, and every command does take them."""
    expected = table(cli, common=True)
    assert expected in document, f"put this into {DOCUMENT}:\n{expected}"
    shared = {option.name for option in cli.params if isinstance(option, Option)}
    for command in commands():
        assert shared <= {option.name for option in command.params}


@pytest.mark.requirement("CLI-6")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("sea", {"search"}),
        ("search --mat", {"--match"}),
        ("search --match ", {"auto", "phrase", "all", "any"}),
        ("show a", {"abc", "abd"}),
        ("list --parent abd", {"abd"}),
        ("events x", set()),
        ("completion ", {"bash", "zsh", "fish"}),
    ],
)
@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_completion_offers_what_fits(
    shell: Shell, typed: str, offered: set[str], shell_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands, options, their values and ids of sessions are completed in each shell."""
    for name in ("abc", "abd", "a\x1b"):
        shell.say(name, "x")
    line = shlex.join(["session-query", *shell.options]) + f" {typed}"
    words = shlex.split(line)
    incomplete = "" if typed.endswith(" ") else words[-1]
    monkeypatch.setenv("_SESSION_QUERY_COMPLETE", f"{shell_name}_complete")
    if shell_name == "fish":
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", incomplete)
    else:
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - (not typed.endswith(" "))))
    outcome = shell.run()
    assert outcome.code == 0
    assert offered <= set(re.split(r"[,\n\t]", outcome.out))
    assert bool(offered) == bool(outcome.out.strip())


@pytest.mark.requirement("CLI-6")
def test_completion_of_an_unreadable_store_offers_nothing(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that isn't there is no error while somebody types."""
    monkeypatch.setenv("_SESSION_QUERY_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "session-query --root /nowhere show a")
    monkeypatch.setenv("COMP_CWORD", "4")
    assert shell.run() == (0, "\n", "")


@pytest.mark.requirement("CLI-6")
@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_a_shell_takes_the_completion_script(shell: Shell, tmp_path: Path, name: str) -> None:
    """The script for each shell parses there, and asks the command by its variable."""
    outcome = shell.run("completion", name)
    assert outcome.code == 0
    assert "_SESSION_QUERY_COMPLETE" in outcome.out
    if shutil.which(name) is None:
        pytest.skip(f"no {name} on this machine")
    script = tmp_path / "script"
    script.write_text(outcome.out)
    subprocess.run([name, "-n", str(script)], check=True)


@pytest.mark.requirement("CLI-6")
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_with_the_script(shell: Shell, tmp_path: Path) -> None:
    """In a bash that has run the script, the beginning of an id is completed."""
    shell.say("only-one", "x")
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "session-query").write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n')
    (bin_ / "session-query").chmod(0o700)
    script = tmp_path / "script"
    script.write_text(shell.run("completion", "bash").out)
    line = f"session-query --root {shell.root} show on"
    asked = f"""
        PATH={bin_}:$PATH
        source {script}
        COMP_WORDS=({line}); COMP_CWORD=4
        _session_query_completion session-query on show
        echo "${{COMPREPLY[@]}}"
    """
    finished = subprocess.run(["bash", "-c", asked], check=True, capture_output=True, text=True)
    assert finished.stdout == "only-one\n"
