"""The agent loop, and the requests that a log amounts to."""

from reference_host.loop._agent_loop import AgentLoop, TurnEnd
from reference_host.loop._cancelling import cancel_on_abort
from reference_host.loop._requests import rebuild_requests, request_of

__all__ = ["AgentLoop", "TurnEnd", "cancel_on_abort", "rebuild_requests", "request_of"]
