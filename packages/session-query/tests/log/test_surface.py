"""The surface: folded as the model folds it, or refused where the model refuses it."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import event as classify
from hypothesis import given
from hypothesis import strategies as st
from session_query.log import (
    Replacement,
    SessionEvent,
    SurfaceError,
    SurfaceFold,
    SurfaceFolder,
    fold_surface,
)

from .surfaces import Form, broken_logs, events_of, model, result, valid_logs, verdict
from .values import nested


def folded(log: list[Form]) -> SurfaceFold:
    """Fold the stored forms."""
    return fold_surface(events_of(log))


def message(seq: int, **fields: Any) -> Form:
    """Return a user message, appended to the surface unless said otherwise."""
    form = {"type": "user/message", "seq": seq, "time": 0, "data": {}, "surfaceOp": "append"}
    return {key: value for key, value in {**form, **fields}.items() if value is not None}


def replace(seq: int, start: Any, end: Any, cited: Any, **fields: Any) -> Form:
    """Return a user message that replaces a range."""
    operation = {"op": "replace", "start": start, "end": end}
    return message(seq, surfaceOp=operation, sourceEventSeqs=cited, **fields)


def refused(log: list[Form], seq: int, reason: str) -> None:
    """Assert that a log is refused at an event, for a reason."""
    with pytest.raises(SurfaceError, match=reason) as caught:
        folded(log)
    assert caught.value.seq == seq
    assert str(caught.value) == f"event {seq}: {caught.value.reason}"
    assert len(str(caught.value)) < 200


@pytest.mark.requirement("LOG-7", "LOG-8", "LOG-9", "LOG-10", "LOG-11")
@given(valid_logs())
def test_a_valid_log_folds_as_the_model_does(log: list[Form]) -> None:
    """Nodes in model order, and each replacement with what it removed, in surface order."""
    nodes, replacements = model(log)
    fold = folded(log)
    assert list(fold.nodes) == nodes
    assert [(each.seq, list(each.removed)) for each in fold.replacements] == replacements


@pytest.mark.requirement("LOG-3", "LOG-7", "LOG-8", "LOG-9", "LOG-10", "LOG-11")
@given(broken_logs())
def test_an_invalid_log_is_refused_where_the_model_refuses_it(log: list[Form]) -> None:
    """The first event that breaks a rule is named, and there is no partial answer."""
    seq = verdict(log)
    classify("still valid" if seq is None else "refused")
    if seq is None:
        assert list(folded(log).nodes) == model(log)[0]
        return
    with pytest.raises(SurfaceError) as caught:
        folded(log)
    assert caught.value.seq == seq


@pytest.mark.requirement("LOG-11", "LOG-14")
@given(broken_logs())
def test_the_incremental_fold_is_the_whole_fold(log: list[Form]) -> None:
    """After each event the folder stands where a fold of the prefix stands, refusals included."""
    folder = SurfaceFolder()
    taken: list[SessionEvent] = []
    for event in events_of(log):
        before = folder.fold()
        try:
            removed = folder.push(event)
        except SurfaceError:
            assert folder.fold() == before
            assert folder.count == len(taken)
            with pytest.raises(SurfaceError):
                fold_surface([*taken, event])
            continue
        taken.append(event)
        assert folder.fold() == fold_surface(taken)
        assert folder.nodes() == folder.fold().nodes
        assert removed == (() if len(folder.replacements) == len(before.replacements)
                           else folder.replacements[-1].removed)  # fmt: skip


@pytest.mark.requirement("LOG-12")
@given(valid_logs())
def test_each_event_has_one_place(log: list[Form]) -> None:
    """An event is current, shadowed or log-only, and only the surface types were ever on it."""
    fold = folded(log)
    nodes, replacements = model(log)
    gone = {seq for _, removed in replacements for seq in removed}
    for form in log:
        seq = form["seq"]
        expected = "current" if seq in nodes else "shadowed" if seq in gone else "log-only"
        assert fold.surface_of(seq) == expected
    assert fold.surface_of(len(log)) == fold.surface_of(-1) == "log-only"


class Counting(dict[int, int]):
    """A dict that counts how often it is used."""

    uses = 0

    def __getitem__(self, key: int) -> int:
        self.uses += 1
        return super().__getitem__(key)

    def __setitem__(self, key: int, value: int) -> None:
        self.uses += 1
        super().__setitem__(key, value)


@pytest.mark.requirement("LOG-11")
def test_the_cost_is_linear() -> None:
    """100,000 events with 1,000 replacements of 100 nodes take a few steps an event."""
    folder = SurfaceFolder()
    folder._next, folder._previous = links = Counting(folder._next), Counting(folder._previous)
    events, removed = 100_000, 0
    for seq in range(events):
        if seq % 100 == 99:
            gone = [*range(seq - 99 if seq == 99 else seq - 100, seq)]
            operation = {"op": "replace", "start": gone[0], "end": gone[-1]}
            event = SessionEvent._adopt("user/message", seq, 0, {}, operation, gone)
        else:
            event = SessionEvent._adopt("user/message", seq, 0, {}, "append")
        removed += len(folder.push(event))
    assert len(folder.replacements) == 1_000
    assert removed > 99_000
    assert folder.nodes() == (events - 1,)
    assert sum(link.uses for link in links) < 10 * (events + removed)


@pytest.mark.requirement("LOG-8")
def test_start_may_be_the_larger_number() -> None:
    """A range goes by surface order, in which a later event can stand first."""
    log = [message(0), message(1), replace(2, 0, 0, [0]), replace(3, 2, 1, [1, 2])]
    fold = folded(log)
    assert fold.nodes == (3,)
    assert fold.replacements == (Replacement(2, (0,)), Replacement(3, (2, 1)))
    refused([*log[:3], replace(3, 1, 2, [1, 2])], 3, "stands before start")


@pytest.mark.requirement("LOG-8")
def test_a_range_ends_at_nodes_of_the_current_surface() -> None:
    """What was replaced, was never on the surface, or does not exist yet can't be replaced."""
    log = [message(0), {"type": "turn/start", "seq": 1, "time": 0, "data": {}}]
    log.append(replace(2, 0, 0, [0]))
    for seq in (0, 1, 3, 4):
        refused([*log, replace(3, seq, 2, [2])], 3, f"start {seq} is not on the surface")
        refused([*log, replace(3, 2, seq, [2])], 3, f"end {seq} is not on the surface")


