"""What is printed where: styles, widths, hostile text, encodings (CLI-3)."""

from __future__ import annotations

import re

import pytest
from session_query import SessionEvent

from ..corpora import CREATED, log, message
from .shells import Shell

HOSTILE = (
    "needle \x1b[2J\x1b]0;owned\x07 \u202egnp.exe\u2066 [bold]markup[/bold] :smile: \x9b31m"
    " nul\x00 tag\U000e0041 tab\there \u2028 crlf\r\nback\x08 half"
)
ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07)")
ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
COMMANDS = [
    ["list"],
    ["search", "needle"],
    ["search", "needle", "--in", "hostile"],
    ["events", "hostile"],
    ["show", "hostile"],
    ["show", "hostile", "1", "-B", "1", "-A", "9"],
    ["trace", "hostile"],
    ["trace", "hostile", "0"],
    ["index"],
    ["doctor"],
]


@pytest.fixture
def hostile(shell: Shell) -> Shell:
    """A store whose titles, texts, types, cwds and ids are all hostile."""
    title = {"title": f"title {HOSTILE}\ud83d", "messageSeqs": [], "source": {"kind": "user"}}
    call = {"name": HOSTILE, "arguments": '{"a\u202e": "\\u001b[31m"}', "callId": "c"}
    events = [
        *log(f"{HOSTILE}\udc00"),
        SessionEvent("session/title", 1, CREATED, title),
        SessionEvent(f"x/{HOSTILE}", 2, CREATED, {"k": HOSTILE}),
        SessionEvent("tool/call", 3, 2**53 - 1, call),
    ]
    shell.write("hostile", events, cwd=f"/{HOSTILE}", created_at=2**53 - 1, parent_session=HOSTILE)
    shell.say(f"evil{HOSTILE}", "x", parent_session="hostile")
    return shell


@pytest.mark.requirement("CLI-3")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("json", [False, True])
def test_nothing_of_a_session_acts_in_a_pipe(
    hostile: Shell, arguments: list[str], json: bool
) -> None:
    """Whatever sessions hold, no command prints a control, bidi mark or half character."""
    outcome = hostile.run(*arguments, *(["--json"] if json else []), "-v")
    assert outcome.code == 0
    for printed in (outcome.out, outcome.err):
        assert not ACTS.search(printed)
    if json:
        assert outcome.values


@pytest.mark.requirement("CLI-3")
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_encoding_makes_a_command_fail(
    hostile: Shell, encoding: str, arguments: list[str]
) -> None:
    """Where the encoding of the output lacks characters, they are written in ASCII."""
    hostile.say("umlaut", "needle Zürich 权限 🚀", created_at=1)
    outcome = hostile.run(*arguments, encoding=encoding)
    assert (outcome.code, outcome.err) == (0, "")
    assert hostile.run(*arguments, "--json", encoding=encoding).values


@pytest.mark.requirement("CLI-3")
def test_nothing_of_a_session_acts_on_a_terminal(hostile: Shell) -> None:
    """On a terminal the only escape sequences are styles of the command's own, and its bar."""
    hostile.run("index")
    for arguments in (["list"], ["search", "needle"], ["show", "hostile"]):
        shown = hostile.terminal(*arguments).out
        own = {match.group() for match in ESCAPE.finditer(shown)}
        assert own
        assert all(sequence.endswith("m") for sequence in own)
        assert not ACTS.search(ESCAPE.sub("", shown))
        assert "␛[2J" in shown
        assert "\\u202e" in shown
        assert "[bold]markup[/bold] :smile:" in shown


@pytest.mark.requirement("CLI-3")
@pytest.mark.parametrize("locale", ["C", "en_US.ISO-8859-1"])
def test_no_locale_makes_the_process_fail(hostile: Shell, locale: str) -> None:
    """Whatever the locale of the process, it prints what it found."""
    environment = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    process = hostile.spawn("list", environment=environment)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert out.isascii()
    assert b"hostile" in out


