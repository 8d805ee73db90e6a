"""Concatenated zstd frames, of which the last may be torn (LOG-19, LOG-20)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import zstandard

__all__ = ["FrameDecoder", "FrameError", "encode_frame"]

_LEVEL = 3

# Bytes to decode at once: few to begin with, since they can grow 32,768-fold, then about as many
# as give one piece of the wanted size.
_FIRST_SLICE = 512
_LARGEST_SLICE = 8_192
_PIECE = 2**17

# A decompressor costs as much as a small log, and decodes one frame at a time.
_of_thread = threading.local()


class FrameError(ValueError):
    """Raised for damage in a frame; a torn last frame is none."""


def encode_frame(data: bytes) -> bytes:
    """Return `data` as one frame like those of other writers: checksum, no content size."""
    compressor = zstandard.ZstdCompressor(
        level=_LEVEL, write_checksum=True, write_content_size=False
    )
    return compressor.compress(data)


class FrameDecoder:
    """Decodes frames that are fed in blocks of any size; only one at a time in each thread.

    Args:
        offset: where in the file the first block begins, which is where a frame begins.
    """

    def __init__(self, offset: int = 0) -> None:
        self.offset = offset
        """Where in the file the last complete frame ends."""
        if not hasattr(_of_thread, "decompressor"):
            _of_thread.decompressor = zstandard.ZstdDecompressor()
        self._decompressor: zstandard.ZstdDecompressor = _of_thread.decompressor
        self._slice = _FIRST_SLICE
        self._frame: Any = None
        self._fed = 0
        self._blank = False

    def decode(self, block: bytes) -> Iterator[tuple[bytes, bool]]:
        """Yield what the frames hold, piece by piece, and whether a frame ends after the piece.

        Raises:
            FrameError: a frame is damaged, or something else stands where one should begin.
        """
        start = 0
        while start < len(block):
            data = block[start : start + self._slice]
            start += len(data)
            ratio, size = len(data) * _PIECE, 1
            while data:
                piece, ended, data = self._step(data)
                size += len(piece)
                yield piece, ended
            self._slice = max(_FIRST_SLICE, min(ratio // size, _LARGEST_SLICE))

    def _step(self, data: bytes) -> tuple[bytes, bool, bytes]:
        """Decode a piece; return it, whether a frame ends behind it, and the data that is left."""
        if self._frame is None:
            if self._is_blank(data):
                return b"", False, b""
            self._frame = self._decompressor.decompressobj()
            self._fed = 0
        try:
            piece = self._frame.decompress(data)
        except zstandard.ZstdError as error:
            raise FrameError(f"damaged zstd frame at byte {self.offset}: {error}") from None
        if not self._frame.eof:
            self._fed += len(data)
            return piece, False, b""
        rest: bytes = self._frame.unused_data
        self.offset += self._fed + len(data) - len(rest)
        self._frame = None
        return piece, True, rest

    def _is_blank(self, data: bytes) -> bool:
        # Some file systems leave zeros where a crash kept the data of an append from the disk.
        self._blank = self._blank or data[0] == 0
        if self._blank and data.strip(b"\0"):
            raise FrameError(f"no zstd frame at byte {self.offset}")
        return self._blank