@pytest.mark.requirement("LOG-7")
@pytest.mark.parametrize("kind", ["user/message", "assistant/message", "tool/result"])
def test_a_message_must_say_where_it_stands(kind: str) -> None:
    """The three types must carry an operation."""
    refused([message(0, type=kind, surfaceOp=None)], 0, "must carry surfaceOp")


@pytest.mark.requirement("LOG-7")
def test_no_other_type_may_touch_the_surface() -> None:
    """Neither an operation nor sources may stand on any other type, unknown ones included."""
    for kind in ("turn/start", "tool/call", "session/title", "", "x" * 10_000):
        refused([message(0, type=kind)], 0, "may not carry surfaceOp")
        refused([message(0, type=kind, surfaceOp=None, sourceEventSeqs=[])], 0, "sourceEventSeqs")


@pytest.mark.requirement("LOG-7")
def test_only_two_operations_exist() -> None:
    """Anything but ``append`` and the exact replace object is refused."""
    exact = {"op": "replace", "start": 0, "end": 0}
    assert folded([message(0), message(1, surfaceOp=exact, sourceEventSeqs=[0])]).nodes == (1,)
    deep = nested(3_000)
    others: list[Any] = ["replace", "Append", "", 1, True, [], {}, ["append"], deep, [deep]]
    others += [{**exact, "why": 1}, {"op": "replace", "start": 0}]
    others += [{**exact, "op": op} for op in ("append", "Replace", None, deep)]
    for end in (-1, True, 0.5, "0", 2**53, None, deep):
        others += [{**exact, "start": end}, {**exact, "end": end}]
    for operation in others:
        refused([message(0), message(1, surfaceOp=operation, sourceEventSeqs=[0])], 1, "event 1: ")


