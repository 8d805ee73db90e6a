"""Does the steps of a scenario, one after the other."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import singledispatchmethod
from typing import Any, TypeVar

import acp
from acp import RequestError
from pydantic import ValidationError
from session_query import PersistenceError

from acp_snapshot.errors import AgentEndedError, AgentTimeoutError, ScenarioStepError
from acp_snapshot.launcher import Limits, RunningAgent, RunPlaces
from acp_snapshot.scenario._materials import OpenStore, open_jsonl_store, placed
from acp_snapshot.scenario._model import (
    AwaitPrompt,
    AwaitTurnEnd,
    AwaitUpdate,
    Cancel,
    Capture,
    CloseStdin,
    ForkSession,
    Initialize,
    ListSessions,
    LoadSession,
    NewSession,
    Prompt,
    RawRequest,
    SendLine,
    Step,
)

__all__ = ["Memory", "StepPlayer"]

T = TypeVar("T")

_SECONDS_BETWEEN_LOOKS = 0.02


@dataclass(frozen=True, slots=True)
class Memory:
    """What a scenario has learned until now, in all of its processes.

    Attributes:
        sessions: the id of each session, by its name.
        names: what stands for `<workspace>`, `<session:NAME>` and `<captured:NAME>`.
    """

    sessions: dict[str, str]
    names: dict[str, str]

    def add_session(self, name: str, session: str) -> None:
        """Remember a session."""
        self.sessions[name] = session
        self.names[f"<session:{name}>"] = session


class StepPlayer:
    """Does steps against one running agent.

    Attributes:
        limits: how long each may take.
    """

    def __init__(
        self, places: RunPlaces, memory: Memory, open_store: OpenStore, limits: Limits
    ) -> None:
        self.limits = limits
        self._places = places
        self._memory = memory
        self._open_store = open_store
        self._agent: RunningAgent
        self._prompts: dict[str, asyncio.Task[Any]] = {}
        self._since: dict[str, int] = {}
        self._turns_before: dict[str, int] = {}

    @asynccontextmanager
    async def talking_to(self, agent: RunningAgent) -> AsyncIterator[None]:
        """Play steps against an agent; no prompt of theirs runs on afterwards."""
        self._agent = agent
        try:
            yield
        finally:
            for prompt in self._prompts.values():
                prompt.cancel()
            await asyncio.gather(*self._prompts.values(), return_exceptions=True)

    async def play(self, step: Step) -> None:
        """Do one step.

        Raises:
            AgentError: the agent failed as a process.
            ScenarioStepError: it answered otherwise than the step says.
        """
        await self._do(step)

    @singledispatchmethod
    async def _do(self, step: Any) -> None:
        raise NotImplementedError(step)

    @_do.register
    async def _(self, step: Initialize) -> None:
        await self._answer(
            step.do, step.error, self._agent.connection.initialize(acp.PROTOCOL_VERSION)
        )

    @_do.register
    async def _(self, step: NewSession) -> None:
        call = self._agent.connection.new_session(cwd=self._placed(step.cwd))
        found = await self._answer(step.do, step.error, call)
        if found is not None:
            self._memory.add_session(step.name, found.session_id)

    @_do.register
    async def _(self, step: LoadSession) -> None:
        session = self._session(step.session)
        call = self._agent.connection.load_session(cwd=self._placed(step.cwd), session_id=session)
        await self._answer(step.do, step.error, call)

    @_do.register
    async def _(self, step: ForkSession) -> None:
        session = self._session(step.session)
        call = self._agent.connection.fork_session(session, self._placed(step.cwd))
        found = await self._answer(step.do, step.error, call)
        if found is not None:
            self._memory.add_session(step.name, found.session_id)

    @_do.register
    async def _(self, step: ListSessions) -> None:
        cwd = None if step.cwd is None else self._placed(step.cwd)
        await self._answer(step.do, step.error, self._agent.connection.list_sessions(cwd=cwd))

    @_do.register
    async def _(self, step: Prompt) -> None:
        session = self._session(step.session)
        self._since[session] = len(self._agent.tee.messages)
        self._turns_before[session] = sum(await self._turn_ends(session))
        block = acp.text_block(self._placed(step.text))
        call = self._agent.connection.prompt(session_id=session, prompt=[block])
        if not step.background:
            await self._turn(step, call)
            return
        if step.session in self._prompts:
            raise ScenarioStepError(f"a prompt of {step.session!r} runs in the background already")
        self._prompts[step.session] = asyncio.ensure_future(call)

    @_do.register
    async def _(self, step: AwaitPrompt) -> None:
        prompt = self._prompts.pop(step.session, None)
        if prompt is None:
            raise ScenarioStepError(f"no prompt of {step.session!r} runs in the background")
        await self._turn(step, prompt)

    @_do.register
    async def _(self, step: AwaitUpdate) -> None:
        await self._update(step.session, step.update, step.containing)

    @_do.register
    async def _(self, step: Cancel) -> None:
        if step.after_update is not None:
            await self._update(step.session, step.after_update, step.containing)
        session = self._session(step.session)
        await self._agent.ask(self._agent.connection.cancel(session), step.do)

    @_do.register
    async def _(self, step: AwaitTurnEnd) -> None:
        session = self._session(step.session)
        turns = step.turns or self._turns_before.get(session, 0) + 1
        what = f"the log of {step.session!r} does not end with the end of turn {turns}"
        try:
            async with asyncio.timeout(self.limits.answer):
                await self._turns_end(step.session, turns, what)
        except TimeoutError:
            raise AgentTimeoutError(what, self._agent.stderr) from None

    @_do.register
    async def _(self, step: RawRequest) -> None:
        params = placed(step.params, self._memory.names)
        answer = await self._agent.ask_raw(step.method, params)
        with self._judged(step.method, step.error):
            if "error" in answer:
                error = answer["error"]
                raise RequestError(error.get("code"), error.get("message"), error.get("data"))

    @_do.register
    async def _(self, step: Capture) -> None:
        texts = await self._told()
        matches = [found for text in texts for found in re.finditer(step.pattern, text)]
        if not matches:
            raise ScenarioStepError(f"nothing that was told or logged matches {step.pattern!r}")
        last = matches[-1]
        self._memory.names[f"<captured:{step.name}>"] = last[1 if last.re.groups else 0]

    @_do.register
    async def _(self, step: SendLine) -> None:
        self._agent.send_line(self._placed(step.line))

    @_do.register
    async def _(self, _step: CloseStdin) -> None:
        self._agent.close_stdin()
        await self._agent.ends()

    async def _turn(self, step: Prompt | AwaitPrompt, call: Awaitable[Any]) -> None:
        found = await self._answer(step.do, step.error, call)
        if found is not None and step.stop_reason not in {None, found.stop_reason}:
            raise ScenarioStepError(
                f"the turn ended with {found.stop_reason!r}, not with {step.stop_reason!r}"
            )

    async def _answer(self, what: str, error: int | None, call: Awaitable[T]) -> T | None:
        """Wait for an answer; None where it is the error that is due."""
        with self._judged(what, error):
            return await self._agent.ask(call, what)
        return None

    @contextmanager
    def _judged(self, what: str, due: int | None) -> Iterator[None]:
        try:
            yield
        except RequestError as error:
            if error.code != due:
                wanted = "an answer" if due is None else f"the error {due}"
                told = f"{what}: {wanted} was due, but there is error {error.code}: {error}"
                if error.data is not None:
                    told += f" {json.dumps(error.data)}"
                raise ScenarioStepError(told) from error
        except ValidationError as error:
            raise ScenarioStepError(
                f"{what}: the answer is not as the protocol says: {error}"
            ) from error
        else:
            if due is not None:
                raise ScenarioStepError(f"{what}: the error {due} was due, but there is an answer")

    async def _update(self, name: str, kind: str, containing: str) -> None:
        session = self._session(name)
        messages = self._agent.tee.messages

        def seen() -> bool | None:
            for message in messages[self._since.get(session, 0) :]:
                params = message.get("params")
                if message.get("method") != "session/update" or not isinstance(params, dict):
                    continue
                update = params.get("update")
                if params.get("sessionId") != session or not isinstance(update, dict):
                    continue
                if update.get("sessionUpdate") == kind and containing in json.dumps(
                    update, ensure_ascii=False
                ):
                    return True
            return None

        await self._agent.until(seen, f"an update {kind!r} of session {name!r}")

    async def _turns_end(self, name: str, turns: int, what: str) -> None:
        session = self._session(name)
        while True:
            # What an agent that has ended did not write, nobody will.
            over = self._agent.tee.ended
            # A turn that was answered has been logged, or is logged elsewhere.
            answered = session in self._turns_before and not self._runs(name)
            ends = await self._turn_ends(session)
            if ends and ends[-1] and sum(ends) >= turns:
                return
            if answered and not ends:
                where = "STATE/sessions" if self._open_store is open_jsonl_store else "STATE"
                raise ScenarioStepError(f"no log of {name!r} under {where}; see open_store")
            if over:
                raise AgentEndedError(f"{what}, and the agent has ended", self._agent.stderr)
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)  # no event tells of a file

    async def _turn_ends(self, session: str) -> list[bool]:
        """Return of each event of the log on disk whether it ends a turn."""
        try:
            stored = await self._open_store(self._places.state).inspect(session)
        except PersistenceError:
            return []
        return [event.type == "turn/end" for event in stored.events]

    def _runs(self, name: str) -> bool:
        prompt = self._prompts.get(name)
        return prompt is not None and not prompt.done()

    def _placed(self, text: str) -> str:
        return str(placed(text, self._memory.names))

    def _session(self, name: str) -> str:
        return self._memory.sessions.get(name, name)

    async def _told(self) -> list[str]:
        """Return all texts of this process's stdout, and then of all logs on disk."""
        store = self._open_store(self._places.state)
        logs = [await store.inspect(header.id) for header in await store.list()]
        events = [event.to_json() for log in logs for event in log.events]
        return list(_texts([*self._agent.tee.messages, *events]))


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from _texts(list(value.values()))
        case list():
            for item in value:
                yield from _texts(item)
