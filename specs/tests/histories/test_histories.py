"""Histories of a corpus: searches on the way are answered for what is there now."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from session_query import PersistedSnapshot
from session_query_specs.checks import CHECKS
from session_query_specs.corpora.histories import Happening, History, World, histories
from session_query_specs.oracle import Observed, Oracle, OracleEngine
from session_query_specs.running import PROFILES, Status, judge


class _ReadsOnce(OracleEngine):
    """Takes a log that it has read once for the same ever after."""

    def changed(self, seen: Observed) -> list[PersistedSnapshot]:
        known: set[str] = vars(self).setdefault("_known", set())
        new = [one for one in super().changed(seen) if one.header.id not in known]
        known.update(one.header.id for one in new)
        return new


class _ReadsOnceProvider(Oracle):
    engine = _ReadsOnce


@pytest.mark.requirement("CONF-7")
@given(histories(reopening=True))
def test_a_history_can_happen_and_be_repeated(history: History) -> None:
    """Each step makes sense or does nothing; lines and script tell all of them."""
    world = World()
    for step in history.steps:
        if step.kind not in {"search", "reopen"}:
            world.happen(step)
    assert len(history.described()) == len(history.steps)
    tree = ast.parse(history.script("package.module:Class"))
    [steps] = [
        eval(ast.unparse(node.value), {"Happening": Happening})  # noqa: S307 - it is a program
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "STEPS"
    ]
    assert steps == [*history.steps]


@pytest.mark.requirement("CONF-7")
def test_a_provider_that_reads_a_log_once_is_found_out() -> None:
    """Answers from a log as it was before fail, with a short history to show."""
    result = judge(
        CHECKS["RECON-1/history"], _ReadsOnceProvider(), "here:Provider", PROFILES["quick"], 0
    )
    assert result.status is Status.FAILED
    assert result.finding is not None
    assert len(result.finding.example) <= 5


@pytest.mark.requirement("CONF-7")
def test_each_way_to_replace_a_session_is_tried() -> None:
    """Live or stored, before and after, in the corpus and in one session: none is left to luck."""
    result = judge(CHECKS["RECON-1/replaced"], Oracle(), "here:Oracle", PROFILES["quick"], 0)
    assert result.status is Status.PASSED
    assert result.examples == 2 * 2 * 2
    assert result.situations["a hit"] == 2 * result.examples


@pytest.mark.requirement("CONF-7")
def test_the_oracle_answers_every_history() -> None:
    """The oracle passes, and the interesting situations are reached."""
    result = judge(CHECKS["RECON-1/history"], Oracle(), "here:Oracle", PROFILES["quick"], 0)
    assert result.status is Status.PASSED
    assert result.situations["a hit"] > 10
