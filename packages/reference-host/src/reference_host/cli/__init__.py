"""The command line."""

from reference_host.cli._main import main

__all__ = ["main"]
