"""Calls that a host must refuse."""

from __future__ import annotations

from collections.abc import Awaitable

import pytest
from reference_host.errors import SessionError

__all__ = ["refused"]


async def refused(call: Awaitable[object], code: str) -> str:
    """See that a call fails with a code; return what is told."""
    with pytest.raises(SessionError) as raised:
        await call
    assert raised.value.code == code
    return raised.value.message
