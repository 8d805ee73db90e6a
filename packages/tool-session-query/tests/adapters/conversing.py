"""What a test needs of a framework: an agent whose model says what it is told to say."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import ClassVar, NamedTuple

from session_query import LiveSession
from tool_session_query import ToolCalls


@dataclass
class Host:
    """What a host puts into the run context of its framework."""

    session: LiveSession | None


def session_of(host: Host) -> LiveSession | None:
    """Tell the adapters where the session is."""
    return host.session


class Call(NamedTuple):
    """A tool call of a model, its arguments as the text that the model wrote."""

    tool: str
    arguments: str

    @staticmethod
    def of(tool: str, **arguments: object) -> Call:
        """A call with well-formed arguments."""
        return Call(tool, json.dumps(arguments))


class Script:
    """The turns of a model: the calls that it makes in each, and after all of them an end."""

    def __init__(self, turns: Sequence[Sequence[Call]]) -> None:
        self._turns = iter([*turns, []])
        self._ids = count()
        self.offered: dict[str, object] = {}

    def next_turn(self) -> list[tuple[str, Call]]:
        """The calls of the next turn, each with an id."""
        return [(f"call-{next(self._ids)}", call) for call in next(self._turns)]


class Framework(ABC):
    """One framework.

    Attributes:
        waits: whether a cancelled run waits for its tools.
        takes_any_text: whether arguments reach a tool that are no JSON object.
    """

    waits: ClassVar[bool]
    takes_any_text: ClassVar[bool] = True

    @abstractmethod
    async def run(self, calls: ToolCalls, host: Host, script: Script) -> list[str]:
        """Run an agent to its end and return what the model got from its tools, in order."""

    async def answers(
        self, calls: ToolCalls, session: LiveSession | None, *turns: Sequence[Call]
    ) -> list[str]:
        """Run an agent for a session."""
        return await self.run(calls, Host(session), Script(turns))
