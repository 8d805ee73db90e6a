"""Models: the seam, a script, and any server that speaks the chat completions API."""

from reference_host.models._model import Chunk, Model, ModelRequest
from reference_host.models._recording import RecordingModel
from reference_host.models._replay import ReplayModel

__all__ = ["Chunk", "Model", "ModelRequest", "RecordingModel", "ReplayModel"]
