"""The requirements that the suite judges, as a table with versions (CONF-5, CONF-13)."""

from session_query_specs.contract._chain import Link, chain, gaps
from session_query_specs.contract._requirements import (
    CONTRACT_VERSION,
    CONTRACT_VERSIONS,
    REQUIREMENTS,
    Requirement,
    is_newer,
)

__all__ = [
    "CONTRACT_VERSION",
    "CONTRACT_VERSIONS",
    "REQUIREMENTS",
    "Link",
    "Requirement",
    "chain",
    "gaps",
    "is_newer",
]
