"""All checks, by subject; importing this registers every one."""

from session_query_specs.checks._check import CHECKS, Check, Example, Violation, check, reached

__all__ = ["CHECKS", "Check", "Example", "Violation", "check", "reached"]
