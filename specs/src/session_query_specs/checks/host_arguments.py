"""What arguments mean, and how wrong ones are told (TOOL-4, TOOL-6, INPUT-1 to INPUT-6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hypothesis import strategies as st
from session_query import ErrorCode

from session_query_specs._subjects import HostUnderTest
from session_query_specs.checks._check import Violation, reached
from session_query_specs.checks._hosts import (
    FAILED,
    INVALID_ARGUMENT,
    MISSING_AGENT,
    NO_CURRENT_STEP,
    TARGET_ASKS,
    UNAUTHORIZED,
    answered,
    coded,
    host_check,
    plain,
    refused,
)
from session_query_specs.hosts import (
    CANARY,
    HostCall,
    host_calls,
)

__all__: list[str] = []

_SEARCHES: Final = ("session_search", "session_event_search")


# -- what there isn't ---------------------------------------------------------------------------

_OF_THE_HOST: Final = (
    *("cwd", "workspace", "limit", "page_size", "offset", "cursor", "signal", "agent", "session"),
    *("max_search_results", "timeout", "caller"),
)


@host_check(
    "TOOL-4/no-such-argument",
    st.builds(
        lambda tool, name, value: plain(tool).asking(**{name: value}),
        st.sampled_from(["session_search", *TARGET_ASKS]),
        st.sampled_from(_OF_THE_HOST),
        st.sampled_from([1, "/srv/elsewhere", CANARY]),
    ),
    weight=2,
)
async def _no_such_argument(host: HostUnderTest, example: HostCall) -> None:
    """No argument names a workspace, a limit, a page size, an offset or a cursor."""
    await answered(host, plain(example.tool), "v0")
    [name] = [name for name in example.arguments if name in _OF_THE_HOST]
    await refused(host, example, name, f"there is no argument {name!r}")


_CODES: Final = frozenset(
    {FAILED, INVALID_ARGUMENT, MISSING_AGENT, NO_CURRENT_STEP, UNAUTHORIZED}
    | {code.value for code in ErrorCode}
    - {"SESSION_QUERY_INVALID_CONFIG", "SESSION_QUERY_SOURCE_CONFLICT"}
)


@host_check("TOOL-6/codes", host_calls(), weight=2)
async def _codes(host: HostUnderTest, example: HostCall) -> None:
    """A call ends with a text, or with one of the codes that there are and a message."""
    heard = await example.heard(host)
    outcome = heard.outcome
    if outcome is None or (outcome.text is None) == (outcome.code is None):
        raise Violation("a text or a code", f"{outcome}")
    if outcome.code is not None:
        reached(outcome.code)
        coded(heard, *sorted(_CODES))


# -- what is wrong ------------------------------------------------------------------------------

_WRONG_TEXTS: Final[tuple[Any, ...]] = (
    *([], "user/message", 3, True, {}, {"a": 1}, [3], ["a", None], [["a"]], [True], [{}]),
)
_WRONG_COMMON: Final[Mapping[str, tuple[Any, ...]]] = {
    "query": (
        *([], 3, {"text": "rocket"}, True, 1.5, ["rocket"]),
        *("", " ", "\t\n", "\u3000\u2028", "rocket\0", "\0"),
    ),
    "match": ("fuzzy", 3, ["all"], "", "ALL", "all ", True, [], {}),
    "event_types": _WRONG_TEXTS,
}
_WRONG_TARGET: Final[Mapping[str, tuple[Any, ...]]] = {
    "session_id": (3, ["v0"], True, "", [], {}, 1.5)
}
_WRONG_SEQ: Final[tuple[Any, ...]] = (
    *(-1, -(2**53), True, False, "0", 2**53, 2.0**53, 1e300, 0.5, -0.5, [0], {}),
)
_NO_TIME: Final[tuple[Any, ...]] = (
    *("2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:60Z", "2026-01-01"),
    *("2026-01-01T00:00:00", "yesterday", 1_790_000_000_000, "2026-01-01T00:00:00+24:00", True),
    *("2026-13-01T00:00:00Z", "2025-02-29T00:00Z", "0000-01-01T00:00:00Z", ""),
    *("1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-00-01T00:00:00Z", 1.5, [], {}),
    *("2026-01-00T00:00:00Z", "2026-01-01T00:60:00Z", "2026-12-31T23:59:60Z", "now", False),
    *(
        "2026-01-01T00:00:00+00:60",
        "2026-01-01T00Z",
        "2026-01-01T00:00:00.Z",
        ["2026-01-01T00:00Z"],
    ),
    *("2026-01-01T00:00.5Z", "2026-01-01 00:00:00Z", "2026-1-01T00:00:00Z", "1790000000000"),
    *("+2026-01-01T00:00:00Z", "12026-01-01T00:00:00Z", "2026-01-01T00:00:00Z\n"),
    *(" 2026-01-01T00:00:00Z", "2026-01-01T00:00:00+1:00", "2026-01-01T00:00:00 UTC"),
    *("2026-W01-1T00:00:00Z", "2026-01-01T00:00:00Z.5", "2026-01-01T00:00:00\u221201:00"),
    "\uff12\uff10\uff12\uff16-01-01T00:00:00Z",
)
_WRONG: Final[Mapping[str, Mapping[str, tuple[Any, ...]]]] = {
    "session_search": {
        **_WRONG_COMMON,
        "session_ids": _WRONG_TEXTS,
        "parent_session_ids": _WRONG_TEXTS,
        "include_root_sessions": ("yes", 1, 0, "true", [], {}, 1.0),
        "event_seq_from": _WRONG_SEQ,
        "event_seq_to": _WRONG_SEQ,
    },
    "session_event_search": {
        **_WRONG_COMMON,
        **_WRONG_TARGET,
        "seq_from": _WRONG_SEQ,
        "seq_to": _WRONG_SEQ,
    },
    "session_trace": _WRONG_TARGET,
    "session_event_trace": {**_WRONG_TARGET, "seq": _WRONG_SEQ},
    "session_event_read": {
        **_WRONG_TARGET,
        "seq": _WRONG_SEQ,
        "before": (*_WRONG_SEQ, 10_000),
        "after": (*_WRONG_SEQ, 10_000),
    },
}


@st.composite
def _wrong(draw: st.DrawFn, table: Mapping[str, Mapping[str, tuple[Any, ...]]]) -> HostCall:
    tool = draw(st.sampled_from(sorted(table)))
    name = draw(st.sampled_from(sorted(table[tool])))
    call = plain(tool).asking(**{name: draw(st.sampled_from(table[tool][name]))})
    return call.but(arguments={name: call.arguments[name], **call.arguments})


async def _precisely(host: HostUnderTest, example: HostCall) -> None:
    """See that the first argument of a call is refused, and that the call works without it."""
    await answered(host, plain(example.tool), "v0")
    name, value = next(iter(example.arguments.items()))
    await refused(host, example, name, f"{name}={value!r} can't be meant")


@host_check("INPUT-2/wrong", _wrong(_WRONG), weight=4)
async def _wrong_arguments(host: HostUnderTest, example: HostCall) -> None:
    """A wrong type, an empty list, a negative or unsafe number is refused by its name."""
    await _precisely(host, example)


@host_check(
    "INPUT-2/unknown",
    st.builds(
        lambda tool, name: plain(tool).asking(**{name: 1}),
        st.sampled_from(["session_search", *TARGET_ASKS]),
        st.sampled_from(["colour", "Query", "sessionId", "self", "run", "seq "]),
    ),
)
async def _unknown(host: HostUnderTest, example: HostCall) -> None:
    """An unknown argument is refused by its name."""
    await answered(host, plain(example.tool), "v0")
    *_, name = example.arguments
    await refused(host, example, name, f"there is no argument {name!r}")


@host_check(
    "INPUT-2/missing",
    st.sampled_from(
        [plain(tool).asking(query=None) for tool in _SEARCHES]
        + [plain(tool).asking(seq=None) for tool in ("session_event_trace", "session_event_read")]
    ),
    weight=0.2,
)
async def _missing(host: HostUnderTest, example: HostCall) -> None:
    """A required argument that is missing is refused by its name."""
    await answered(host, plain(example.tool), "v0")
    name = "query" if example.tool in _SEARCHES else "seq"
    await refused(host, example, name, f"{name} is required")


_TIMES: Final = {
    "session_search": ("created_at_from", "created_at_to", "event_time_from", "event_time_to"),
    "session_event_search": ("time_from", "time_to"),
}


@host_check(
    "INPUT-3/no-time",
    _wrong({tool: dict.fromkeys(names, _NO_TIME) for tool, names in _TIMES.items()}),
    weight=2,
)
async def _no_time(host: HostUnderTest, example: HostCall) -> None:
    """A time that doesn't exist, or has no offset, is refused by its name."""
    await _precisely(host, example)


@host_check(
    "INPUT-4/closed-sets",
    _wrong(
        {
            "session_search": {
                "availability": (["gone"], ["live", "Live"], ["current"], *_WRONG_TEXTS),
                "event_surfaces": (["deleted"], ["live"], *_WRONG_TEXTS),
            },
            "session_event_search": {
                "surfaces": (["log_only"], ["current", ""], ["persisted"], *_WRONG_TEXTS)
            },
        }
    ),
)
async def _closed_sets(host: HostUnderTest, example: HostCall) -> None:
    """Availability and surfaces are closed sets; types of events are open."""
    await _precisely(host, example)
    name = next(iter(example.arguments))
    known = ["live", "persisted"] if name == "availability" else ["current", "shadowed", "log-only"]
    for value in known:
        await answered(host, plain(example.tool).asking(**{name: [value]}))
    await answered(host, plain(example.tool).asking(event_types=["host/own", "user/message"]), "v0")
