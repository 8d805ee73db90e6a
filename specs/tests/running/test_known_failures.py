"""What is known to fail runs, never flakes, and is told when it passes (CONF-4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from session_query_specs.contract import REQUIREMENTS
from session_query_specs.reports import cards_of
from session_query_specs.running import (
    ConformanceUsageError,
    Profile,
    Status,
    read_known_failures,
    run_conformance,
)

from ..toys import Doubler, OffBeyondNine, Wavering, only_toys, toy


class RightAtFirst(OffBeyondNine):
    """Right the first hundred times."""

    asked = 0

    def double(self, number: int) -> int:
        RightAtFirst.asked += 1
        return super().double(number) if RightAtFirst.asked > 100 else 2 * number


@pytest.fixture(autouse=True)
def toys() -> Iterator[None]:
    """Put the toy checks in the place of the suite's."""
    with only_toys():
        yield


@pytest.mark.requirement("CONF-4")
def test_a_known_failure_spoils_nothing() -> None:
    """What fails and is listed, by id or by name, is a known failure with its reason."""
    known = {"SEARCH-9/order": "two digits", "CURSOR-1": "likewise"}
    report = run_conformance(OffBeyondNine, known_failures=known)
    found = {one.name: (one.status, one.reason) for one in report.results}
    assert found["SEARCH-9/order"] == (Status.KNOWN_FAILURE, "two digits")
    assert found["CURSOR-1/follows"] == (Status.KNOWN_FAILURE, "likewise")
    assert found["SEARCH-9/few"][0] is Status.PASSED
    assert report.passed


@pytest.mark.requirement("CONF-4")
def test_a_known_failure_that_passes_fails_the_run() -> None:
    """What is listed and passes is stale, says why it was listed, and spoils the run."""
    report = run_conformance(Doubler, known_failures={"SEARCH-9/few": "it was so"})
    stale = next(one for one in report.results if one.name == "SEARCH-9/few")
    assert stale.status is Status.STALE
    assert stale.reason.endswith("it was so")
    assert not report.passed


@pytest.mark.requirement("CONF-4")
def test_an_id_is_stale_only_if_all_of_it_passes() -> None:
    """A listed id stands while any of its checks fails, or isn't judged; then it is told once."""
    known = {"SEARCH-9": "ties"}
    some = run_conformance(OffBeyondNine, only=["SEARCH-9"], known_failures=known)
    assert [one.status for one in some.results] == [Status.KNOWN_FAILURE, Status.PASSED]
    assert some.passed
    assert run_conformance(Doubler, only=["SEARCH-9/few"], known_failures=known).passed
    none = run_conformance(Doubler, only=["SEARCH-9"], known_failures=known)
    assert [one.status for one in none.results] == [Status.PASSED, Status.STALE]
    assert none.results[1].reason == "each check of it passes, and is listed: ties"


@pytest.mark.requirement("CONF-4")
def test_another_seed_may_show_that_an_id_stands() -> None:
    """In a soak, an id that is stale for the first seeds and fails for a later one isn't stale."""
    checks = (toy("SEARCH-9/rare", 20), toy("SEARCH-9/few"))
    with only_toys({one.name: one for one in checks}):
        soak = Profile("soak", 1, 1, 1, seconds=2.0)
        report = run_conformance(RightAtFirst, soak, known_failures={"SEARCH-9": "rare"})
    assert report.seeds > 1
    assert [one.status for one in report.results[:2]] == [Status.KNOWN_FAILURE, Status.PASSED]


@pytest.mark.requirement("CONF-4", "CONF-15")
@pytest.mark.parametrize("listed", ["SEARCH-9/few", "SEARCH-9"])
def test_a_stale_one_is_judged_again_with_its_file(tmp_path: Path, listed: str) -> None:
    """The command of its card names the file, and all the checks that it is about."""
    path = tmp_path / "known.txt"
    path.write_text(f"{listed} old\n", "utf-8")
    [card] = cards_of(run_conformance(Doubler, seed=3, known_failures=path))
    subject = f"{Doubler.__module__}:Doubler"
    asked = f"session-query-conformance {subject} --only {listed} --profile quick --seed 3"
    assert card.again == f"{asked} --known-failures {path}"


