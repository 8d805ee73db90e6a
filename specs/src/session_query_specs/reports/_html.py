"""The report as one page that needs nothing else: no script, no font, no network (CONF-16)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from session_query_specs.contract import REQUIREMENTS
from session_query_specs.reports._neutral import neutral
from session_query_specs.reports._reading import cards_of, columns_of, rows_of
from session_query_specs.running import Report, Status

__all__ = ["html_report"]


def _finalized(value: Any) -> Any:
    """Make whatever the template puts out harmless; escaping comes after."""
    return neutral(value) if type(value) is str else value


_PAGES: Final = Environment(
    loader=PackageLoader("session_query_specs.reports", "."),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    finalize=_finalized,
)


def _coded(text: str) -> Markup:
    """Return a sentence in which what stands between backticks is marked as code."""
    pieces = [escape(neutral(piece)) for piece in text.split("`")]
    marked = (
        Markup("<code>{}</code>").format(one) if n % 2 else one for n, one in enumerate(pieces)
    )
    return Markup("").join(marked)


_PAGES.filters["coded"] = _coded

_LISTED: Final = (
    Status.KNOWN_FAILURE,
    Status.NOT_SCORED,
    Status.NOT_CLAIMED,
    Status.NOT_TESTABLE,
)


def html_report(report: Report) -> str:
    """Return the report as an HTML page."""
    return _PAGES.get_template("report.html.jinja").render(
        report=report,
        claims=_claims(report.capabilities),
        columns=columns_of(report),
        rows=rows_of(report),
        cards=cards_of(report),
        passed=[one for one in report.results if one.status is Status.PASSED],
        lists=[
            (status.value, found)
            for status in _LISTED
            if (found := [one for one in report.results if one.status is status])
        ],
        sentences={one.id: one.sentence for one in REQUIREMENTS.values()},
    )


def _claims(capabilities: Mapping[str, Any]) -> Mapping[str, str]:
    return {
        name: _shown(value) for name, value in capabilities.items() if value not in (False, None)
    }


def _shown(value: Any) -> str:
    if value is True:
        return "yes"
    return value if isinstance(value, str) else ", ".join(sorted(value))
