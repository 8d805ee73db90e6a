"""Running checks and saying what came of it."""

from session_query_specs.running._judging import judge
from session_query_specs.running._profiles import PROFILES, Profile
from session_query_specs.running._results import CheckResult, Finding, Report, Status

__all__ = ["PROFILES", "CheckResult", "Finding", "Profile", "Report", "Status", "judge"]