@pytest.mark.requirement("CONF-4")
def test_a_known_failure_does_not_flake() -> None:
    """What fails rarely is still known to fail where a profile would try only a few examples."""
    with only_toys({"SEARCH-9/rare": toy("SEARCH-9/rare", 1000, weight=0.1)}):
        for seed in range(5):
            report = run_conformance(
                OffBeyondNine, "smoke", seed, known_failures={"SEARCH-9": "rare"}
            )
            assert [one.status for one in report.results] == [Status.KNOWN_FAILURE]


@pytest.mark.requirement("CONF-4")
def test_a_known_failure_is_not_made_smaller() -> None:
    """The first example that fails is kept, instead of a search for the smallest."""
    report = run_conformance(
        OffBeyondNine, only=["SEARCH-9/order"], known_failures={"SEARCH-9/order": "so"}
    )
    finding = report.results[0].finding
    assert finding is not None
    assert list(finding.example) != ["number 10"]


@pytest.mark.requirement("CONF-4")
def test_what_is_flaky_can_be_known() -> None:
    """A flaky check that is listed is a known failure, too."""
    report = run_conformance(
        Wavering, only=["SEARCH-9/order"], known_failures={"SEARCH-9/order": "it wavers"}
    )
    assert report.results[0].status is Status.KNOWN_FAILURE


@pytest.mark.requirement("CONF-4")
def test_an_id_that_matches_nothing_is_an_error() -> None:
    """A listed id that no check of this kind judges is refused, also where others are selected."""
    with pytest.raises(ConformanceUsageError, match="known failures: SEARCH-99 matches no check"):
        run_conformance(Doubler, only=["SEARCH-1"], known_failures={"SEARCH-99": "?"})
    with pytest.raises(ConformanceUsageError, match="TOOL-4 matches no check: it binds the host"):
        run_conformance(Doubler, known_failures={"TOOL-4": "it is for hosts"})


@pytest.mark.requirement("CONF-13")
def test_a_requirement_without_checks_has_its_reason() -> None:
    """Asked for a requirement that can't be tested, the suite says why it can't."""
    one = next(one for one in REQUIREMENTS.values() if one.target == "provider" and one.excluded)
    with pytest.raises(ConformanceUsageError) as raised:
        run_conformance(Doubler, only=[one.id])
    assert str(raised.value) == f"only: {one.id} matches no check: {one.excluded}"


@pytest.mark.requirement("CONF-4")
def test_the_file_holds_an_id_and_a_reason_a_line(tmp_path: Path) -> None:
    """Comments and blank lines are skipped; the rest is an id, then its reason."""
    path = tmp_path / "known.txt"
    path.write_text("# what we know\n\nSEARCH-9/order  ties, see ADR 7\nREAD-1 later\n", "utf-8")
    assert read_known_failures(path) == {"SEARCH-9/order": "ties, see ADR 7", "READ-1": "later"}
    told = r"known\.txt:4: READ-1 matches no check: this version"
    with pytest.raises(ConformanceUsageError, match=told):
        run_conformance(Doubler, known_failures=path)


@pytest.mark.requirement("CONF-4")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"READ-1\n", "known.txt:1: READ-1 has no reason"),
        (b"# so\nREAD-1 a\nREAD-1 b\n", "known.txt:3: READ-1 stands there twice"),
        (b"\xff", "known.txt: 'utf-8' codec"),
        (None, "known.txt: .*No such file"),
    ],
)
def test_a_file_that_is_none_says_where(tmp_path: Path, text: bytes | None, told: str) -> None:
    """What can't be read is told with the file and the line."""
    path = tmp_path / "known.txt"
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(ConformanceUsageError, match=told):
        read_known_failures(path)
