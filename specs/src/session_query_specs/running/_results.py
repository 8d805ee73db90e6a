"""What a run came to (CONF-4, CONF-14, CONF-16)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

__all__ = ["CheckResult", "Finding", "Report", "Status"]


class Status(StrEnum):
    """What became of a check."""

    PASSED = "passed"
    FAILED = "failed"
    FLAKY = "flaky"
    """The same example failed once and passed once."""
    KNOWN_FAILURE = "known failure"
    STALE = "stale known failure"
    """It is listed as failing, and passes."""
    BLOCKED = "blocked"
    """A check that it builds on failed: one cause, told once."""
    NOT_CLAIMED = "not claimed"
    NOT_SCORED = "not scored"
    """The requirement is newer than the contract that the subject keeps to."""
    NOT_TESTABLE = "not testable"

    @property
    def spoils(self) -> bool:
        """Whether a run with such a check has failed."""
        return self in {Status.FAILED, Status.FLAKY, Status.STALE, Status.BLOCKED}

    @property
    def counts(self) -> bool:
        """Whether a check that came to it says anything about what is claimed."""
        return self not in {Status.NOT_CLAIMED, Status.NOT_SCORED, Status.NOT_TESTABLE}


@dataclass(frozen=True, slots=True)
class Finding:
    """What went wrong, on the smallest example that was found (CONF-15)."""

    example: Sequence[str]
    expected: str
    got: str
    script: str
    schedule: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON."""
        return {
            "example": list(self.example),
            "expected": self.expected,
            "got": self.got,
            "script": self.script,
            "schedule": list(self.schedule),
        }


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check of a run.

    Attributes:
        name: the name of the check.
        requirement: the id that it judges.
        claim: what it judges.
        status: what became of it.
        examples: how many examples were judged.
        situations: how often something worth reaching was reached.
        seed: what the examples were drawn with.
        reason: why it was not judged, or what a known failure's file says.
        blocked_by: the check that is the cause of this one's failure.
        finding: what went wrong.
        hung: whether that is an example that came to no end.
        listed: the name or id that makes it a stale known failure.
    """

    name: str
    requirement: str
    claim: str
    status: Status
    examples: int = 0
    situations: Mapping[str, int] = field(default_factory=Counter)
    seed: int | None = None
    reason: str = ""
    blocked_by: str = ""
    finding: Finding | None = None
    hung: bool = False
    listed: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON."""
        return {
            "check": self.name,
            "requirement": self.requirement,
            "claim": self.claim,
            "status": self.status.value,
            "examples": self.examples,
            "situations": dict(sorted(self.situations.items())),
            **({} if self.seed is None else {"seed": self.seed}),
            **({"reason": self.reason} if self.reason else {}),
            **({"blockedBy": self.blocked_by} if self.blocked_by else {}),
            **({"finding": self.finding.to_json()} if self.finding else {}),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """A whole run.

    Attributes:
        subject: the name of what was judged.
        kind: `provider` or `host`.
        where: the class of it, as `package.module:Class`.
        profile: how much was tried.
        seed: the first seed.
        contract: the version of the contract that the subject keeps to.
        suite: the version of this suite.
        capabilities: what the subject claims.
        results: what became of each check, and which requirements have none.
        seconds: how long it took.
        seeds: how many seeds were tried, from the first one on.
        known: the file of what is known to fail; empty without one.
    """

    subject: str
    kind: str
    where: str
    profile: str
    seed: int
    contract: str
    suite: str
    capabilities: Mapping[str, Any]
    results: Sequence[CheckResult]
    seconds: float
    seeds: int = 1
    known: str = ""

    @property
    def judged(self) -> bool:
        """Whether anything was judged that counts."""
        return any(result.status.counts for result in self.results)

    @property
    def passed(self) -> bool:
        """Whether all that is claimed holds; where nothing was judged, nothing does."""
        judged = {Status.PASSED, Status.KNOWN_FAILURE}
        return any(result.status in judged for result in self.results) and not any(
            result.status.spoils for result in self.results
        )

    @property
    def counts(self) -> Mapping[str, int]:
        """How many checks there are of each status."""
        found = Counter(result.status.value for result in self.results)
        return {status.value: found[status.value] for status in Status}

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON; `report.schema.json` says how it looks."""
        return {
            "subject": self.subject,
            "kind": self.kind,
            "where": self.where,
            "profile": self.profile,
            "seed": self.seed,
            "seeds": self.seeds,
            "contractVersion": self.contract,
            "suiteVersion": self.suite,
            "capabilities": {
                name: sorted(value) if isinstance(value, frozenset) else value
                for name, value in self.capabilities.items()
            },
            "passed": self.passed,
            "counts": dict(self.counts),
            "seconds": round(self.seconds, 3),
            "results": [result.to_json() for result in self.results],
        }
