"""Reads scenarios from their folders."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from acp_snapshot.errors import ScenarioFileError
from acp_snapshot.scenario._model import STEP_NAMES, ProcessSteps, ScenarioFile

__all__ = ["SCENARIO_FILE", "SEED_FOLDER", "WORKSPACE_FOLDER", "Scenario", "load_scenarios"]

SCENARIO_FILE = "scenario.toml"
SEED_FOLDER = "sessions"
"""Logs that are there before the first process: one `*.jsonl` each, header line first."""
WORKSPACE_FOLDER = "workspace"
"""What the workspace holds at first."""

_STEPS = sorted(STEP_NAMES)
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario, by its name, which is that of its folder."""

    name: str
    folder: Path
    file: ScenarioFile

    @property
    def composition(self) -> str:
        """The composition class."""
        return self.file.composition

    @property
    def pins_header(self) -> bool:
        """Whether it is the one that pins the header of its class."""
        return self.file.pins_header

    @property
    def seeds(self) -> list[Path]:
        """Its seed sessions."""
        return sorted((self.folder / SEED_FOLDER).glob("*.jsonl"))

    def script_of(self, process: ProcessSteps) -> Path:
        """Return the model script of a process."""
        return self.folder / process.script

    @classmethod
    def load(cls, folder: Path) -> Scenario:
        """Read a scenario.

        Raises:
            ScenarioFileError: it is missing, or says what no scenario says.
        """
        path = folder / SCENARIO_FILE
        try:
            with path.open("rb") as stream:
                content = tomllib.load(stream)
            file = ScenarioFile.model_validate(content)
        except OSError as error:
            raise ScenarioFileError(path, [f"can't be read: {error.strerror}"]) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ScenarioFileError(path, [f"is no TOML: {error}"]) from error
        except ValidationError as error:
            raise ScenarioFileError(path, _told(error)) from error
        scenario = cls(folder.name, folder, file)
        if problems := _missing(scenario):
            raise ScenarioFileError(path, problems)
        return scenario


def load_scenarios(folder: Path) -> list[Scenario]:
    """Read all scenarios of a folder: those that pin headers first, then by name.

    Raises:
        ScenarioFileError: one can't be read, or there is none.
    """
    folders = [
        one for one in folder.iterdir() if one.is_dir() and not one.name.startswith((".", "_"))
    ]
    if not folders:
        raise ScenarioFileError(folder, ["holds no scenario"])
    scenarios = [Scenario.load(one) for one in folders]
    return sorted(scenarios, key=lambda one: (not one.pins_header, one.composition, one.name))


def _told(error: ValidationError) -> list[str]:
    """Return each problem with its key, and without the names of unions that pydantic adds."""
    problems = []
    all_found = error.errors(include_url=False)
    for found in all_found:
        if found["type"] == "too_short" and any(_lies_in(found, one) for one in all_found):
            continue  # it is short of what is wrong itself
        place = [part for part in found["loc"] if part not in STEP_NAMES]
        key = ".".join(map(str, place)) or "the file"
        problems.append(_problem(key, found))
    return problems


def _lies_in(outer: ErrorDetails, inner: ErrorDetails) -> bool:
    depth = len(outer["loc"])
    return len(inner["loc"]) > depth and inner["loc"][:depth] == outer["loc"]


def _problem(key: str, found: ErrorDetails) -> str:
    match found["type"]:
        case "extra_forbidden":
            return f"unknown key: {key}"
        case "union_tag_invalid":
            return f"{key}: unknown step {found['ctx']['tag']!r}; known: {', '.join(_STEPS)}"
        case "union_tag_not_found":
            return f"{key}: `do` says nothing; known: {', '.join(_STEPS)}"
        case _:
            return f"{key}: {found['msg']}"


def _missing(scenario: Scenario) -> list[str]:
    problems = []
    if not _NAME.fullmatch(scenario.name):
        problems.append(f"the folder's name is no slug like `first-turn`: {scenario.name!r}")
    for index, process in enumerate(scenario.file.process):
        script = scenario.script_of(process)
        if Path(process.script).name != process.script or not script.is_file():
            problems.append(f"process.{index}.script: no file {process.script!r} beside it")
        ends = [step.do == "close_stdin" for step in process.step]
        if any(ends[:-1]) or (ends[-1] and process.end == "kill"):
            problems.append(f"process.{index}.step: close_stdin is the last step, and ends by eof")
    return problems
