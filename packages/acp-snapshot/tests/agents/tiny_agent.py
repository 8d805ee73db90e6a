"""A small agent that keeps a session log, and can be told to misbehave."""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import time
import uuid
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import acp
from acp.schema import (
    AgentCapabilities,
    ForkSessionResponse,
    ListSessionsResponse,
    PermissionOption,
    SessionInfo,
    ToolCallUpdate,
)
from session_query import (
    JsonlPersistence,
    PersistenceError,
    SessionEvent,
    SessionHeader,
    dumps,
)

READ_TOOL = {"name": "read", "description": "Reads.", "parameters": {"type": "object"}}
QUERY_TOOL = {"name": "session_search", "description": "Finds.", "parameters": {"type": "object"}}


def _now() -> int:
    return time.time_ns() // 1_000_000


def _append(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as record:
        record.write(f"{line}\n")


class _Session:
    """A session and its log."""

    def __init__(self, store: JsonlPersistence, header: SessionHeader) -> None:
        self.header = header
        self.count = 0
        self.turn = 0
        self.logged: Any = None
        self.cancelled = asyncio.Event()
        self._store = store

    async def append(self, *rows: tuple[str, dict[str, Any]]) -> None:
        """Log events."""
        events: list[SessionEvent] = []
        for kind, data in rows:
            surface = "append" if kind in {"user/message", "assistant/message"} else None
            events.append(SessionEvent(kind, self.count + len(events), _now(), data, surface))
        await self._store.append(self.header, events)
        self.count += len(events)


class TinyAgent:
    """Does what its script says, one entry a prompt."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._script = json.loads(Path(options.replay).read_text("utf-8"))["turns"]
        self._store = JsonlPersistence(Path(options.state) / "sessions", compression="none")
        self._sessions: dict[str, _Session] = {}
        self._tools = [READ_TOOL, *([QUERY_TOOL] if options.composition == "query" else [])]
        if options.fault == "mounts-query":
            self._tools.append(QUERY_TOOL)
        if options.fault == "other-schema":
            self._tools[0] = {**READ_TOOL, "description": "Reads a file."}
        self._client: acp.Client

    def on_connect(self, conn: acp.Client) -> None:
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> acp.InitializeResponse:
        return acp.InitializeResponse(
            protocol_version=protocol_version,
            agent_capabilities=AgentCapabilities(load_session=True),
        )

    async def new_session(self, cwd: str, **_: Any) -> acp.NewSessionResponse:
        session = await self._created(cwd, None)
        return acp.NewSessionResponse(session_id=session.header.id)

    async def _created(self, cwd: str, parent: str | None) -> _Session:
        header = SessionHeader(0, str(uuid.uuid4()), _now(), cwd, parent)
        session = _Session(self._store, header)
        self._sessions[header.id] = session
        return session

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> acp.LoadSessionResponse:
        try:
            stored = await self._store.inspect(session_id)
        except PersistenceError:
            raise acp.RequestError(-32002, "no such session", {"cwd": cwd}) from None
        session = _Session(self._store, stored.header)
        session.count = len(stored.events)
        session.turn = sum(event.type == "turn/end" for event in stored.events)
        self._sessions[session_id] = session
        return acp.LoadSessionResponse()

    async def fork_session(self, cwd: str, session_id: str, **_: Any) -> ForkSessionResponse:
        session = await self._created(cwd, session_id)
        return ForkSessionResponse(session_id=session.header.id)

    async def list_sessions(self, cwd: str | None = None, **_: Any) -> ListSessionsResponse:
        found = [one for one in await self._store.list() if cwd in {None, one.cwd}]
        found.sort(key=lambda one: one.created_at)
        infos = [SessionInfo(session_id=one.id, cwd=one.cwd or "") for one in found]
        return ListSessionsResponse(sessions=infos)

    async def cancel(self, session_id: str, **_: Any) -> None:
        self._sessions[session_id].cancelled.set()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> acp.PromptResponse:
        if session_id not in self._sessions:
            raise acp.RequestError(-32002, "no such session")
        session = self._sessions[session_id]
        entry = self._script.pop(0)
        if entry.get("die"):
            os._exit(4)
        turn = session.turn
        session.turn += 1
        message = {
            "id": str(uuid.uuid4()),
            "role": "user",
            "content": [{"type": "text", "text": prompt[0].text}],
        }
        await session.append(("turn/start", {"turn": turn}), ("user/message", message))
        if "tools" in entry:
            self._tools = entry["tools"]
        await self._request(session)
        kind, said = await self._acted(session, entry)
        answer = {"role": "assistant", "content": [{"type": "text", "text": said}]}
        if kind == "completed":
            await self._client.session_update(
                session_id=session_id, update=acp.update_agent_message_text(said)
            )
        await session.append(
            ("assistant/message", {"turn": turn, "step": 0, "message": answer}),
            ("turn/end", {"turn": turn, "reason": {"kind": kind}}),
        )
        return acp.PromptResponse(stop_reason="cancelled" if kind == "aborted" else "end_turn")

    async def _request(self, session: _Session) -> None:
        header = {
            "config": {"model": "tiny"},
            "system": f"You are a tiny agent, and you work in {session.header.cwd}.\n",
            "tools": self._tools,
        }
        if header != session.logged:
            reason = "initial" if session.logged is None else "change"
            session.logged = header
            await session.append(("request/header", {"header": header, "reason": reason}))
        if self._options.fault == "lies-about-header":
            header = {**header, "tools": []}
        _append(Path(self._options.record), dumps({**header, "messages": []}))

    async def _acted(self, session: _Session, entry: dict[str, Any]) -> tuple[str, str]:
        name = session.header.id
        if entry.get("die_late"):
            os._exit(4)
        if "print" in entry:
            os.write(1, entry["print"].encode())
        if entry.get("ask"):
            return "completed", await self._asked(name)
        if entry.get("wait"):
            call = acp.start_tool_call(str(uuid.uuid4()), "searching")
            await self._client.session_update(session_id=name, update=call)
            await session.cancelled.wait()
            return "aborted", "cut off"
        if entry.get("show"):
            return "completed", self._shown(session)
        return "completed", entry["say"]

    async def _asked(self, session_id: str) -> str:
        options = [
            PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
            PermissionOption(option_id="no", name="No", kind="reject_once"),
        ]
        call = ToolCallUpdate(tool_call_id="call-1", title="delete everything")
        answer = await self._client.request_permission(
            session_id=session_id, tool_call=call, options=options
        )
        return f"the answer is {getattr(answer.outcome, 'option_id', 'none')}"

    def _shown(self, session: _Session) -> str:
        """Return a text with all that differs from run to run."""
        cwd = str(session.header.cwd)
        owner = hashlib.sha256(session.header.id.encode()).hexdigest()[:16]
        folder = Path(self._options.state) / "spill" / f"session-{owner}"
        folder.mkdir(parents=True)
        name = f"{uuid.uuid4().hex[:12]}-result.txt"
        (folder / name).write_text("all of it", "utf-8")
        return "\n".join(
            [
                f"session {session.header.id}, by {uuid.uuid4()}, at {_now()}",
                f"in {cwd}, really {os.path.realpath(cwd)}, file://{quote(cwd)}/a%20b",
                json.dumps({"cwd": cwd, "inner": json.dumps({"file": f"{cwd}/é.txt"})}),
                f"spilled to spill:session-{owner}/{name} or {folder / name}",
                f"temporary {os.environ['TMPDIR']} at {time.strftime('%Y-%m-%dT%H:%M:%S%z')}",
                f"home {os.environ['HOME']}, state {self._options.state}",
            ]
        )


async def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["acp"])
    parser.add_argument("--composition", required=True)
    parser.add_argument("--state", required=True)
    parser.add_argument("--replay", required=True)
    parser.add_argument("--record", required=True)
    parser.add_argument("--fault")
    options = parser.parse_args()
    await acp.run_agent(cast("acp.Agent", TinyAgent(options)), use_unstable_protocol=True)


if __name__ == "__main__":
    asyncio.run(_main())
