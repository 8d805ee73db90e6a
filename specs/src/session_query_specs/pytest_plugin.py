"""Each check as a pytest item: `pytest --pyargs session_query_specs --provider my_pkg:MyProvider`.

Projects that merely have this installed get no option, no item and no marker from it: all is
inert unless the command line names this package.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

__all__ = ["ConformanceItem", "ConformanceItems"]

_PLACE: Final = Path(__file__).with_name("conformance_items.py")


def pytest_load_initial_conftests(args: list[str], parser: pytest.Parser) -> None:
    """Add the options, where this package is to be collected."""
    named = (argument.replace(__name__, "") for argument in args)
    if not any(_PLACE.parent.name in argument for argument in named):
        return
    group = parser.getgroup("session-query-conformance")
    group.addoption("--provider", metavar="MODULE:CLASS", help="The provider or host to be judged.")
    group.addoption(
        "--conformance-profile",
        default="quick",
        choices=("smoke", "quick", "full", "soak"),
        help="How much is tried.",
    )
    group.addoption("--conformance-seed", type=int, default=0, help="What examples are drawn with.")
    group.addoption("--known-failures", type=Path, help="A file of one ID REASON a line.")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the checks where the module that stands for them is met."""
    if file_path != _PLACE:
        return None
    found: ConformanceItems = ConformanceItems.from_parent(parent, path=file_path)
    return found


class ConformanceItems(pytest.File):
    """All checks of one subject."""

    def collect(self) -> Iterator[ConformanceItem]:
        """Yield an item for each check that is to run."""
        # What is only installed costs nobody the time of this import.
        from session_query_specs._subjects import UnknownCapabilityError  # noqa: PLC0415
        from session_query_specs.running import (  # noqa: PLC0415
            PROFILES,
            Conformance,
            ConformanceUsageError,
            import_subject,
            read_known_failures,
        )

        options = self.config.option
        where = getattr(options, "provider", None)
        if where is None:
            raise self.CollectError("session_query_specs needs --provider MODULE:CLASS")
        here = str(self.config.invocation_params.dir)
        if here not in sys.path:
            sys.path.insert(0, here)
        try:
            known = options.known_failures
            run = Conformance(
                import_subject(where),
                PROFILES[options.conformance_profile],
                options.conformance_seed,
                read_known_failures(known) if known is not None else {},
                where=where,
            )
            chosen = run.select()
        except (ConformanceUsageError, UnknownCapabilityError) as error:
            raise self.CollectError(str(error)) from error
        whole = run.profile.seconds
        seconds = None if whole is None else whole / len(chosen)
        for check in chosen:
            given = {"run": run, "check": check, "seconds": seconds}
            yield ConformanceItem.from_parent(self, name=check.name, **given)


class ConformanceItem(pytest.Item):
    """One check."""

    def __init__(self, *, run: Any, check: Any, seconds: float | None, **rest: Any) -> None:
        super().__init__(**rest)
        self._run = run
        self._check = check
        self._seconds = seconds

    def runtest(self) -> None:
        """Judge the check; what isn't claimed skips, and what is known to fail may."""
        from session_query_specs.running import Status  # noqa: PLC0415

        result = self._run.judge(self._check, self._seconds)
        if result.status in {Status.NOT_CLAIMED, Status.BLOCKED, Status.NOT_SCORED}:
            pytest.skip(f"{result.status.value}: {result.reason}")
        if result.status is Status.KNOWN_FAILURE:
            pytest.xfail(result.reason)
        if result.status is Status.STALE:
            pytest.fail(f"[XPASS(strict)] {result.reason}", pytrace=False)
        if result.status is not Status.PASSED:
            pytest.fail(self._card(), pytrace=False)

    def _card(self) -> str:
        """Return the failure card of this check."""
        from session_query_specs.reports import card_lines, cards_of  # noqa: PLC0415

        report = self._run.report([self._run.results[self._check.name]], 0.0)
        lines = card_lines(cards_of(report)[0], 100, "session-query-conformance has it whole")
        return "\n".join(lines)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where the check is, for headings."""
        return self.path, None, self._check.name
