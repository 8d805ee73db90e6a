"""The oracle as the suite opens it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from session_query import SessionQueryEngine, SessionSources

from session_query_specs._subjects import ProviderUnderTest, SuiteConfig
from session_query_specs.oracle._engine import OracleEngine

__all__ = ["Oracle"]


class Oracle(ProviderUnderTest):
    """The oracle, itself under test (CONF-6).

    Attributes:
        engine: the class that is opened; mutants name another one.
    """

    name: ClassVar[str] = "oracle"
    capabilities: ClassVar[Mapping[str, Any]] = {
        "ranking": "contract",
        "segmentation": ("script", "none"),
        "deterministic_loop": True,
    }
    engine: ClassVar[type[OracleEngine]] = OracleEngine

    async def open(self, sources: SessionSources, config: SuiteConfig) -> SessionQueryEngine:
        """Return an open engine over these sources."""
        engine = self.engine(sources, config)
        await engine.open()
        return engine
