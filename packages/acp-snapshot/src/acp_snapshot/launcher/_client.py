"""The client's side of a conversation: it notes what it is told, and allows nothing."""

from __future__ import annotations

from typing import Any, Literal

from acp import RequestError
from acp.schema import (
    AllowedOutcome,
    DeniedOutcome,
    PermissionOption,
    RequestPermissionResponse,
    ToolCallUpdate,
)

__all__ = ["RecordingClient"]


class RecordingClient:
    """Collects updates; answers permission requests, and refuses every other request.

    Attributes:
        updates: each update, with its session.
        permissions: each request for a permission: its session and its call.
    """

    def __init__(self, permissions: Literal["deny", "allow"] = "deny") -> None:
        self.updates: list[tuple[str, Any]] = []
        self.permissions: list[tuple[str, ToolCallUpdate]] = []
        self._wanted = "allow_once" if permissions == "allow" else "reject_once"

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Note an update."""
        self.updates.append((session_id, update))

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        """Choose the option that is wanted; where it is not offered, cancel."""
        self.permissions.append((session_id, tool_call))
        for option in options:
            if option.kind == self._wanted:
                chosen = AllowedOutcome(outcome="selected", option_id=option.option_id)
                return RequestPermissionResponse(outcome=chosen)
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002 - the SDK's signature
        """Refuse an extension."""
        raise RequestError.method_not_found(method)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """Ignore an extension."""
