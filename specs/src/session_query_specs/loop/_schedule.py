"""Who runs next: an object that is drawn before a run, and never inside it (CONF-8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from hypothesis import strategies as st

__all__ = ["FIFO", "Schedule", "numbered", "schedules"]

_MOST_TASKS: Final = 6
_LAST_STEP: Final = 150


@dataclass(frozen=True, slots=True)
class Schedule:
    """Decides which of the tasks that can run is next; the default is what every loop does.

    Attributes:
        priorities: that of each task in order of creation, higher first; 0 where it has none here.
        demotions: pairs of a step and a number: the task that runs at that step goes down by so
            much, from then on.
        newest_first: steps at which the task that became ready last is taken.
        choices: for each step from 0 on, which of those that could run is taken; counted from the
            one that would be next. For long runs only: it shrinks to nothing that can be read.
    """

    priorities: tuple[int, ...] = ()
    demotions: tuple[tuple[int, int], ...] = ()
    newest_first: frozenset[int] = frozenset()
    choices: tuple[int, ...] = ()

    def priority_of(self, task: int) -> int:
        """Return the priority with which the task of that number begins."""
        return self.priorities[task] if task < len(self.priorities) else 0

    def demotion_at(self, step: int) -> int:
        """Return by how much the task that runs at a step goes down."""
        return sum(by for at, by in self.demotions if at == step)

    def chosen(self, step: int, count: int) -> int:
        """Return which of so many candidates, the first being next, is taken at a step."""
        if step in self.newest_first:
            return count - 1
        return self.choices[step] % count if step < len(self.choices) else 0

    def described(self) -> Iterator[str]:
        """Yield the schedule in words."""
        if self == FIFO:
            yield "first come, first served"
        for number, priority in enumerate(self.priorities):
            if priority:
                yield f"task {number} has priority {priority}"
        for step, by in sorted(self.demotions):
            yield f"at step {step}, the task that runs goes down by {by}"
        if self.newest_first:
            yield f"newest first at step {', '.join(map(str, sorted(self.newest_first)))}"
        if any(self.choices):
            yield f"choices {self.choices}"


FIFO: Final = Schedule()
"""First come, first served: what asyncio does, and what every schedule shrinks to."""


def numbered(trace: Sequence[str]) -> list[str]:
    """Return the trace of a run as numbered lines: who ran, for how many steps, and what began.

    Args:
        trace: lines as `3: main`, for a step of a task, or `3: here: what happened in it`.
    """
    names = (line.partition(": ")[2] for line in trace)
    lines = []
    for number, (name, group) in enumerate(groupby(names), 1):
        steps = len(list(group))
        if name.startswith("here: "):
            told = f"   {name.removeprefix('here: ')}"
        else:
            told = f"{name} runs" + (f", {steps} steps" if steps > 1 else "")
        lines.append(f"{number}. {told}")
    return lines


def schedules(*, long: bool = False) -> st.SearchStrategy[Schedule]:
    """Draw schedules; the simplest is first come, first served.

    Args:
        long: also draw a choice for each step.
    """
    steps = st.integers(0, _LAST_STEP)
    each_step = st.lists(st.integers(0, 3), max_size=_LAST_STEP).map(tuple)
    return st.builds(
        Schedule,
        priorities=st.lists(st.integers(0, 3), max_size=_MOST_TASKS).map(tuple),
        demotions=st.lists(st.tuples(steps, st.integers(1, 4)), max_size=3).map(tuple),
        newest_first=st.frozensets(steps, max_size=2),
        choices=each_step if long else st.just(()),
    )
