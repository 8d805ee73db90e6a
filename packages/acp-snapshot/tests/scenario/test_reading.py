"""What a scenario may say, and how it's told that it says something else."""

from __future__ import annotations

from pathlib import Path

import pytest
from acp_snapshot import Scenario, ScenarioFileError, load_scenarios

from ..tiny import FIRST_TURN, write_scenario


@pytest.mark.requirement("SNAP-2")
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("pins_header", "pin_header", "unknown key: pin_header"),
        ("stop_reason", "stop", "unknown key: process.0.step.2.stop"),
        ("[[process]]", "[[process]]\nscripts = 'x'", "unknown key: process.0.scripts"),
        ("pins_header = true", "pins_header = 1", "pins_header: Input should be a valid boolean"),
        ('do = "initialize"', 'do = "hello"', "process.0.step.0: unknown step 'hello'; known"),
        ('do = "initialize"', 'text = "hello"', "process.0.step.0: `do` says nothing; known"),
        ('about = "One turn."', "", "about: Field required"),
        ("[[process]]", "[[process]]\nscript = 'no.json'", "process.0.script: no file 'no.json'"),
        ("[[process]]", "[[process]]\nscript = '../x'", "process.0.script: no file '../x'"),
        ("[[process]]", "[[process]]\nend = 'kill'", "process.0.step: close_stdin is the last"),
        ('{ do = "initialize" },', '{ do = "close_stdin" },', "process.0.step: close_stdin is"),
        (
            '{ do = "initialize" },',
            "{ do = 'request', method = 'x', params = { at = 2026-01-01 } },",
            "process.0.step.0.params: Value error, Object of type date is not JSON",
        ),
        (
            '{ do = "initialize" },',
            "{ do = 'request', method = 'x', params = { at = [{ x = 07:30:00 }] } },",
            "process.0.step.0.params: Value error, Object of type time is not JSON",
        ),
        (
            '{ do = "initialize" },',
            "{ do = 'request', method = 'x', params = { at = inf } },",
            "process.0.step.0.params: Value error, Out of range float",
        ),
        ("about =", "about ==", "is no TOML"),
    ],
)
def test_what_no_scenario_says(tmp_path: Path, old: str, new: str, told: str) -> None:
    """An unknown key or a wrong value is refused, with the file and the key."""
    assert old in FIRST_TURN
    folder = write_scenario(tmp_path / "first-turn", FIRST_TURN.replace(old, new))
    with pytest.raises(ScenarioFileError) as found:
        Scenario.load(folder)
    assert found.value.path == folder / "scenario.toml"
    assert str(folder / "scenario.toml") in str(found.value)
    [problem] = found.value.problems
    assert problem.startswith(told)


@pytest.mark.requirement("SNAP-2")
def test_a_folder_that_is_no_scenario(tmp_path: Path) -> None:
    """A folder without its file, a name that is no slug, and an empty folder are refused."""
    with pytest.raises(ScenarioFileError, match="holds no scenario"):
        load_scenarios(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ScenarioFileError, match=r"empty/scenario\.toml:\n.*can't be read"):
        load_scenarios(tmp_path)
    with pytest.raises(ScenarioFileError, match="no slug"):
        Scenario.load(write_scenario(tmp_path / "First turn"))


@pytest.mark.requirement("SNAP-2", "SNAP-5")
def test_pins_come_first(tmp_path: Path) -> None:
    """Scenarios are sorted by name, but those that pin headers come before the others."""
    other = FIRST_TURN.replace("pins_header = true", "")
    write_scenario(tmp_path / "a", other)
    write_scenario(tmp_path / "b", other)
    write_scenario(tmp_path / "c")
    assert [one.name for one in load_scenarios(tmp_path)] == ["c", "a", "b"]
