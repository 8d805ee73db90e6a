"""What a run came to, for people and for programs (CONF-14 to CONF-16)."""

from session_query_specs.reports._comparison import Change, Comparison, compare
from session_query_specs.reports._html import html_report
from session_query_specs.reports._json import (
    REPORT_SCHEMA,
    UnreadableReportError,
    json_report,
    read_report,
)
from session_query_specs.reports._junit import junit_report
from session_query_specs.reports._reading import Card, Row, cards_of, replay_command, rows_of
from session_query_specs.reports._terminal import (
    card_lines,
    print_comparison,
    print_report,
    smoke_line,
)

__all__ = [
    "REPORT_SCHEMA",
    "Card",
    "Change",
    "Comparison",
    "Row",
    "UnreadableReportError",
    "card_lines",
    "cards_of",
    "compare",
    "html_report",
    "json_report",
    "junit_report",
    "print_comparison",
    "print_report",
    "read_report",
    "replay_command",
    "rows_of",
    "smoke_line",
]