@pytest.mark.requirement("LOG-3", "LOG-7", "LOG-9")
def test_integral_floats_are_seqs() -> None:
    """Ends and sources of ``1.0`` count as 1, and cannot name one event twice."""
    fold = folded([message(0), message(1), replace(2, 0.0, 1.0, [1.0, 0])])
    assert fold.replacements == (Replacement(2, (0, 1)),)
    assert {type(seq) for seq in fold.replacements[0].removed} == {int}
    refused([message(0), message(1, sourceEventSeqs=[0, 0.0])], 1, "twice")


@pytest.mark.requirement("LOG-9")
def test_sources_are_distinct_earlier_seqs() -> None:
    """A source that is no earlier seq is refused, and so is what is no list."""
    no_seqs = [1, 2, -1, True, 0.5, "0", None, 10**6_000, nested(3_000)]
    for cited in (*([seq] for seq in no_seqs), 0, {"0": 0}, "0"):
        refused([message(0), message(1, sourceEventSeqs=cited)], 1, "sourceEventSeqs")


@pytest.mark.requirement("LOG-9")
def test_only_an_assistant_message_may_cite_nothing() -> None:
    """An empty list of sources is allowed on one type only."""
    folded([message(0, type="assistant/message", sourceEventSeqs=[])])
    for kind in ("user/message", "tool/result"):
        refused([message(0, type=kind, sourceEventSeqs=[])], 0, "may not be empty")


@pytest.mark.requirement("LOG-9")
def test_a_replacement_names_all_that_it_removes() -> None:
    """Citing more than the removed nodes is fine, citing fewer is not."""
    log = [message(seq) for seq in range(4)]
    assert folded([*log, replace(4, 1, 3, [3, 0, 2, 1])]).nodes == (0, 4)
    for cited in ([], [1, 2], [2, 3], [1, 3], None):
        kind = "assistant/message"
        refused([*log, replace(4, 1, 3, cited, type=kind)], 4, "must name replaced event")


def pruned(**changes: Any) -> list[Form]:
    """Return a log of a message and a result, and of a result that replaces the latter."""
    first = message(1, type="tool/result", data=result("a", "long", meta={"n": 1}))
    data = changes.pop("data", result("a", "short", meta={"n": 1}))
    then = replace(2, changes.pop("start", 1), 1, [0, 1], type="tool/result", data=data)
    return [message(0, **changes), first, then]


@pytest.mark.requirement("LOG-10")
def test_a_result_may_replace_one_result_with_other_content() -> None:
    """Pruning changes the content of the first result block, and can be done again."""
    log = pruned()
    log.append({**log[2], "seq": 3, "sourceEventSeqs": [2],
                "surfaceOp": {"op": "replace", "start": 2, "end": 2}})  # fmt: skip
    assert folded(log).nodes == (0, 3)
    without = result("a", "", meta={"n": 1})
    del without["message"]["content"][0]["content"]
    assert folded(pruned(data=without)).nodes == (0, 2)


@pytest.mark.requirement("LOG-10")
def test_a_result_may_replace_nothing_else() -> None:
    """Neither two nodes nor a message can be replaced by a result."""
    refused(pruned(start=0), 2, "exactly one")
    log = pruned()
    log[2]["surfaceOp"] = {"op": "replace", "start": 0, "end": 0}
    refused(log, 2, "event 0 is not a tool/result")


@pytest.mark.requirement("LOG-10")
@pytest.mark.parametrize(
    "change",
    ["other call", "meta type", "more meta", "error", "role", "block type", "second block", "data"],
)
def test_a_replacing_result_differs_in_content_only(change: str) -> None:
    """Any other difference is refused, one between ``true`` and 1 included."""
    data: Any = result("a", "short", meta={"n": 1})
    block = data["message"]["content"][0]
    match change:
        case "other call":
            block["toolCallId"] = "b"
        case "meta type":
            data["meta"]["n"] = True
        case "more meta":
            data["meta"]["m"] = 1
        case "error":
            data["error"] = {"name": "E"}
        case "role":
            data["message"]["role"] = "tool"
        case "block type":
            block["type"] = "text"
        case "second block":
            data["message"]["content"].append(dict(block))
        case "data":
            data = []
    refused(pruned(data=data), 2, "only in the first block's content")


