"""Reports with everything in them that a report can have, without a run."""

from __future__ import annotations

from session_query_specs.running import CheckResult, Finding, Report, Status

__all__ = ["FAILING", "FINDING", "HOSTILE", "PASSING", "report"]

HOSTILE = "\x1b[31m<b>&amp;\x00\ud800\u202e]]>"
"""Text that would act on a terminal, in XML or in HTML, or that no encoding takes."""

FINDING = Finding(
    [f"session 's{number}' (stored, cwd '/srv/app')" for number in range(30)] + [f"call {HOSTILE}"],
    f"['s1', 's2'] {HOSTILE}",
    "\n".join([f"['s2', 's1'] {HOSTILE}", "x" * 400, *map(str, range(20))]),
    "".join(f"print({number})  # {HOSTILE}\n" for number in range(80)),
    [f"{number}. task-{number} resumes" for number in range(20)],
)


def report(*results: CheckResult) -> Report:
    """Return a report of these results."""
    return Report(
        subject="my provider",
        kind="provider",
        where="my_package.conformance:MyProvider",
        profile="quick",
        seed=7,
        contract="1.0",
        suite="0.1.0",
        capabilities={
            "ranking": "contract",
            "segmentation": frozenset({"script"}),
            "forgets": True,
        },
        results=results,
        seconds=12.5,
    )


def _result(name: str, status: Status, reason: str = "") -> CheckResult:
    told = reason or ("" if status is Status.PASSED else f"a reason {HOSTILE}")
    return CheckResult(
        name, name.partition("/")[0], f"The claim of {name} holds.", status, 25, reason=told
    )


PASSING = report(
    CheckResult("SEARCH-1/finds", "SEARCH-1", "It finds.", Status.PASSED, 25, {"a tie": 3}, seed=7),
    CheckResult("CURSOR-1/each", "CURSOR-1", "Each comes once.", Status.PASSED, 25, seed=7),
    _result("CURSOR-2", Status.NOT_CLAIMED),
    _result("LOG-1", Status.NOT_TESTABLE),
    _result("LOG-2", Status.NOT_TESTABLE),
)

FAILING = report(
    *PASSING.results,
    CheckResult(
        "SEARCH-9/order",
        "SEARCH-9",
        f"The order is total {HOSTILE}.",
        Status.FAILED,
        12,
        seed=7,
        finding=FINDING,
    ),
    CheckResult(
        "SEARCH-9/ties",
        "SEARCH-9",
        "Ties are broken by id.",
        Status.BLOCKED,
        reason="it builds on SEARCH-9/order",
        blocked_by="SEARCH-9/order",
    ),
    CheckResult("READ-1/reads", "READ-1", "It reads.", Status.FLAKY, 2, seed=7, finding=FINDING),
    _result("READ-2/window", Status.STALE),
    _result("READ-3/titles", Status.KNOWN_FAILURE, "titles are not batched yet"),
    _result("FILTER-1/new", Status.NOT_SCORED),
)
