"""The oracle: a small provider in memory, written from the contract alone (CONF-6).

It knows no index: each search looks at every document. What decides an answer is one short method
each, so that a subclass can get exactly one thing wrong.
"""

from session_query_specs.oracle._engine import OracleEngine
from session_query_specs.oracle._observing import Log, Observed
from session_query_specs.oracle._provider import Oracle
from session_query_specs.oracle._texts import Found, Unit

__all__ = ["Found", "Log", "Observed", "Oracle", "OracleEngine", "Unit"]
