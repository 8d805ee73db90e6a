"""Exactly one scenario of each composition class shows its request header (SNAP-5)."""

from acp_snapshot.pins._pins import (
    HEADER_FILE,
    HeaderFiles,
    header_files,
    pin_of,
    pin_problems,
    read_pin,
)

__all__ = [
    "HEADER_FILE",
    "HeaderFiles",
    "header_files",
    "pin_of",
    "pin_problems",
    "read_pin",
]
