"""What a run makes of its checks: prerequisites, claims, versions (CONF-3, CONF-5, CONF-14)."""

from __future__ import annotations

import ast
import asyncio
import inspect
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Verbosity, settings
from hypothesis import strategies as st
from session_query_specs import UnknownCapabilityError
from session_query_specs.contract import REQUIREMENTS
from session_query_specs.running import (
    PROFILES,
    Conformance,
    ConformanceUsageError,
    Report,
    Status,
    _judging,
    in_order,
    run_conformance,
)

from .. import toys
from ..toys import (
    TOYS,
    Doubler,
    Forgetful,
    Leaving,
    Number,
    OffBeyondNine,
    Raising,
    ToyHost,
    Wavering,
    only_toys,
    toy,
)


@pytest.fixture(autouse=True)
def toy_checks() -> Iterator[None]:
    """Put the toy checks in the place of the suite's."""
    with only_toys():
        yield


def statuses(report: Report) -> dict[str, Status]:
    """What became of each check, but for requirements without one."""
    return {
        result.name: result.status
        for result in report.results
        if result.status is not Status.NOT_TESTABLE
    }


@pytest.mark.requirement("CONF-1")
def test_a_class_is_all_that_a_run_needs() -> None:
    """A provider that keeps to all that it claims passes, and the report says who it was."""
    report = run_conformance(Doubler)
    assert report.passed
    assert (report.subject, report.kind, report.profile) == ("doubler", "provider", "quick")
    assert report.where.endswith("toys:Doubler")
    assert statuses(report) == {
        "SEARCH-1/finds": Status.PASSED,
        "SEARCH-9/order": Status.PASSED,
        "CURSOR-1/follows": Status.PASSED,
        "SEARCH-9/few": Status.PASSED,
        "INDEX-9/forgets": Status.NOT_CLAIMED,
    }


@pytest.mark.requirement("CONF-2")
def test_a_host_is_judged_by_the_checks_for_hosts() -> None:
    """A host gets its own checks and no other."""
    report = run_conformance(ToyHost)
    assert report.kind == "host"
    assert statuses(report) == {"TOOL-4/answers": Status.PASSED}


@pytest.mark.requirement("CONF-14")
def test_what_builds_on_a_failure_is_folded_under_its_root() -> None:
    """A check is not judged where one that it builds on failed, however far down."""
    report = run_conformance(Raising)
    blocked = {one.name: one.blocked_by for one in report.results if one.status is Status.BLOCKED}
    assert statuses(report)["SEARCH-1/finds"] is Status.FAILED
    assert blocked == dict.fromkeys(
        ["SEARCH-9/order", "CURSOR-1/follows", "SEARCH-9/few"], "SEARCH-1/finds"
    )
    assert not report.passed


@pytest.mark.requirement("CONF-14")
def test_only_what_builds_on_a_failure_is_folded() -> None:
    """A failure leaves checks that don't build on it to be judged."""
    found = statuses(run_conformance(OffBeyondNine))
    assert found["SEARCH-9/order"] is Status.FAILED
    assert found["CURSOR-1/follows"] is Status.BLOCKED
    assert found["SEARCH-9/few"] is Status.PASSED


@pytest.mark.requirement("CONF-15")
def test_a_failure_is_told_on_its_smallest_example() -> None:
    """Of the numbers that are doubled wrongly, the least is shown, with a script that shows it."""
    report = run_conformance(OffBeyondNine, only=["SEARCH-9/order"], where="my.place:Off")
    finding = report.results[0].finding
    assert finding is not None
    assert list(finding.example) == ["number 10"]
    assert (finding.expected, finding.got) == ("20", "21")
    assert "from my.place import Off\n\nprint(Off().double(10))\n" in finding.script
    assert finding.script.endswith('again("SEARCH-9/order", Off(), Number(10))\n')


@pytest.mark.requirement("CONF-15")
def test_an_exception_is_told_without_the_noise_of_the_runner() -> None:
    """What a provider raises stands in the finding as Python prints it, with its place alone."""
    finding = run_conformance(Raising, only=["SEARCH-1"]).results[0].finding
    assert finding is not None
    said, _, place = finding.got.partition(" (at ")
    assert said == "RuntimeError: boom 0 \x1b[31m<b>\ud800 & co"
    line = next(
        number
        for number, line in enumerate(Path(toys.__file__).read_text("utf-8").splitlines(), 1)
        if "boom {number}" in line
    )
    assert place == f"{toys.__name__.replace('.', '/')}.py:{line} in Raising.double)"


@pytest.mark.requirement("CONF-12")
def test_a_subject_that_ends_the_program_fails_its_check() -> None:
    """SystemExit out of a provider fails what was judged, and the run goes on."""
    report = run_conformance(Leaving)
    finding = report.results[0].finding
    assert statuses(report)["SEARCH-1/finds"] is Status.FAILED
    assert finding is not None
    assert finding.got.startswith("SystemExit")


