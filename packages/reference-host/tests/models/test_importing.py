"""What the import of the host costs, and what a missing extra does (HOST-7)."""

from __future__ import annotations

import subprocess
import sys

import pytest

LISTS_HEAVY = """
import sys, reference_host, reference_host.models, reference_host.composition
print(sorted({"openai", "httpx", "httpx2"} & set(sys.modules)))
"""

WITHOUT_SDK = """
import sys
sys.modules["openai"] = None
from reference_host.errors import ModelError
try:
    import reference_host.models.openai_compatible
except ModelError as error:
    print(error.code, error.message)
"""


def _output(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


@pytest.mark.requirement("HOST-7")
def test_the_host_is_imported_without_the_sdk() -> None:
    """Who uses a script, or another model, neither needs the extra nor waits for its import."""
    assert _output(LISTS_HEAVY) == "[]"


@pytest.mark.requirement("HOST-7")
def test_a_missing_extra_says_what_to_install() -> None:
    """A person without the SDK reads the command that brings it."""
    told = _output(WITHOUT_SDK)
    assert told.startswith("MODEL_UNAVAILABLE")
    assert "pip install 'reference-host[openai]'" in told
