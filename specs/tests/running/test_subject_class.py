"""A class is found by its name, or the author is told plainly what is wrong (CONF-1)."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from session_query_specs import HostUnderTest
from session_query_specs.running import (
    ConformanceUsageError,
    import_subject,
    kind_of,
    run_conformance,
)

from ..toys import Doubler, ToyHost


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory from which modules can be imported."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def written(place: Path, name: str, text: str) -> None:
    """Write a module."""
    (place / f"{name}.py").write_text(dedent(text), "utf-8")


PROVIDER = """
    from session_query_specs import ProviderUnderTest

    class Mine(ProviderUnderTest):
        name = "mine"
        async def open(self, sources, config):
            raise NotImplementedError

    class Other:
        pass
"""


@pytest.mark.requirement("CONF-1")
def test_a_class_is_found_by_module_and_name(place: Path) -> None:
    """MODULE:CLASS gives the class."""
    written(place, "found_mine", PROVIDER)
    assert import_subject("found_mine:Mine").name == "mine"


@pytest.mark.requirement("CONF-1")
@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("asked_mine", "'asked_mine' names no class; write MODULE:CLASS"),
        (":Mine", "names no class"),
        ("asked_mine:", "names no class"),
        ("no_such_module:Mine", "no module 'no_such_module'; is it installed"),
        ("asked_mine.deeper:Mine", "no module 'asked_mine.deeper'"),
        ("asked_mine:Yours", "asked_mine has no class 'Yours'; there is Mine"),
        ("asked_mine:Other", "Other is no subclass of session_query_specs.ProviderUnderTest or"),
        ("asked_needy:Mine", "importing asked_needy failed: ModuleNotFoundError: .*absent_library"),
        ("asked_broken:Mine", "importing asked_broken failed: ZeroDivisionError: division by zero"),
        ("asked_empty:Mine", "it has none that could be tested"),
    ],
)
def test_what_is_wrong_is_told(place: Path, where: str, told: str) -> None:
    """Each way of not being a class has words of its own."""
    written(place, "asked_mine", PROVIDER)
    written(place, "asked_needy", "import absent_library")
    written(place, "asked_broken", "1 / 0")
    written(place, "asked_empty", "")
    with pytest.raises(ConformanceUsageError, match=told):
        import_subject(where)


@pytest.mark.requirement("CONF-1", "CONF-2")
def test_a_class_must_be_whole() -> None:
    """What is missing from a class is named: methods, a name, a way to make it."""

    class Half(ToyHost):
        name = None  # type: ignore[assignment]

    class Needing(Doubler):
        def __init__(self, path: str) -> None:
            self.path = path

    partly: Any = type("Partly", (HostUnderTest,), {"name": "partly"})
    not_a_class: Any = 7
    with pytest.raises(ConformanceUsageError, match="Partly doesn't define call, close, open"):
        kind_of(partly)
    with pytest.raises(ConformanceUsageError, match="Half has no name"):
        kind_of(Half)
    with pytest.raises(ConformanceUsageError, match=r"Needing\(\) can't be made: TypeError"):
        run_conformance(Needing)
    with pytest.raises(ConformanceUsageError, match="7 is no subclass"):
        kind_of(not_a_class)
    assert (kind_of(Doubler), kind_of(ToyHost)) == ("provider", "host")
