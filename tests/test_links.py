"""The documents point at what exists."""

from __future__ import annotations

import re
from pathlib import Path

CODE = re.compile(r"^(```|~~~).*?^\1|(`+)(?!`).+?(?<!`)\2(?!`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(<?([^\s)>]+)|^\[[^]]+\]:\s*<?([^\s>]+)", re.MULTILINE)
SCHEME = re.compile(r"[a-z][a-z+.-]*:", re.IGNORECASE)


def anchors(document: Path) -> set[str]:
    """The fragments that the headings of a Markdown file can be linked by."""
    headings = re.findall(r"^#{1,6} (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in headings}


def problem(document: Path, target: str) -> str | None:
    """Why a target can't be reached from a document, or None."""
    name, _, fragment = target.partition("#")
    path = document.parent / name if name else document
    if not path.exists():
        return "no such file"
    if fragment and path.suffix == ".md" and fragment not in anchors(path):
        return "no such heading"
    return None


def test_relative_links_exist(root: Path, tracked: list[Path]) -> None:
    """Each relative link in Markdown leads to a file, and to a heading where it names one."""
    broken = [
        f"{document.relative_to(root)}: {target}: {reason}"
        for document in tracked
        if document.suffix == ".md"
        for match in LINK.finditer(CODE.sub("", document.read_text("utf-8")))
        if not SCHEME.match(target := match.group(1) or match.group(2))
        if (reason := problem(document, target))
    ]
    assert not broken, "\n".join(["broken links:", *broken])
