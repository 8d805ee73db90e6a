"""Subjects with a single fault each, and those that do nothing right (CONF-11, CONF-12).

What passes the checks that must kill a mutant has the mutant's fault, or the checks are blind.
"""

from session_query_specs.mutants import (  # noqa: F401 - they register themselves
    claiming,
    documenting,
    edging,
    ending,
    finding,
    host_arguments,
    host_authority,
    host_endings,
    host_sharing,
    host_texts,
    observing,
    ordering,
    paging,
    reading,
    sourcing,
    storing,
)
from session_query_specs.mutants._mutant import MUTANTS, Mutant

__all__ = ["MUTANTS", "Mutant"]
