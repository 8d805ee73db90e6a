"""Plays one scenario of a suite and compares it with its snapshots."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from acp_snapshot.errors import AcpSnapshotError
from acp_snapshot.guards import real_path_problems, unused_files
from acp_snapshot.launcher import Environment, LaunchTemplate, Limits
from acp_snapshot.normalizing import Rules
from acp_snapshot.pins import header_files
from acp_snapshot.scenario import OpenStore, Scenario, ScenarioRun, open_jsonl_store, play
from acp_snapshot.suite._difference import difference
from acp_snapshot.suite._files import SnapshotFiles
from acp_snapshot.suite._run_folder import run_folder
from acp_snapshot.surfaces import Surfaces, surfaces_of

__all__ = ["Examine", "Suite", "is_updating", "refuse_update_in_ci"]

Examine = Callable[[ScenarioRun], None]
"""What a host checks of a run beyond its snapshots; it raises what is wrong."""

_STDERR_SHOWN = 4_000


def is_updating(config: pytest.Config) -> bool:
    """Tell whether this run of pytest writes snapshots."""
    options = config.option
    return bool(options.update_snapshots or options.update_new_snapshots_only)


def refuse_update_in_ci(config: pytest.Config) -> None:
    """Fail where CI would write snapshots: there they would only ever agree with themselves."""
    if is_updating(config) and os.environ.get("CI"):
        _fail(["snapshots are not updated in CI: update them where someone reads the difference"])


def _fail(lines: Sequence[str]) -> None:
    pytest.fail("\n".join(lines), pytrace=False)


@dataclass(frozen=True, slots=True)
class Suite:
    """All that the tests of one suite share; see `define_acp_snapshot_suite`."""

    launch: LaunchTemplate
    scenarios: Sequence[Scenario]
    snapshots: Path
    environment: Environment = field(default_factory=Environment)
    limits: Limits = field(default_factory=Limits)
    rules: Rules = field(default_factory=Rules)
    open_store: OpenStore = open_jsonl_store
    examine: Mapping[str, Examine] = field(default_factory=dict)
    allowed_paths: Sequence[str] = ()

    def check(
        self, scenario: Scenario, assertion: SnapshotAssertion, kept: Path, config: pytest.Config
    ) -> None:
        """Play a scenario, and fail the test with all that is wrong with it.

        The folder of the run is `kept` afterwards.
        """
        refuse_update_in_ci(config)
        try:
            with run_folder(kept) as root:
                self._check_in(root, scenario, assertion, config)
        except AcpSnapshotError as error:
            _fail([f"{scenario.name}: {error}"])

    def _check_in(
        self, root: Path, scenario: Scenario, assertion: SnapshotAssertion, config: pytest.Config
    ) -> None:
        try:
            run = self._played(scenario, root)
            surfaces = surfaces_of(run, self.rules)
        except AcpSnapshotError as error:
            notes = " ".join(getattr(error, "__notes__", ()))
            _fail([f"{scenario.name}: {error}", *([f"({notes})"] if notes else [])])
            return
        examine = self.examine.get(scenario.name)
        if examine is not None:
            examine(run)
        problems = self._compared(scenario, surfaces, assertion, config)
        if problems:
            stderr = [process.stderr[-_STDERR_SHOWN:] for process in run.processes]
            told = [f"stderr of process {i}:\n{text}" for i, text in enumerate(stderr, 1) if text]
            _fail([f"{scenario.name}:", *problems, *told])

    def _played(self, scenario: Scenario, root: Path) -> ScenarioRun:
        return asyncio.run(
            play(
                scenario,
                self.launch,
                root,
                environment=self.environment,
                limits=self.limits,
                open_store=self.open_store,
            )
        )

    def _compared(
        self,
        scenario: Scenario,
        surfaces: Surfaces,
        assertion: SnapshotAssertion,
        config: pytest.Config,
    ) -> list[str]:
        """Compare, or update, and return what is wrong; nothing wrong is ever written."""
        headers = header_files(scenario, surfaces.headers, self.scenarios, self.snapshots)
        files = {**surfaces.files, **headers.files}
        problems = list(headers.problems)
        for name, text in files.items():
            problems += real_path_problems(f"{scenario.name}/{name}", text, self.allowed_paths)
        if problems and is_updating(config):
            return problems
        for name, text in files.items():
            problems += self._difference(scenario, name, text, assertion)
        for path in unused_files(self.snapshots / scenario.name, list(files)):
            if config.option.update_snapshots and not path.is_dir():
                path.unlink()
            else:
                problems.append(
                    f"unused snapshot: {scenario.name}/{path.name}; --snapshot-update removes it"
                )
        return problems

    def _difference(
        self,
        scenario: Scenario,
        name: str,
        text: str,
        assertion: SnapshotAssertion,
    ) -> list[str]:
        written = text.encode("utf-8", "backslashreplace").decode("utf-8")
        if assertion(name=name) == written:
            return []
        path = self.snapshots / scenario.name / name
        if not path.is_file():
            return [f"missing snapshot: {scenario.name}/{name}; make it with --snapshot-update"]
        lines = difference(path.read_bytes().decode("utf-8", "backslashreplace"), written)
        return [f"{scenario.name}/{name} differs (- snapshot, + received):", *lines]

    def files_class(self) -> type[SnapshotFiles]:
        """Return the extension of syrupy that writes into the suite's folder."""
        return type("SuiteFiles", (SnapshotFiles,), {"folder": self.snapshots})
