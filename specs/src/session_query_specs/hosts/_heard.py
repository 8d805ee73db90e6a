"""How a call of a tool ended, and what became of sessions meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from session_query_specs._subjects import ToolOutcome
from session_query_specs.corpora import Corpus, Session
from session_query_specs.hosts._scripted import Recorded
from session_query_specs.hosts._workspaces import CANARY, CANARY_DAY

__all__ = ["AbortReason", "Change", "Heard", "Moment", "required"]

Moment: TypeAlias = tuple[Literal["before", "after", "read", "task"], int]
"""Before or after the engine's call of a number, at the store's read of a number, or in a task of
its own after so many rounds of the loop."""


class AbortReason(Exception):  # noqa: N818 - it is a reason, and no error
    """What a call is aborted with."""


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of a session at some moment; None stands for its end."""

    moment: Moment
    session_id: str
    session: Session | None

    def __str__(self) -> str:
        when = {"before": "before call", "after": "after call", "read": "at read"}
        moment = f"{when.get(self.moment[0], 'in a task, after round')} {self.moment[1]}"
        if self.session is None:
            return f"{moment}, session {self.session_id!r} is deleted"
        told = list(Corpus((self.session,)).described())
        return f"{moment}, it becomes: {'; '.join(line.strip() for line in told)}"


def required(answer: object) -> ToolOutcome:
    """Return what a host returned, which says how the call ended.

    Raises:
        TypeError: it is something else, which must not be taken for an abort or an answer.
    """
    if isinstance(answer, ToolOutcome):
        return answer
    kind = "None" if answer is None else f"a {type(answer).__name__}"
    raise TypeError(f"call returned {kind}, not a ToolOutcome")


@dataclass(frozen=True, slots=True)
class Heard:
    """How a call ended.

    Attributes:
        outcome: what the host returned; None where it raised the reason of the abort.
        calls: what it asked the engine.
        running: how many calls of the engine were running when it ended.
        landed: whether the abort came in time.
        outlived: how many calls of the engine went on after the abort as if there were none.
        asked: the texts among the arguments: to say them back is no leak.
    """

    outcome: ToolOutcome | None
    calls: tuple[Recorded, ...]
    running: int = 0
    landed: bool = False
    outlived: int = 0
    asked: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text of the answer, empty if there is none."""
        return "" if self.outcome is None else self.outcome.text or ""

    @property
    def code(self) -> str | None:
        """The code of the failure."""
        return None if self.outcome is None else self.outcome.code

    @property
    def leaks(self) -> bool:
        """Whether a canary is in it, in whatever case, and not only because it was asked for."""
        told = repr(self.outcome)
        for text in self.asked:
            told = told.replace(text, "")
        return CANARY in told.casefold() or CANARY_DAY in told

    @property
    def methods(self) -> list[str]:
        """The names of the calls."""
        return [call.method for call in self.calls]

    def __str__(self) -> str:
        if self.outcome is None:
            return "the reason of the abort"
        if self.outcome.code is not None:
            return f"{self.outcome.code}: {self.outcome.message!r:.200}"
        return f"the answer {self.text!r:.600}"
