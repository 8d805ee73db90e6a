"""A whole run: what is judged, and what the verdicts mean (CONF-3 to CONF-5, CONF-17)."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from session_query_specs._subjects import CAPABILITIES, Capabilities, capabilities_of
from session_query_specs.checks import CHECKS, Check
from session_query_specs.contract import (
    CONTRACT_VERSION,
    CONTRACT_VERSIONS,
    REQUIREMENTS,
    is_newer,
)
from session_query_specs.running._judging import judge
from session_query_specs.running._known_failures import (
    UNCHECKED,
    KnownFailures,
    listed_as,
    names_check,
    read_known_failures,
    require_matches,
)
from session_query_specs.running._order import in_order
from session_query_specs.running._profiles import PROFILES, Profile
from session_query_specs.running._results import CheckResult, Report, Status
from session_query_specs.running._subject_class import (
    ConformanceUsageError,
    SubjectClass,
    kind_of,
    made,
)

__all__ = ["Conformance", "run_conformance"]

_MOST_HUNG: Final = 10
"""As many checks may hang; a run that waits for more of them would come to no end either."""

_BROKEN: Final = {Status.FAILED, Status.FLAKY}
_OPEN: Final = {Status.PASSED, Status.STALE}
"""What another seed may change."""


@dataclass
class Conformance:
    """One run that is going on.

    Attributes:
        subject: the class under test.
        profile: how much is tried.
        seed: what examples are drawn with.
        known: why what is known to fail does, by id or name of a check.
        contract: the version that the subject keeps to.
        where: where the class is, as `package.module:Class`.
        checks: the checks that there are.
        results: what has become of the checks so far.
    """

    subject: SubjectClass
    profile: Profile
    seed: int = 0
    known: Mapping[str, str] = field(default_factory=dict)
    contract: str = CONTRACT_VERSION
    where: str = ""
    checks: Mapping[str, Check[Any]] = field(default_factory=lambda: CHECKS)
    results: dict[str, CheckResult] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.kind = kind_of(self.subject)
        self.where = self.where or f"{self.subject.__module__}:{self.subject.__qualname__}"
        self.capabilities = capabilities_of(getattr(self.subject, "capabilities", {}))
        if self.contract not in CONTRACT_VERSIONS:
            there = ", ".join(CONTRACT_VERSIONS)
            raise ConformanceUsageError(
                f"there is no contract {self.contract!r}; this suite has {there}"
            )
        self._instance = made(self.subject)
        self._own = [one for one in in_order(self.checks) if one.subject == self.kind]
        require_matches(self.known, self._own, "known failures")

    def select(self, only: Collection[str] = ()) -> list[Check[Any]]:
        """Return the checks that are to run, each after those that it builds on.

        Args:
            only: names of checks and ids of requirements; empty for all of the profile.

        Raises:
            ConformanceUsageError: one of them matches nothing, or there is nothing to judge.
        """
        require_matches(only, self._own, "only")
        if only:
            chosen = [one for one in self._own if any(names_check(name, one) for name in only)]
        elif self.profile.only is None:
            chosen = self._own
        else:
            first = [one for one in self._own if one.name in self.profile.only]
            chosen = first or [one for one in self._own if not one.after]
        if not chosen:
            raise ConformanceUsageError(f"the suite has no check for a {self.kind}")
        return chosen

    def judge(self, check: Check[Any], seconds: float | None = None) -> CheckResult:
        """Judge one check, in the light of what became of those before it.

        Args:
            check: the check.
            seconds: for how long new seeds are tried; None for one seed.
        """
        began, seed = time.monotonic(), self.seed
        result = self._judged(check)
        while seconds is not None and result.status in _OPEN and time.monotonic() - began < seconds:
            seed += 1
            result = _merged(result, replace(self, seed=seed)._judged(check))
        self.results[check.name] = result
        return result

    def _judged(self, check: Check[Any]) -> CheckResult:
        if need := next((one for one in sorted(check.needs) if not self._claims(one)), None):
            return self._unjudged(check, Status.NOT_CLAIMED, _unclaimed(need))
        if root := self._root_of(check):
            told = replace(
                self._unjudged(check, Status.BLOCKED, f"it builds on {root}"), blocked_by=root
            )
            return self._unless_newer(told)
        hung = [one.name for one in self.results.values() if one.hung]
        if len(hung) >= _MOST_HUNG:
            given_up = f"{len(hung)} checks hung, {hung[0]} first; nothing more is tried"
            return replace(self._unjudged(check, Status.BLOCKED, given_up), blocked_by=hung[0])
        # who has hung once has failed: the rest is to be seen soon, and not waited for as long
        patience = self.profile.patience / (10 if hung else 1)
        profile = replace(self.profile, patience=patience)
        listed = listed_as(check, self.known)
        if not listed:
            found = judge(check, self._instance, self.where, profile, self.seed)
            return self._unless_newer(found)
        return self._judged_as_known(check, profile, listed)

    def _judged_as_known(self, check: Check[Any], profile: Profile, listed: str) -> CheckResult:
        # What is known to fail is not made smaller, and tried until it does: so it never flakes.
        most = max(self.profile.examples, PROFILES["full"].examples)
        patient = replace(profile, examples=most)
        found = judge(check, self._instance, self.where, patient, self.seed, shrink=False)
        reason = self.known[listed]
        if found.status in _BROKEN:
            return replace(found, status=Status.KNOWN_FAILURE, reason=reason)
        if listed == check.name:
            passes = "it passes"
        elif self._all_else_passes(check):
            passes = "each check of it passes"
        else:
            return self._unless_newer(found)
        reason = f"{passes}, and is listed: {reason}"
        return replace(found, status=Status.STALE, reason=reason, listed=listed)

    def _all_else_passes(self, check: Check[Any]) -> bool:
        """Tell whether all other checks under the same known id were judged, and none fails."""
        others = [
            one.name
            for one in self._own
            if one is not check and listed_as(one, self.known) == check.requirement
        ]
        statuses = {self.results[name].status if name in self.results else None for name in others}
        return statuses <= {Status.PASSED, Status.NOT_SCORED, Status.NOT_CLAIMED}

    def _claims(self, need: str) -> bool:
        return self.kind != "provider" or self.capabilities.claims(need)

    def _root_of(self, check: Check[Any]) -> str:
        """Return the check whose failure is the cause of whatever this one would come to."""
        for name in sorted(check.after):
            before = self.results.get(name)
            if before is not None and before.status in _BROKEN:
                return before.name
            if before is not None and before.status is Status.BLOCKED:
                return before.blocked_by
        return ""

    def _unless_newer(self, result: CheckResult) -> CheckResult:
        requirement = REQUIREMENTS.get(result.requirement)
        if requirement is None or not is_newer(requirement.since, self.contract):
            return result
        told = f"{requirement.id} came with contract {requirement.since}; it {_SAID[result.status]}"
        return replace(result, status=Status.NOT_SCORED, reason=told)

    def _unjudged(self, check: Check[Any], status: Status, reason: str) -> CheckResult:
        return CheckResult(check.name, check.requirement, check.claim, status, reason=reason)

    def not_testable(self) -> list[CheckResult]:
        """Return the requirements that bind such a subject and have no check, with the reason."""
        judged = {one.requirement for one in self._own}
        return [
            CheckResult(
                one.id,
                one.id,
                one.sentence,
                Status.NOT_TESTABLE,
                reason=one.excluded or UNCHECKED,
            )
            for one in REQUIREMENTS.values()
            if one.target == self.kind and one.id not in judged
        ]

    def report(self, results: Collection[CheckResult], seconds: float, seeds: int = 1) -> Report:
        """Return the report of the run."""
        claimed = self.capabilities if self.kind == "provider" else None
        return Report(
            subject=self.subject.name,
            kind=self.kind,
            where=self.where,
            profile=self.profile.name,
            seed=self.seed,
            contract=self.contract,
            suite=_suite_version(),
            capabilities=_as_claims(claimed),
            results=list(results),
            seconds=seconds,
            seeds=seeds,
            known=str(self.known.path) if isinstance(self.known, KnownFailures) else "",
        )


_SAID: Final = {
    Status.PASSED: "passes",
    Status.FAILED: "fails",
    Status.FLAKY: "is flaky",
    Status.BLOCKED: "builds on one that fails",
}


def run_conformance(  # noqa: PLR0913 - all that a run depends on
    subject: SubjectClass,
    profile: str | Profile = "quick",
    seed: int = 0,
    *,
    only: Collection[str] = (),
    known_failures: Path | str | Mapping[str, str] | None = None,
    contract: str = CONTRACT_VERSION,
    on_result: Callable[[CheckResult, int], None] | None = None,
    where: str = "",
) -> Report:
    """Judge a provider or a host, and return what came of it.

    The same version of the suite, profile and seed give the same examples and verdicts; but for
    the profile `soak`, which goes on with new seeds until its time is over.

    Args:
        subject: the class under test.
        profile: `smoke`, `quick`, `full` or `soak`, or one of your own.
        seed: any number.
        only: names of checks and ids of requirements; empty for all of the profile.
        known_failures: why what is known to fail does, by id, or the file that says so.
        contract: the version of the contract that the subject keeps to.
        on_result: told of each verdict, and how many there will be for each seed.
        where: where the class is, if not where it was defined.

    Raises:
        ConformanceUsageError: the suite was asked for what it can't do.
        UnknownCapabilityError: a capability that the class claims doesn't exist.
    """
    _refuse_running_loop()
    if isinstance(profile, str):
        if profile not in PROFILES:
            raise ConformanceUsageError(f"no profile {profile!r}; there are {', '.join(PROFILES)}")
        profile = PROFILES[profile]
    if isinstance(known_failures, (str, Path)):
        known_failures = read_known_failures(Path(known_failures))
    run = Conformance(subject, profile, seed, known_failures or {}, contract, where)
    chosen = run.select(only)
    began = time.monotonic()
    results: dict[str, CheckResult] = {}
    seeds = 0
    while not seeds or _goes_on(profile, began, results):
        again = replace(run, seed=seed + seeds, results={})
        for check in chosen:
            result = _merged(results.get(check.name), again.judge(check))
            results[check.name] = result
            if on_result is not None:
                on_result(result, len(chosen))
        seeds += 1
    results = {name: _unless_stale_no_more(one, results) for name, one in results.items()}
    untestable = [] if only or profile.only is not None else run.not_testable()
    return run.report([*results.values(), *untestable], time.monotonic() - began, seeds)


def _goes_on(profile: Profile, began: float, results: Mapping[str, CheckResult]) -> bool:
    """Tell whether another seed is tried: there is time, and a verdict that it could change."""
    if profile.seconds is None or time.monotonic() - began >= profile.seconds:
        return False
    return any(result.status in _OPEN for result in results.values())


_WORSE: Final = (Status.FAILED, Status.FLAKY, Status.BLOCKED, Status.KNOWN_FAILURE)


def _merged(before: CheckResult | None, now: CheckResult) -> CheckResult:
    """Return one result for several seeds: the first that failed, and all that was tried."""
    if before is None:
        return now
    told = next((one for status in _WORSE for one in (before, now) if one.status is status), before)
    return replace(
        told,
        examples=before.examples + now.examples,
        situations=Counter(before.situations) + Counter(now.situations),
    )


def _unless_stale_no_more(result: CheckResult, all_of: Mapping[str, CheckResult]) -> CheckResult:
    """Return a result as passed if its id is stale for one seed, and not for another."""
    if result.status is not Status.STALE or result.listed != result.requirement:
        return result
    others = (one for one in all_of.values() if one.requirement == result.requirement)
    if all(one.status is not Status.KNOWN_FAILURE for one in others):
        return result
    return replace(result, status=Status.PASSED, reason="", listed="")


def _refuse_running_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise ConformanceUsageError("run_conformance runs loops of its own; call it outside of one")


def _unclaimed(need: str) -> str:
    name, _, value = need.partition("=")
    return f"the provider doesn't claim {need}{'' if value else f' ({CAPABILITIES[name]})'}"


def _as_claims(capabilities: Capabilities | None) -> dict[str, Any]:
    return {} if capabilities is None else asdict(capabilities)


def _suite_version() -> str:
    try:
        return version("session-query-specs")
    except PackageNotFoundError:
        return "unknown"
