"""The checks as pytest items (CONF-1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import session_query_specs
from session_query_specs.running import PROFILES, Profile

from ..toys import only_toys, toy

pytest_plugins = ["pytester"]

SUITE = ("--pyargs", "session_query_specs", "-rA")


@pytest.fixture(autouse=True)
def toys(pytester: pytest.Pytester) -> Iterator[None]:
    """Work in a project that has a module with the toys, in the place of the suite's checks."""
    pytester.makepyfile(toy_conformance=f"from {only_toys.__module__} import *")
    pytester.syspathinsert()
    with only_toys():
        yield


@pytest.mark.requirement("CONF-1")
def test_each_check_is_an_item(pytester: pytest.Pytester) -> None:
    """A provider that keeps to its claims passes item by item; what isn't claimed is skipped."""
    result = pytester.runpytest_inprocess(*SUITE, "--provider", "toy_conformance:Doubler")
    result.assert_outcomes(passed=4, skipped=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["PASSED *::SEARCH-9/order", "SKIPPED *not claimed: the provider doesn't claim forgets*"]
    )


@pytest.mark.requirement("CONF-1", "CONF-15")
def test_a_failure_is_its_card(pytester: pytest.Pytester) -> None:
    """A failing item shows its card and no traceback; what builds on it is skipped and says so."""
    result = pytester.runpytest_inprocess(*SUITE, "--provider", "toy_conformance:OffBeyondNine")
    result.assert_outcomes(passed=2, failed=1, skipped=2)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["✗ SEARCH-9/order · failed", "Corpus and call:", "  number 10", "*blocked: it builds on *"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.requirement("CONF-4")
def test_known_failures_are_expected_failures(pytester: pytest.Pytester) -> None:
    """What is known to fail is an xfail with its reason, and fails where it passes."""
    pytester.makefile(".txt", known="SEARCH-9/order ties\nCURSOR-1 likewise\nSEARCH-9/few old\n")
    result = pytester.runpytest_inprocess(
        *SUITE, "--provider", "toy_conformance:OffBeyondNine", "--known-failures", "known.txt"
    )
    result.assert_outcomes(passed=1, failed=1, xfailed=2, skipped=1)
    result.stdout.fnmatch_lines(["*XPASS(strict)* it passes, and is listed: old"])


@pytest.mark.requirement("CONF-2")
def test_a_host_is_judged_as_well(pytester: pytest.Pytester) -> None:
    """The option takes a host, too."""
    result = pytester.runpytest_inprocess(*SUITE, "--provider", "toy_conformance:ToyHost")
    result.assert_outcomes(passed=1)


@pytest.mark.requirement("CONF-17")
def test_a_profile_can_be_chosen(pytester: pytest.Pytester) -> None:
    """Smoke has the first checks only."""
    result = pytester.runpytest_inprocess(
        *SUITE, "--provider", "toy_conformance:Doubler", "--conformance-profile", "smoke"
    )
    result.assert_outcomes(passed=1)


@pytest.mark.requirement("CONF-17")
def test_soak_shares_its_time_out(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Soak tries seed after seed for its share of the time, and finds what one seed doesn't."""
    monkeypatch.setitem(PROFILES, "soak", Profile("soak", 2, 1, 1, seconds=20.0))
    options = ("--provider", "toy_conformance:OffBeyondNine", "--conformance-profile", "soak")
    with only_toys({"SEARCH-9/rare": toy("SEARCH-9/rare", 10)}):
        result = pytester.runpytest_inprocess(*SUITE, *options)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  number 10", "*--profile full --seed *"])
    result.stdout.no_fnmatch_line("*--seed 0")


@pytest.mark.requirement("CONF-1")
def test_other_plugins_keep_their_options(pytester: pytest.Pytester) -> None:
    """Another plugin may have an option for profiling."""
    pytester.makepyfile(
        profiling="""
        def pytest_addoption(parser):
            parser.addoption("--profile", action="store_true")
        """
    )
    options = ("-p", "profiling", "--provider", "toy_conformance:Doubler", "--profile")
    result = pytester.runpytest_inprocess(*SUITE, *options)
    result.assert_outcomes(passed=4, skipped=1)


@pytest.mark.requirement("CONF-1")
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "session_query_specs needs --provider MODULE:CLASS"),
        (("--provider", "toy_conformance:No"), "toy_conformance has no class 'No'; *"),
        (("--provider", "nowhere:No"), "there is no module 'nowhere'*"),
    ],
)
def test_wrong_usage_is_one_error(
    pytester: pytest.Pytester, options: tuple[str, ...], told: str
) -> None:
    """What can't be judged is one error in words, not one for each check."""
    result = pytester.runpytest_inprocess(*SUITE, *options)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([told])
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.requirement("CONF-1")
def test_other_projects_are_left_alone(pytester: pytest.Pytester) -> None:
    """A project that merely has it installed gets no option and no item from it."""
    pytester.makepyfile(
        test_own="""
        def test_own(pytestconfig):
            assert not hasattr(pytestconfig.option, "provider")
            assert not hasattr(pytestconfig.option, "known_failures")
        """,
        conftest="""
        def pytest_addoption(parser):
            parser.addoption("--profile")
        """,
    )
    result = pytester.runpytest_inprocess("--profile", "mine")
    result.assert_outcomes(passed=1)
    unknown = pytester.runpytest_inprocess("--provider", "toy_conformance:Doubler")
    assert unknown.ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.requirement("CONF-1")
def test_the_suite_is_collected_once(pytester: pytest.Pytester) -> None:
    """Nothing else in the package is taken for a test."""
    folder = Path(session_query_specs.__file__).parent
    assert not list(folder.rglob("test_*.py")) + list(folder.rglob("*_test.py"))
    result = pytester.runpytest_inprocess(
        *SUITE, "--provider", "toy_conformance:Doubler", "--collect-only", "-q"
    )
    assert sum("::" in line for line in result.outlines) == 5
