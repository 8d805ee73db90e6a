"""The tests that a host gets (SNAP-8)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from acp_snapshot.errors import ScenarioFileError
from acp_snapshot.guards import (
    header_problems,
    missing_problems,
    orphan_problems,
    path_problems,
    sidecar_problems,
)
from acp_snapshot.launcher import Environment, LaunchTemplate, Limits
from acp_snapshot.normalizing import Rules
from acp_snapshot.pins import pin_problems
from acp_snapshot.scenario import OpenStore, Scenario, load_scenarios, open_jsonl_store
from acp_snapshot.suite._checking import Examine, Suite

__all__ = ["define_acp_snapshot_suite"]


def define_acp_snapshot_suite(  # noqa: PLR0913 - each has its default but the three that name the host's own
    *,
    launch: LaunchTemplate,
    scenarios: str | os.PathLike[str],
    snapshots: str | os.PathLike[str],
    environment: Environment | None = None,
    limits: Limits | None = None,
    rules: Rules | None = None,
    open_store: OpenStore = open_jsonl_store,
    examine: Mapping[str, Examine] | None = None,
    allowed_paths: Sequence[str] = (),
) -> type[Any]:
    """Return a class of tests: one for each scenario, and the guards.

    Bind it to a name that pytest collects, in a module of tests::

        TestAcp = define_acp_snapshot_suite(launch=launch, scenarios=…, snapshots=…)

    Args:
        launch: makes the command of each process.
        scenarios: the folder of the scenarios.
        snapshots: the folder of the snapshots; nothing else may lie there.
        environment: the variables that the agent sees.
        limits: how long things may take.
        rules: what is taken for volatile, beyond paths and the ids of sessions.
        open_store: opens the store of session logs under a state folder.
        examine: what is checked of the run of a scenario beyond its snapshots, by its name.
        allowed_paths: regular expressions for paths that look real, and are part of the content.

    Raises:
        ScenarioFileError: a scenario can't be read.
        ValueError: `examine` names a scenario that isn't there.
    """
    suite = Suite(
        launch,
        _loaded(Path(scenarios)),
        Path(snapshots),
        environment or Environment(),
        limits or Limits(),
        rules or Rules(),
        open_store,
        examine or {},
        allowed_paths,
    )
    names = {one.name for one in suite.scenarios}
    if unknown := sorted(set(suite.examine) - names):
        raise ValueError(f"examine names no scenario: {', '.join(unknown)}")
    return _tests_of(suite)


class _UnreadableError(ScenarioFileError, pytest.Collector.CollectError):
    """Tells pytest, too, that the message says it all: no traceback is shown of it."""


def _loaded(folder: Path) -> list[Scenario]:
    try:
        return load_scenarios(folder)
    except ScenarioFileError as error:
        raise _UnreadableError(error.path, error.problems) from None


def _tests_of(suite: Suite) -> type[Any]:
    files = suite.files_class()

    class AcpSnapshotSuite:
        """One test for each scenario, those that pin headers first, and the guards."""

        @pytest.mark.parametrize("scenario", suite.scenarios, ids=lambda one: one.name)
        def test_scenario(
            self,
            scenario: Scenario,
            snapshot: SnapshotAssertion,
            tmp_path: Path,
            pytestconfig: pytest.Config,
        ) -> None:
            """A scenario gives the stdout, the session logs and the headers of its snapshots."""
            suite.check(scenario, snapshot.use_extension(files), tmp_path / "run", pytestconfig)

        def test_no_orphans(self) -> None:
            """Every directory of snapshots belongs to a scenario."""
            _none(orphan_problems(suite.scenarios, suite.snapshots))

        def test_none_is_missing(self) -> None:
            """Every scenario has its snapshots."""
            _none(missing_problems(suite.scenarios, suite.snapshots))

        def test_one_pin_for_each_class(self) -> None:
            """Each composition class has exactly one scenario that pins its header."""
            _none(pin_problems(suite.scenarios))

        def test_headers_are_scrubbed(self) -> None:
            """No header stands in full where only a placeholder should."""
            _none(header_problems(suite.scenarios, suite.snapshots))

        def test_no_sidecar_twice(self) -> None:
            """There is one sidecar for each distinct content."""
            _none(sidecar_problems(suite.snapshots))

        def test_no_real_path(self) -> None:
            """No snapshot holds a path of the machine that it was made on."""
            _none(path_problems(suite.snapshots, suite.allowed_paths))

    return AcpSnapshotSuite


def _none(problems: Sequence[str]) -> None:
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)