@pytest.mark.requirement("CONF-4")
def test_flaky_is_another_word_than_failed() -> None:
    """What fails once and passes once on the same example is flaky, and spoils the run."""
    report = run_conformance(Wavering)
    assert statuses(report)["SEARCH-9/order"] is Status.FLAKY
    assert not report.passed


@pytest.mark.requirement("CONF-3")
def test_what_is_not_claimed_is_not_judged_and_says_so() -> None:
    """Without the claim a check is not claimed, with a reason; with it, it is judged."""
    unclaimed = next(
        one for one in run_conformance(Doubler).results if one.name == "INDEX-9/forgets"
    )
    assert unclaimed.status is Status.NOT_CLAIMED
    assert "doesn't claim forgets" in unclaimed.reason
    assert unclaimed.examples == 0
    assert statuses(run_conformance(Forgetful))["INDEX-9/forgets"] is Status.PASSED


@pytest.mark.requirement("CONF-3")
def test_an_unknown_capability_is_an_error() -> None:
    """A claim that the suite doesn't know is refused by its name, before anything is judged."""

    class Boasting(Doubler):
        capabilities = {"flies": True}  # noqa: RUF012 - as an author writes it

    with pytest.raises(UnknownCapabilityError, match="'flies'; there are: ranking"):
        run_conformance(Boasting)


@pytest.mark.requirement("CONF-13")
def test_requirements_without_a_check_are_not_testable_for_a_reason() -> None:
    """Each requirement of the subject's kind is judged, or told with its reason."""
    report = run_conformance(Doubler)
    untestable = {
        one.name: one.reason for one in report.results if one.status is Status.NOT_TESTABLE
    }
    judged = {check.requirement for check in TOYS.values()}
    providers = {one.id for one in REQUIREMENTS.values() if one.target == "provider"}
    assert untestable.keys() == providers - judged
    assert untestable["LOG-1"] == REQUIREMENTS["LOG-1"].excluded
    assert all(untestable.values())


