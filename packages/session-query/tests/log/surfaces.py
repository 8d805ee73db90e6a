"""An independent model of the surface on stored forms, and logs to try it with."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st
from session_query.log import SessionEvent

Form = dict[str, Any]

ON_SURFACE = ("user/message", "assistant/message", "tool/result")
OFF_SURFACE = ("turn/start", "tool/call", "assistant/chunk", "session/title", "host/own")


class Rejected(Exception):  # noqa: N818 - an answer of the model
    """The model's verdict on a log, with the place of the first violation."""


def model(log: list[Form]) -> tuple[list[int], list[tuple[int, list[int]]]]:
    """Fold a log on one plain list, rule by rule and without a thought for speed."""
    surface: list[int] = []
    replacements = []
    for place, event in enumerate(log):
        operation: Any = event.get("surfaceOp")
        sources: Any = event.get("sourceEventSeqs")
        fine = event["seq"] == place
        if event["type"] not in ON_SURFACE:
            if not fine or operation is not None or sources is not None:
                raise Rejected(event["seq"])
            continue
        fine = fine and _sources_are_fine(event, sources)
        if operation == "append" and fine:
            surface.append(place)
            continue
        if not fine or not _is_replace(operation):
            raise Rejected(event["seq"])
        start, end = operation["start"], operation["end"]
        if start not in surface or end not in surface:
            raise Rejected(event["seq"])
        first, last = surface.index(start), surface.index(end)
        gone = surface[first : last + 1]
        if first > last or not set(gone) <= set(sources or ()):
            raise Rejected(event["seq"])
        if event["type"] == "tool/result" and not (
            len(gone) == 1
            and log[gone[0]]["type"] == "tool/result"
            and _blanked(log[gone[0]]["data"]) == _blanked(event["data"])
        ):
            raise Rejected(event["seq"])
        surface[first : last + 1] = [place]
        replacements.append((place, gone))
    return surface, replacements


def verdict(log: list[Form]) -> int | None:
    """Return the seq of the event that makes a log invalid; None for a valid one."""
    try:
        model(log)
    except Rejected as rejection:
        return int(rejection.args[0])
    return None


def _is_seq(value: Any) -> bool:
    if isinstance(value, float):
        return value.is_integer() and 0 <= value < 2**53
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _sources_are_fine(event: Form, sources: Any) -> bool:
    if sources is None:
        return True
    return (
        isinstance(sources, list)
        and (sources != [] or event["type"] == "assistant/message")
        and all(_is_seq(seq) and seq < event["seq"] for seq in sources)
        and len(set(sources)) == len(sources)
    )


def _is_replace(operation: Any) -> bool:
    return (
        isinstance(operation, dict)
        and sorted(operation) == ["end", "op", "start"]
        and operation["op"] == "replace"
        and _is_seq(operation["start"])
        and _is_seq(operation["end"])
    )


def _blanked(data: Any) -> Any:
    """Return the data with the content of the first result block taken out."""
    data = copy.deepcopy(data)
    for block in data["message"]["content"]:
        if block["type"] == "tool-result":
            block.pop("content", None)
            break
    return data


def result(call_id: str, text: str, **extra: Any) -> Form:
    """Return the data of a tool result."""
    content = [{"type": "text", "text": text}]
    block = {"type": "tool-result", "toolCallId": call_id, "content": content}
    source = {"kind": "tool", "callId": call_id}
    return {"message": {"role": "user", "content": [block], "source": source}, **extra}


def events_of(log: list[Form]) -> list[SessionEvent]:
    """Read the stored forms."""
    return [SessionEvent.from_json(form) for form in log]


@st.composite
def valid_logs(draw: st.DrawFn, min_size: int = 0, max_size: int = 30) -> list[Form]:
    """Build logs that obey every rule, with many replacements, of replacements too."""
    log: list[Form] = []
    for seq in range(draw(st.integers(min_size, max_size))):
        surface, _ = model(log)
        results = [node for node in surface if log[node]["type"] == "tool/result"]
        kinds = (
            ["off", "append", "append"] + ["replace"] * bool(surface) + ["prune"] * bool(results)
        )
        kind = draw(st.sampled_from(kinds))
        form: Form = {"type": "host/own", "seq": seq, "time": 0, "data": {}}
        cited = draw(st.lists(st.integers(0, seq - 1), unique=True, max_size=3)) if seq else []
        if kind == "off":
            form["type"] = draw(st.sampled_from(OFF_SURFACE))
        elif kind == "append":
            form |= {"type": draw(st.sampled_from(ON_SURFACE)), "surfaceOp": "append"}
            if cited or (form["type"] == "assistant/message" and draw(st.booleans())):
                form["sourceEventSeqs"] = cited
        elif kind == "prune":
            node = draw(st.sampled_from(results))
            form["type"] = "tool/result"
            form["data"] = result(_call_id(log[node]), draw(st.sampled_from(["", "…", "cut"])))
            form |= _replacing(node, node, [node, *cited])
        else:
            first = draw(st.integers(0, len(surface) - 1))
            last = draw(st.integers(first, min(first + 4, len(surface) - 1)))
            form["type"] = draw(st.sampled_from(ON_SURFACE[:2]))
            gone = draw(st.permutations(surface[first : last + 1]))
            form |= _replacing(surface[first], surface[last], [*gone, *cited])
        if form["type"] == "tool/result" and kind == "append":
            form["data"] = result(draw(st.sampled_from("ab")), "long")
        log.append(form)
    return log


def _call_id(form: Form) -> str:
    return str(form["data"]["message"]["source"]["callId"])


def _replacing(start: int, end: int, cited: list[int]) -> Form:
    operation = {"op": "replace", "start": start, "end": end}
    return {"surfaceOp": operation, "sourceEventSeqs": list(dict.fromkeys(cited))}


NUMBERS = st.integers(-1, 12) | st.sampled_from([True, 1.0, 2.5, "1", None, 2**53, [0]])
OPERATIONS: st.SearchStrategy[Any] = st.sampled_from(
    [None, "append", "replace", "", 0, [], {}, {"op": "append"}, {"op": "replace", "start": 0}]
) | st.builds(
    lambda op, start, end, more: {"op": op, "start": start, "end": end, **more},
    st.sampled_from(["replace", "replace", "append", None]),
    NUMBERS,
    NUMBERS,
    st.sampled_from([{}, {}, {"why": 1}]),
)
SOURCES: st.SearchStrategy[Any] = st.lists(NUMBERS, max_size=4) | st.sampled_from(
    [None, [], 0, {}, "0"]
)
DATA = st.builds(result, st.sampled_from("ab"), st.sampled_from(["", "x"])) | st.builds(
    result, st.just("a"), st.just("x"), meta=st.sampled_from([0, False, 1])
)


@st.composite
def broken_logs(draw: st.DrawFn) -> list[Form]:
    """Build logs that are valid but for up to three fields, or that happen to stay valid."""
    log = draw(valid_logs(min_size=1, max_size=12))
    for _ in range(draw(st.integers(1, 3))):
        form = log[draw(st.integers(0, len(log) - 1))]
        field, values = draw(
            st.sampled_from(
                [
                    ("surfaceOp", OPERATIONS),
                    ("sourceEventSeqs", SOURCES),
                    ("type", st.sampled_from(ON_SURFACE + OFF_SURFACE)),
                    ("seq", st.integers(0, 12)),
                    ("data", DATA),
                ]
            )
        )
        form[field] = draw(values)
        if form[field] is None:
            del form[field]
        if form["type"] == "tool/result" and "message" not in form["data"]:
            form["data"] = result("a", "x")
    return log
