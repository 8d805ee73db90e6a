"""A small agent host over the Agent Client Protocol, which shows how to mount the tools."""

from reference_host._host import Host
from reference_host._prompt import PromptAssembly

__all__ = ["Host", "PromptAssembly"]
