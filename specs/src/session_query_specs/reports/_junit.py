"""The report as JUnit XML, for what shows tests in CI (CONF-16)."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from session_query_specs.reports._neutral import neutral
from session_query_specs.reports._reading import subject_of
from session_query_specs.running import CheckResult, Report, Status

__all__ = ["junit_report"]


def junit_report(report: Report) -> str:
    """Return the report as XML: a test suite for each subject, a test case for each check."""
    root = ET.Element("testsuites", name=f"session-query-conformance {neutral(report.subject)}")
    suites: dict[str, list[CheckResult]] = {}
    for result in report.results:
        suites.setdefault(subject_of(result.requirement), []).append(result)
    _add_counts(root, list(report.results))
    root.set("time", f"{report.seconds:.3f}")
    for subject, results in suites.items():
        suite = ET.SubElement(root, "testsuite", name=subject)
        _add_counts(suite, results)
        properties = ET.SubElement(suite, "properties")
        for name, value in _facts(report).items():
            ET.SubElement(properties, "property", name=name, value=neutral(value))
        for result in results:
            _add_case(suite, subject, result)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_counts(element: ET.Element, results: list[CheckResult]) -> None:
    failures = sum(result.status.spoils for result in results)
    passed = sum(result.status is Status.PASSED for result in results)
    element.set("tests", str(len(results)))
    element.set("failures", str(failures))
    element.set("errors", "0")
    element.set("skipped", str(len(results) - failures - passed))


def _facts(report: Report) -> dict[str, str]:
    return {
        "where": report.where,
        "profile": report.profile,
        "seed": str(report.seed),
        "contract": report.contract,
        "suite": report.suite,
    }


def _add_case(suite: ET.Element, subject: str, result: CheckResult) -> None:
    case = ET.SubElement(suite, "testcase", classname=subject, name=result.name)
    if result.status is Status.PASSED:
        return
    told = f"{result.status.value}: {result.reason or result.claim}"
    kind = "failure" if result.status.spoils else "skipped"
    element = ET.SubElement(case, kind, message=neutral(told))
    if result.finding is not None:
        finding = result.finding
        element.text = neutral(
            "\n".join(
                [
                    *finding.example,
                    f"expected: {finding.expected}",
                    f"got: {finding.got}",
                    *finding.schedule,
                    finding.script,
                ]
            )
        )
