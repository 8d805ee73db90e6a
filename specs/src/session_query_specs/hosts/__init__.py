"""What drives a host: a scripted engine, calls as data, workspaces and failures (CONF-2)."""

from session_query_specs.hosts._calls import HostCall, HostPair
from session_query_specs.hosts._drawing import (
    HIDDEN,
    IDS,
    MISSING,
    VISIBLE,
    asks,
    hidden_sessions,
    host_calls,
    pairs,
    visible_sessions,
)
from session_query_specs.hosts._failures import (
    FAILURES,
    HOSTILE,
    NOBODYS_ABORT,
    UNKNOWN,
    Failure,
    of_code,
)
from session_query_specs.hosts._heard import Change, Heard, Moment
from session_query_specs.hosts._logging import refused_logs
from session_query_specs.hosts._racing import Race
from session_query_specs.hosts._scripted import Recorded, ScriptedEngine
from session_query_specs.hosts._sharing import AtOnce, InTurn
from session_query_specs.hosts._workspaces import (
    CALLER,
    CANARY,
    ELSEWHERE,
    HERE,
    LATE,
    hidden,
    log,
    own,
    visible,
)

__all__ = [
    "CALLER",
    "CANARY",
    "ELSEWHERE",
    "FAILURES",
    "HERE",
    "HIDDEN",
    "HOSTILE",
    "IDS",
    "LATE",
    "MISSING",
    "NOBODYS_ABORT",
    "UNKNOWN",
    "VISIBLE",
    "AtOnce",
    "Change",
    "Failure",
    "Heard",
    "HostCall",
    "HostPair",
    "InTurn",
    "Moment",
    "Race",
    "Recorded",
    "ScriptedEngine",
    "asks",
    "hidden",
    "hidden_sessions",
    "host_calls",
    "log",
    "of_code",
    "own",
    "pairs",
    "refused_logs",
    "visible",
    "visible_sessions",
]
