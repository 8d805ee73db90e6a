"""Where the host logs what people should know and no model is told."""

from __future__ import annotations

import logging
from typing import Final

__all__ = ["logger"]

logger: Final = logging.getLogger("reference_host")
"""Each record has `session_id` and `code`."""
