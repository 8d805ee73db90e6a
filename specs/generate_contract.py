# ruff: noqa: INP001 - a script that stands alone
"""Write the table of requirements that the suite ships, from the RFCs (CONF-5, CONF-13).

Run it after a change in docs/rfc: `python specs/generate_contract.py`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
RFCS: Final = ROOT / "docs" / "rfc"
TABLE: Final = ROOT / "specs/src/session_query_specs/contract/requirements.json"

VERSION: Final = "1.0"
"""The version of the contract that the RFCs now describe."""

SINCE: Final[dict[str, str]] = {}
"""Since which version there is a requirement; all others are as old as the contract."""

TARGETS: Final = {
    "04-model-tools.md": "host",
    "05-host-and-snapshots.md": "reference",
    "06-conformance.md": "suite",
    "07-command-line.md": "command",
}
"""Whom an RFC binds; the others bind providers."""

_LIBRARY: Final = "it is about the library itself, which every provider shares"
_REFERENCE: Final = "it is about the reference host, which tests it itself"
_NO_CALL: Final = "it is about what is mounted, and a host is asked through calls alone"

EXCLUDED_SUBJECTS: Final = {
    "CONF": "it is about this suite, whose own tests pin it",
    "INDEX": "it is about the index of the SQLite provider, which tests it itself",
    "CLI": "it is about the command line of the SQLite provider, which tests it itself",
    "HOST": _REFERENCE,
    "SPILL": _REFERENCE,
    "ACP": _REFERENCE,
    "SNAP": "it is about the snapshot suite, whose own tests pin it",
}
"""Whole subjects that can't be tested from outside, and why."""

CLAIMABLE: Final = {"INDEX-5", "INDEX-9"}
"""Requirements of such a subject that any provider may claim as a capability."""

EXCLUDED: Final = {
    **{f"LOG-{number}": _LIBRARY for number in range(1, 26) if number not in {6, 12, 23, 24}},
    "ERR-3": _LIBRARY,
    "CANCEL-1": _LIBRARY,
    "CANCEL-7": "it is about time, and the suite looks at no clock",
    "CANCEL-8": "it is about time, and the suite looks at no clock",
    "RECON-6": "it is about cost, which a provider's own benchmarks show",
    "TOOL-1": _NO_CALL,
    "TOOL-2": _NO_CALL,
    "TOOL-3": _NO_CALL,
}
"""Requirements that can't be tested from outside, and why."""

_HEADING: Final = re.compile(r"## (?P<heading>.+)")
_BEGIN: Final = re.compile(r"- \*\*(?P<id>[A-Z]+-\d+)\*\* (?P<text>.+)")
_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_ASIDE: Final = re.compile(r"\*[A-Z][^*]*:\*")
_MOST_SENTENCES, _MOST_TEXT = 3, 400
_SENTENCE: Final = re.compile(r"(?:`[^`]*`|\([^)]*\)|[^`(])*?[.!?](?=\s|$)")


def first_sentence(passage: str) -> str:
    """Return the sentence that a passage begins with; code and brackets don't end one."""
    plain = " ".join(_LINK.sub(r"\1", passage).split())
    found = _SENTENCE.match(plain)
    if found is None:
        raise ValueError(f"no sentence in {plain!r}")
    return found[0]


def text_of(passage: str) -> str:
    """Return what a passage demands, without its reasons and tests; the begin if that is long."""
    demand = _ASIDE.split(" ".join(_LINK.sub(r"\1", passage).split()))[0].strip()
    told, rest = first_sentence(demand), demand[len(first_sentence(demand)) :].strip()
    for _ in range(_MOST_SENTENCES - 1):
        found = _SENTENCE.match(rest)
        if found is None or len(told) + len(found[0]) >= _MOST_TEXT:
            break
        told, rest = f"{told} {found[0]}", rest[len(found[0]) :].strip()
    return f"{told} …" if rest else told


def requirements_of(rfc: Path) -> list[dict[str, Any]]:
    """Return the requirements that one RFC defines, in its order."""
    found: list[dict[str, Any]] = []
    subject, passage = "", ""

    def finish() -> None:
        if passage:
            found[-1]["sentence"] = first_sentence(passage)
            found[-1]["text"] = text_of(passage)

    for line in rfc.read_text("utf-8").splitlines():
        if heading := _HEADING.fullmatch(line):
            subject = heading["heading"]
        if begin := _BEGIN.fullmatch(line):
            finish()
            passage = begin["text"]
            found.append(_entry(begin["id"], subject, TARGETS.get(rfc.name, "provider")))
        elif line.startswith("  ") and passage:
            passage += f" {line.strip()}"
        else:
            finish()
            passage = ""
    finish()
    return found


def _entry(requirement: str, subject: str, target: str) -> dict[str, Any]:
    reason = EXCLUDED.get(requirement)
    if reason is None and requirement not in CLAIMABLE:
        reason = EXCLUDED_SUBJECTS.get(requirement.partition("-")[0])
    return {
        "id": requirement,
        "subject": subject or "The command line",
        "target": target,
        "sentence": "",
        "text": "",
        "since": SINCE.get(requirement, "1.0"),
        **({"excluded": reason} if reason else {}),
    }


def generated() -> str:
    """Return the whole table as text."""
    found = [one for rfc in sorted(RFCS.glob("*.md")) for one in requirements_of(rfc)]
    unknown = (SINCE.keys() | EXCLUDED.keys()) - {one["id"] for one in found}
    if unknown:
        raise ValueError(f"no RFC defines {', '.join(sorted(unknown))}")
    table = {"version": VERSION, "requirements": found}
    return json.dumps(table, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TABLE.write_text(generated(), "utf-8")
