"""Running checks and saying what came of it."""

from session_query_specs.running._again import again
from session_query_specs.running._conformance import Conformance, run_conformance
from session_query_specs.running._judging import judge
from session_query_specs.running._known_failures import read_known_failures
from session_query_specs.running._order import in_order
from session_query_specs.running._profiles import PROFILES, Profile
from session_query_specs.running._results import CheckResult, Finding, Report, Status
from session_query_specs.running._subject_class import (
    ConformanceUsageError,
    SubjectClass,
    import_subject,
    kind_of,
)

__all__ = [
    "PROFILES",
    "CheckResult",
    "Conformance",
    "ConformanceUsageError",
    "Finding",
    "Profile",
    "Report",
    "Status",
    "SubjectClass",
    "again",
    "import_subject",
    "in_order",
    "judge",
    "kind_of",
    "read_known_failures",
    "run_conformance",
]
