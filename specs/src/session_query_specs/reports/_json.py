"""The report as JSON, whose form `report.schema.json` fixes (CONF-16)."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from session_query_specs.running import Report

__all__ = ["REPORT_SCHEMA", "UnreadableReportError", "json_report", "read_report"]

REPORT_SCHEMA: Final[dict[str, Any]] = json.loads(
    (files(__package__) / "report.schema.json").read_text("utf-8")
)
"""The JSON Schema of a report."""


class UnreadableReportError(ValueError):
    """Raised for a file that is no report of this suite; the message says why."""


def json_report(report: Report) -> str:
    """Return the report as JSON text; ASCII, so that any text survives."""
    return json.dumps(report.to_json(), indent=2) + "\n"


def read_report(path: Path) -> dict[str, Any]:
    """Return a report that was written before.

    Raises:
        UnreadableReportError: the file is none.
    """
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UnreadableReportError(f"{path}: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("results"), list):
        raise UnreadableReportError(f"{path}: this is no report of session-query-conformance")
    missing = [key for key in REPORT_SCHEMA["required"] if key not in found]
    if missing:
        raise UnreadableReportError(f"{path}: the report has no {', '.join(missing)}")
    for result in found["results"]:
        if not isinstance(result, dict) or not {"check", "status"} <= result.keys():
            raise UnreadableReportError(f"{path}: a result has no check and status")
    return found
