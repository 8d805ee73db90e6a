"""The host over the Agent Client Protocol."""

from reference_host.acp._agent import HostAgent
from reference_host.acp._serving import serve, serve_stdio
from reference_host.acp._transport import WireTransport

__all__ = ["HostAgent", "WireTransport", "serve", "serve_stdio"]
