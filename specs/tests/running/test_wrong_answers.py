"""What answers with something of another kind than it owes is told in these words (CONF-15)."""

from __future__ import annotations

from typing import Any

import pytest
from session_query import SessionSearchPage
from session_query_specs import HostUnderTest, ProviderUnderTest, ToolOutcome
from session_query_specs.oracle import Oracle, OracleEngine
from session_query_specs.running import ConformanceUsageError, again, kind_of, run_conformance

from ..toys import ToyHost


class _NoPage(OracleEngine):
    async def search_sessions(self, *_: Any, **__: Any) -> Any:
        return None


class _NoCoroutine(OracleEngine):
    def search_sessions(self, *_: Any, **__: Any) -> Any:
        return SessionSearchPage(())


class NoPage(ProviderUnderTest):
    """Returns no page."""

    name = "no page"
    engine: Any = _NoPage

    async def open(self, sources: Any, config: Any) -> Any:
        return self.engine(sources, config)


class NoCoroutine(NoPage):
    """Searches at once."""

    engine = _NoCoroutine


class NoEngine(NoPage):
    """Opens nothing."""

    async def open(self, *_: Any) -> Any:
        return None


class NotAsync(NoPage):
    """Opens at once."""

    engine = OracleEngine

    def open(self, sources: Any, config: Any) -> Any:
        return self.engine(sources, config)


class Text(ToyHost):
    """Answers with a text alone."""

    async def call(self, *_: Any, **__: Any) -> Any:
        return "text"


class AtOnce(ToyHost):
    """Answers at once."""

    def call(self, *_: Any, **__: Any) -> Any:
        return ToolOutcome("text")


@pytest.mark.requirement("CONF-15")
@pytest.mark.parametrize(
    ("subject", "told"),
    [
        (NoPage, "search_sessions returned None, not a SessionSearchPage"),
        (NoCoroutine, "search_sessions isn't async: it returned a SessionSearchPage"),
        (NoEngine, "open returned None, not a SessionQueryEngine"),
        (NotAsync, "open isn't async: it returned an OracleEngine"),
        (Text, "call returned a str, not a ToolOutcome"),
        (AtOnce, "call isn't async: it returned a ToolOutcome"),
    ],
)
def test_a_wrong_answer_is_named(subject: Any, told: str) -> None:
    """The method and what it answered with are named, and no line of the suite."""
    name = "TOOL-4/no-such-argument" if issubclass(subject, HostUnderTest) else "SEARCH-1/finds"
    [result, *_] = run_conformance(subject, "smoke", only=[name]).results
    assert result.finding is not None
    assert result.finding.got == told


@pytest.mark.requirement("CONF-15")
def test_the_program_of_a_card_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """Judged again call by call, a wrong answer is told in the words of the card, and once."""
    [result] = run_conformance(NoPage, "smoke", only=["SEARCH-1/finds"]).results
    assert result.finding is not None
    program = result.finding.script.replace(f"from {NoPage.__module__} import NoPage\n", "")
    with pytest.raises(SystemExit, match="got: search_sessions returned None, not a SessionSearch"):
        exec(program, {"NoPage": NoPage, "again": again})  # noqa: S102 - it's our own
    assert capsys.readouterr().out.count("search_sessions(") == 1


class Wavering(Oracle):
    """Raises an error of its own."""

    async def open(self, *_: Any) -> Any:
        raise LookupError("mine")


@pytest.mark.requirement("CONF-15")
def test_an_error_of_the_author_stays_theirs() -> None:
    """What is raised in the author's own code is told with its place, as before."""
    [result] = run_conformance(Wavering, "smoke", only=["SEARCH-1/finds"]).results
    assert result.finding is not None
    assert result.finding.got.startswith("LookupError: mine (at ")


class Deaf(ToyHost):
    """Takes no signal."""

    async def call(  # type: ignore[override]
        self, host: Any, tool: str, arguments: Any, *, caller: Any
    ) -> Any:
        raise NotImplementedError


@pytest.mark.requirement("CONF-2")
def test_a_method_that_cannot_be_called_is_refused() -> None:
    """A method without one of the parameters is told before anything is judged."""
    told = r"Deaf.call: got an unexpected keyword argument 'signal'; it is called as \(self, host,"
    with pytest.raises(ConformanceUsageError, match=told):
        kind_of(Deaf)
