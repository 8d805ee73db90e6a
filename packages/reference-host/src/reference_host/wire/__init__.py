"""Lines over stdin and stdout, and nothing else on them."""

from reference_host.wire._stdio import (
    LineReader,
    LineWriter,
    claimed_stdio,
    claimed_stdout,
    open_missing_streams,
)

__all__ = ["LineReader", "LineWriter", "claimed_stdio", "claimed_stdout", "open_missing_streams"]