@pytest.mark.requirement("LOG-10")
def test_the_first_result_block_counts_wherever_it_stands() -> None:
    """Blocks before it and later result blocks must stay as they were."""

    def data(before: str, first: str, second: str) -> Form:
        blocks = [{"type": "tool-result", "content": text} for text in (first, second)]
        return {"message": {"content": [{"type": "text", "text": before}, 7, *blocks]}}

    def log(then: Form) -> list[Form]:
        kind = "tool/result"
        return [message(0, type=kind, data=data("a", "b", "c")),
                replace(1, 0, 0, [0], type=kind, data=then)]  # fmt: skip

    assert folded(log(data("a", "other", "c"))).nodes == (1,)
    refused(log(data("other", "b", "c")), 1, "content")
    refused(log(data("a", "b", "other")), 1, "content")


@pytest.mark.requirement("LOG-10", "LOG-11")
@pytest.mark.parametrize("data", [None, [], {}, {"message": 1}, {"message": {"content": "x"}}])
def test_a_malformed_result_can_be_replaced_by_its_like_only(data: object) -> None:
    """Without a result block nothing may differ, and nothing fails otherwise."""
    first = message(0, type="tool/result", data={})
    first["data"] = data
    then = replace(1, 0, 0, [0], type="tool/result", data={})
    then["data"] = data
    assert folded([first, then]).nodes == (1,)
    refused([first, {**then, "data": {"x": 1}}], 1, "content")


@pytest.mark.requirement("LOG-10")
def test_any_message_may_replace_a_result() -> None:
    """Compaction replaces results, too, with a message."""
    log = [message(0, type="tool/result", data=result("a", "x")), replace(1, 0, 0, [0])]
    assert folded(log).nodes == (1,)
    again = replace(2, 1, 1, [1], type="tool/result", data=result("a", "x"))
    refused([*log, again], 2, "not a tool/result")


@pytest.mark.requirement("LOG-3", "LOG-11")
@pytest.mark.parametrize("seqs", [[1], [0, 0], [0, 2], [0, 1, 3, 2]])
def test_seqs_have_no_gaps(seqs: list[int]) -> None:
    """A log counts from 0 by one."""
    wrong = next(seq for place, seq in enumerate(seqs) if seq != place)
    refused([message(seq) for seq in seqs], wrong, "expected seq")


@pytest.mark.requirement("LOG-3", "LOG-7")
def test_unknown_types_stay_off_the_surface() -> None:
    """A type that nobody knows is kept in the log and has no place on the surface."""
    log = [{"type": "host/own", "seq": 0, "time": 0, "data": [1], "ignorable": True}, message(1)]
    assert folded(log).nodes == (1,)
    assert folded(log).surface_of(0) == "log-only"


@pytest.mark.requirement("LOG-11")
@given(st.integers(0, 9), st.text())
def test_the_error_tells_event_and_reason(seq: int, reason: str) -> None:
    """A surface error is a ValueError that carries both, across processes too."""
    error = SurfaceError(seq, reason)
    back = pickle.loads(pickle.dumps(error))  # noqa: S301 - it is our own
    assert isinstance(error, ValueError)
    assert (back.seq, back.reason, str(back)) == (seq, reason, str(error))


@pytest.mark.requirement("LOG-11")
def test_a_fold_has_a_json_form() -> None:
    """Nodes and replacements are told as plain JSON."""
    fold = folded([message(0), message(1), replace(2, 0, 0, [0])])
    assert fold.surface_of(0) == "shadowed"
    assert fold == folded([message(0), message(1), replace(2, 0, 0, [0])])
    assert fold.to_json() == {"nodes": [2, 1], "replacements": [{"seq": 2, "removed": [0]}]}
