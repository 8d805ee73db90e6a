"""JSON, JUnit XML and HTML: whole, well formed and harmless (CONF-16)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema  # type: ignore[import-untyped]
import pytest
from session_query_specs.reports import (
    REPORT_SCHEMA,
    UnreadableReportError,
    html_report,
    json_report,
    junit_report,
    read_report,
)
from session_query_specs.running import Report, run_conformance

from ..toys import Doubler, Forgetful, OffBeyondNine, Raising, ToyHost, Wavering, only_toys
from .made import FAILING, FINDING, PASSING

VOID = {"meta", "br"}


@pytest.fixture(autouse=True)
def toys() -> Iterator[None]:
    """Put the toy checks in the place of the suite's."""
    with only_toys():
        yield


class Page(HTMLParser):
    """A page as it is read: its elements, what stands open, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.requirement("CONF-16")
def test_the_schema_is_one() -> None:
    """The published schema is a valid JSON Schema."""
    jsonschema.Draft202012Validator.check_schema(REPORT_SCHEMA)


@pytest.mark.requirement("CONF-16")
@pytest.mark.parametrize("made", [PASSING, FAILING], ids=["passing", "failing"])
def test_reports_are_of_the_schema(made: Report) -> None:
    """A report with everything in it has the published form."""
    jsonschema.validate(json.loads(json_report(made)), REPORT_SCHEMA)


@pytest.mark.requirement("CONF-16")
@pytest.mark.parametrize("subject", [Doubler, OffBeyondNine, Raising, Wavering, Forgetful, ToyHost])
def test_real_runs_are_of_the_schema(subject: type[Doubler]) -> None:
    """What a run reports has the published form, whatever came of it."""
    report = run_conformance(subject)
    jsonschema.validate(json.loads(json_report(report)), REPORT_SCHEMA)


@pytest.mark.requirement("CONF-16")
def test_the_schema_is_closed() -> None:
    """What the schema doesn't know, and a failure without a finding, are not of its form."""
    whole = json.loads(json_report(FAILING))
    with pytest.raises(jsonschema.ValidationError, match="unexpected"):
        jsonschema.validate(whole | {"more": 1}, REPORT_SCHEMA)
    for result in whole["results"]:
        result.pop("finding", None)
    with pytest.raises(jsonschema.ValidationError, match="'finding' is a required property"):
        jsonschema.validate(whole, REPORT_SCHEMA)


@pytest.mark.requirement("CONF-16")
def test_json_tells_what_was_tried() -> None:
    """Examples, situations and seeds stand in the JSON, and each text comes back as it was."""
    told = json.loads(json_report(FAILING))
    first = told["results"][0]
    assert (first["examples"], first["situations"], first["seed"]) == (25, {"a tie": 3}, 7)
    failed = next(one for one in told["results"] if one["check"] == "SEARCH-9/order")
    assert failed["finding"] == FINDING.to_json()
    assert (told["passed"], told["seeds"], told["counts"]["blocked"]) == (False, 1, 1)


@pytest.mark.requirement("CONF-16")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "No such file"),
        (b"{", "old.json: Expecting property name"),
        (b"[]", "this is no report of session-query-conformance"),
        (b'{"results": []}', "the report has no subject, kind"),
        (b"\xff", "old.json: "),
    ],
)
def test_what_is_no_report_is_refused(tmp_path: Path, text: bytes | None, told: str) -> None:
    """A file that isn't a report is refused by its name, with the reason."""
    path = tmp_path / "old.json"
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(UnreadableReportError, match=told):
        read_report(path)


@pytest.mark.requirement("CONF-16")
def test_junit_has_a_case_for_each_result() -> None:
    """The XML parses, counts what it holds, and fails what spoils the run."""
    root = ET.fromstring(junit_report(FAILING))  # noqa: S314 - it is our own
    cases = list(root.iter("testcase"))
    failures = {case.get("name") for case in cases if case.find("failure") is not None}
    skipped = {case.get("name") for case in cases if case.find("skipped") is not None}
    assert len(cases) == len(FAILING.results) == int(root.get("tests", ""))
    assert failures == {"SEARCH-9/order", "SEARCH-9/ties", "READ-1/reads", "READ-2/window"}
    assert skipped == {"CURSOR-2", "LOG-1", "LOG-2", "READ-3/titles", "FILTER-1/new"}
    assert (root.get("failures"), root.get("skipped")) == ("4", "5")
    for suite in root.iter("testsuite"):
        assert int(suite.get("tests", "")) == len(suite.findall("testcase"))


@pytest.mark.requirement("CONF-16")
@pytest.mark.parametrize("written", [junit_report, html_report])
def test_no_text_acts(written: object) -> None:
    """Whatever a subject says is shown as text: written out, escaped, and encodable."""
    assert callable(written)
    text = written(FAILING)
    text.encode("utf-8")
    assert "\\x1b[31m&lt;b&gt;&amp;amp;\\x00\\ud800\\u202e]]&gt;" in text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", text)


@pytest.mark.requirement("CONF-16")
@pytest.mark.parametrize("made", [PASSING, FAILING], ids=["passing", "failing"])
def test_the_page_needs_nothing_else(made: Report) -> None:
    """The page is well formed, runs no script, and asks for nothing outside of itself."""
    text = html_report(made)
    page = Page(text)
    assert page.open == []
    for tag, attributes in page.elements:
        assert tag not in {"script", "link", "img", "iframe", "object"}
        assert not {"src", "onclick", "style"} & attributes.keys()
        assert (attributes.get("href") or "#").startswith("#")
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text


@pytest.mark.requirement("CONF-16")
def test_the_page_shows_each_card_whole() -> None:
    """Each cause has an open card, with all of its example, answers, schedule and script."""
    page = Page(html_report(FAILING))
    opened = [
        attributes["id"]
        for tag, attributes in page.elements
        if tag == "details" and "id" in attributes
    ]
    assert opened == ["SEARCH-9/order", "READ-1/reads", "READ-2/window"]
    assert "session 's29' (stored" in page.text
    assert "print(79)" in page.text
    assert "19. task-19 resumes" in page.text
    assert "--only SEARCH-9/order --profile quick --seed 7" in page.text
    assert "titles are not batched yet" in page.text


@pytest.mark.requirement("CONF-16")
def test_the_page_is_for_phones_paper_and_dark_rooms() -> None:
    """The page says how wide it is, and has rules for narrow screens, paper and dark."""
    text = html_report(PASSING)
    assert 'content="width=device-width' in text
    for medium in ("(max-width: 40rem)", "print", "(prefers-color-scheme: dark)"):
        assert f"@media {medium}" in text
    assert "overflow-wrap: anywhere" in text
