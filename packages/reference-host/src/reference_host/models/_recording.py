"""Writes down what a model was asked, for tests that compare it with the log."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from reference_host.models._model import Chunk, Model, ModelRequest

__all__ = ["RecordingModel"]


class RecordingModel:
    """Writes each request as one line of JSON, then asks the model.

    Raises:
        OSError: the file can't be written to.
    """

    def __init__(self, model: Model, path: Path) -> None:
        self._model = model
        self._path = path
        path.open("a").close()  # now, and not in the middle of a turn

    @property
    def config(self) -> Mapping[str, Any]:
        """What names the model."""
        return self._model.config

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Write the request down and answer it."""
        with self._path.open("a", encoding="utf-8", errors="surrogatepass") as file:
            file.write(request.encoded() + "\n")
        async for chunk in self._model.stream(request):
            yield chunk

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()