@pytest.mark.requirement("CLI-3")
@pytest.mark.parametrize(
    ("environment", "options"),
    [({"NO_COLOR": "1"}, []), ({}, ["--no-color"]), ({"TERM": "dumb"}, [])],
)
def test_colours_can_be_declined(
    shell: Shell, environment: dict[str, str], options: list[str]
) -> None:
    """NO_COLOR, --no-color and a dumb terminal get text without any escape sequence."""
    shell.say("s", "needle")
    shown = shell.terminal("search", "needle", *options, environment=environment)
    assert shown.code == 0
    assert "needle" in shown.out
    assert "\x1b" not in shown.out


@pytest.mark.requirement("CLI-3")
def test_colours_cannot_be_forced_into_a_pipe(shell: Shell) -> None:
    """Variables that force colours have no effect on a pipe."""
    shell.say("s", "needle")
    environment = {"FORCE_COLOR": "1", "TTY_COMPATIBLE": "1", "CLICOLOR_FORCE": "1"}
    assert "\x1b" not in shell.process("list", environment=environment).out


@pytest.mark.requirement("CLI-3")
def test_a_terminal_gets_lines_of_its_width_and_a_pipe_gets_whole_ones(shell: Shell) -> None:
    """On a terminal no line is wider than it; in a pipe nothing is cut or wrapped."""
    text = "需要 words " * 60
    shell.write("s", [*log(text), SessionEvent("a/very/long/type" * 9, 1, CREATED, {"k": text})])
    for arguments in (["events", "s"], ["show", "s", "0", "-A", "1"]):
        shown = ESCAPE.sub("", shell.terminal(*arguments, columns=60).out)
        assert max(len(line) + len(re.findall("[需要]", line)) for line in shown.split("\n")) <= 60
        assert text.strip() in shell.run(*arguments).out


@pytest.mark.requirement("CLI-3")
def test_long_texts_beside_the_target_are_cut_on_a_terminal_unless_wanted(shell: Shell) -> None:
    """A terminal shows the event that was asked for whole, and the beginning of its neighbours."""
    texts = ["\n".join(f"{name}{line}" for line in range(30)) for name in ("a", "b")]
    shell.say("s", *texts, "wide " * 9999)
    shown = shell.terminal("show", "s", "1", "-B", "1", "-A", "1").out
    assert "a11" in shown
    assert "a12" not in shown
    assert "b29" in shown
    assert shown.count("cut here") == 2
    assert shown.count("wide") < 300
    assert "a29" in shell.terminal("show", "s", "1", "-B", "1", "--full").out
    assert "a29" in shell.run("show", "s", "1", "-B", "1").out


@pytest.mark.requirement("CLI-3")
@pytest.mark.usefixtures("berlin")
def test_both_clocks_are_shown(shell: Shell) -> None:
    """A pipe gets ISO 8601 for both clocks, a terminal the local time with its offset, and UTC."""
    shell.write("s", [SessionEvent("user/message", 0, 1_772_318_107_123, message("x"), "append")])
    assert shell.run("events", "s").rows[0][1:3] == [
        "2026-02-28T23:35:07.123+01:00", "2026-02-28T22:35:07.123Z",
    ]  # fmt: skip
    shown = shell.terminal("show", "s", environment={"NO_COLOR": "1", "TZ": "Europe/Berlin"}).out
    assert "2026-02-28 23:35:07 +01:00 (22:35:07Z)" in shown


@pytest.mark.requirement("CLI-3")
def test_json_of_any_depth_and_size_is_printed(shell: Shell) -> None:
    """An event that nests 2,000 levels and holds a number of 400 digits comes out as it went in."""
    nested: object = {"n": 10**400}
    for _ in range(2000):
        nested = [nested]
    shell.write("s", [SessionEvent("x/y", 0, 0, {"k": nested})])
    line = shell.run("show", "s", "0", "--json").out
    assert f'{"[" * 2000}{{"n":1{"0" * 400}}}{"]" * 2000}' in line
    assert shell.run("show", "s", "0").code == 0
