"""What of a run is compared (SNAP-4)."""

from acp_snapshot.surfaces._header import RequestHeader, logged_headers, read_recorded_headers
from acp_snapshot.surfaces._surfaces import Surfaces, places_of, surfaces_of

__all__ = [
    "RequestHeader",
    "Surfaces",
    "logged_headers",
    "places_of",
    "read_recorded_headers",
    "surfaces_of",
]
