"""What every test of the workspace may rely on: Hypothesis profiles and recorded sessions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No profile has a deadline or minds slow generation: no test fails because the machine is busy.
# Hypothesis starts in a profile of its own in CI; what is derived here must be the same everywhere.
DEV = settings(
    settings.get_profile("default"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)

settings.register_profile("dev", DEV)
settings.register_profile("ci", DEV, derandomize=True, database=None, print_blob=True)
settings.register_profile("soak", DEV, max_examples=10_000, stateful_step_count=200)
# `--hypothesis-profile`, where given, is applied after this and wins.
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session")
def real_data(pytestconfig: pytest.Config) -> Path:
    """The folder of recorded sessions; skips the test where the machine has none.

    It's the folder that `SESSION_QUERY_DATA` names, or else `shared/data` beside the checkout.
    """
    beside = pytestconfig.rootpath.parent / "shared" / "data"
    folder = Path(os.environ.get("SESSION_QUERY_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no recorded sessions at {folder}; set SESSION_QUERY_DATA to a folder of them")
    return folder
