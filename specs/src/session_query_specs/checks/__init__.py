"""All checks, by subject; importing this registers every one."""

from session_query_specs.checks import (  # noqa: F401 - they register themselves
    cancellation,
    capabilities,
    cursor_generations,
    cursors,
    documents,
    exact_failures,
    exact_filters,
    exact_logs,
    exact_sources,
    exploring,
    filter_edges,
    filters,
    host_arguments,
    host_authority,
    host_boundary,
    host_changes,
    host_collecting,
    host_filters,
    host_hostile_text,
    host_lineage,
    host_meanings,
    host_rendering,
    host_sharing,
    left_out,
    observations,
    order_edges,
    reads,
    reconciliation,
    search,
    search_edges,
    search_limits,
    search_order,
    search_texts,
    search_words,
    sources,
    traces,
)
from session_query_specs.checks._check import CHECKS, Check, Example, Violation, check, reached
from session_query_specs.checks._pages import PagesOn

__all__ = ["CHECKS", "Check", "Example", "PagesOn", "Violation", "check", "reached"]