@pytest.mark.requirement("CONF-5")
@pytest.mark.parametrize(("subject", "said"), [(Doubler, "passes"), (OffBeyondNine, "fails")])
def test_what_is_newer_than_the_contract_is_judged_and_not_scored(
    subject: type[Doubler], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A requirement that came after the contract of a subject runs, and never spoils."""
    newer = replace(REQUIREMENTS["SEARCH-9"], since="1.1")
    monkeypatch.setitem(REQUIREMENTS, "SEARCH-9", newer)
    report = run_conformance(subject, only=["SEARCH-1", "SEARCH-9/order"], contract="1.0")
    result = report.results[1]
    assert result.status is Status.NOT_SCORED
    assert result.reason == f"SEARCH-9 came with contract 1.1; it {said}"
    assert report.passed


@pytest.mark.requirement("CONF-5")
def test_an_unknown_contract_is_an_error() -> None:
    """A version that the suite doesn't have is refused."""
    with pytest.raises(ConformanceUsageError, match=r"no contract '9\.9'; this suite has 1\.0"):
        run_conformance(Doubler, contract="9.9")


@pytest.mark.requirement("CONF-17")
def test_the_same_seed_gives_the_same_report() -> None:
    """Two runs differ in nothing but the time that they took, and another seed differs."""

    def told(seed: int) -> dict[str, Any]:
        found = run_conformance(OffBeyondNine, seed=seed).to_json()
        return found | {"seconds": 0}

    assert told(3) == told(3)
    assert told(3)["results"] != told(4)["results"]


@pytest.mark.requirement("CONF-17")
def test_no_profile_of_hypothesis_changes_what_is_judged() -> None:
    """Every setting is the suite's own, whatever profile happens to be loaded."""

    def told() -> dict[str, Any]:
        return run_conformance(OffBeyondNine).to_json() | {"seconds": 0}

    plain = told()
    kept = settings.get_current_profile_name()
    settings.register_profile("foreign", max_examples=1, phases=[], verbosity=Verbosity.debug)
    settings.load_profile("foreign")
    try:
        assert told() == plain
        given = inspect.signature(settings.__init__).parameters
        named = {name for name, one in given.items() if one.kind is one.KEYWORD_ONLY}
        [call] = (
            node
            for node in ast.walk(ast.parse(inspect.getsource(_judging._settings)))
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "settings"
        )
        assert {one.arg for one in call.keywords} == named
    finally:
        settings.load_profile(kept)


@pytest.mark.requirement("CONF-15")
def test_an_example_that_cannot_be_drawn_says_so() -> None:
    """A strategy that raises is a failure that tells what it raised, and of which nothing hides."""

    def refuse(_: int) -> Number:
        raise LookupError("nothing to draw")

    broken = replace(toy("SEARCH-9/order"), examples=st.integers().map(refuse))
    with only_toys({"SEARCH-9/order": broken}):
        [result, *_] = run_conformance(Doubler).results
    assert result.status is Status.FAILED
    assert result.finding is not None
    assert result.finding.got == "LookupError: nothing to draw"
    assert "drawing one failed" in result.finding.example[0]


@pytest.mark.requirement("CONF-17")
def test_a_check_alone_gets_the_same_examples() -> None:
    """Whether a check runs alone or among others, its examples are the same."""
    alone = run_conformance(Doubler, only=["SEARCH-9/order"]).results[0]
    among = next(one for one in run_conformance(Doubler).results if one.name == "SEARCH-9/order")
    assert alone == among
    assert alone.situations["two digits"] > 0


@pytest.mark.requirement("CONF-17")
def test_soak_goes_on_with_new_seeds() -> None:
    """With time, seeds follow each other until nothing is left that could still fail."""
    soak = replace(PROFILES["soak"], examples=2, seconds=20.0)
    with only_toys({"SEARCH-9/order": toy("SEARCH-9/order", 14)}):
        report = run_conformance(OffBeyondNine, soak)
        result = report.results[0]
        assert result.seed is not None
        again = run_conformance(OffBeyondNine, replace(soak, seconds=None), result.seed)
    assert result.status is Status.FAILED
    assert report.seeds > 1
    assert result.seed == report.seeds - 1
    assert result.examples >= report.seeds
    assert again.results[0].finding == result.finding


@pytest.mark.requirement("CONF-17")
def test_soak_ends_when_its_time_is_over() -> None:
    """Without time, soak tries the first seed and no other."""
    report = run_conformance(Doubler, replace(PROFILES["soak"], examples=1, seconds=0.0))
    assert report.seeds == 1


@pytest.mark.requirement("CONF-17")
def test_smoke_runs_the_first_checks_only() -> None:
    """Smoke judges what everything builds on, and lists no requirement without a check."""
    assert statuses(run_conformance(Doubler, "smoke")) == {"SEARCH-1/finds": Status.PASSED}
    assert len(run_conformance(Doubler, "smoke").results) == 1
    assert statuses(run_conformance(ToyHost, "smoke")) == {"TOOL-4/answers": Status.PASSED}


@pytest.mark.requirement("CONF-16")
def test_each_verdict_is_told_while_the_run_goes_on() -> None:
    """`on_result` hears of each check, in order, and of how many there will be."""
    told: list[tuple[str, int]] = []
    run_conformance(Doubler, on_result=lambda result, total: told.append((result.name, total)))
    assert told == [(name, 5) for name in statuses(run_conformance(Doubler))]


@pytest.mark.requirement("CONF-12")
def test_where_nothing_was_judged_nothing_has_passed() -> None:
    """A run of nothing but unclaimed checks is not a pass."""
    assert not run_conformance(Doubler, only=["INDEX-9"]).passed


@pytest.mark.requirement("CONF-1")
def test_what_matches_nothing_is_an_error() -> None:
    """An id that no check judges, and a profile that doesn't exist, are refused by name."""
    with pytest.raises(ConformanceUsageError, match=r"only: SEARCH-77 matches no check"):
        run_conformance(Doubler, only=["SEARCH-1", "SEARCH-77"])
    with pytest.raises(ConformanceUsageError, match="no profile 'fast'; there are smoke, quick"):
        run_conformance(Doubler, "fast")
    with only_toys({}), pytest.raises(ConformanceUsageError, match="no check for a provider"):
        run_conformance(Doubler)


@pytest.mark.requirement("CONF-1")
def test_a_run_inside_of_a_loop_is_refused() -> None:
    """Within a running loop the suite says what to do, instead of failing each check."""

    async def main() -> None:
        run_conformance(Doubler)

    with pytest.raises(ConformanceUsageError, match="call it outside of one"):
        asyncio.run(main())


@pytest.mark.requirement("CONF-14")
def test_checks_run_after_what_they_build_on() -> None:
    """Order follows what checks build on, and is else that of registering."""
    assert [one.name for one in in_order(TOYS)][:3] == [
        "SEARCH-1/finds",
        "SEARCH-9/order",
        "CURSOR-1/follows",
    ]
    with pytest.raises(ValueError, match="A-1/a builds on A-1/none, which is no check"):
        in_order({"A-1/a": toy("A-1/a", after=frozenset({"A-1/none"}))})
    circle = {
        "A-1/a": toy("A-1/a", after=frozenset({"A-1/b"})),
        "A-1/b": toy("A-1/b", after=frozenset({"A-1/a"})),
    }
    with pytest.raises(ValueError, match="A-1/a -> A-1/b -> A-1/a"):
        in_order(circle)


@pytest.mark.requirement("CONF-14")
def test_checks_can_be_judged_one_by_one() -> None:
    """A check without a verdict on what it builds on is judged by itself."""
    run = Conformance(OffBeyondNine, PROFILES["quick"])
    assert run.judge(TOYS["CURSOR-1/follows"]).status is Status.FAILED
    assert Number(1).described() == ["number 1"]
