"""Concatenated zstd frames, of which the last may be torn (LOG-19, LOG-20)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import zstandard

__all__ = ["FrameDecoder", "FrameError", "encode_frame"]

_LEVEL = 3
_SLICE = 16_384


class FrameError(ValueError):
    """Raised for damage in a frame; a torn last frame is none."""


def encode_frame(data: bytes) -> bytes:
    """Return `data` as one frame like those of other writers: checksum, no content size."""
    compressor = zstandard.ZstdCompressor(
        level=_LEVEL, write_checksum=True, write_content_size=False
    )
    return compressor.compress(data)


class FrameDecoder:
    """Decodes frames that are fed in blocks of any size.

    Args:
        offset: where in the file the first block begins, which is where a frame begins.
        slice_size: bytes to decode at once. A slice can grow 32,768-fold, so a small one bounds
            the memory where only the beginning is wanted.
    """

    def __init__(self, offset: int = 0, slice_size: int = _SLICE) -> None:
        self.offset = offset
        """Where in the file the last complete frame ends."""
        self._decompressor = zstandard.ZstdDecompressor()
        self._slice_size = slice_size
        self._frame: Any = None
        self._fed = 0
        self._blank = False

    def decode(self, block: bytes) -> Iterator[tuple[bytes, bool]]:
        """Yield what the frames hold, piece by piece, and whether a frame ends after the piece.

        Raises:
            FrameError: a frame is damaged, or something else stands where one should begin.
        """
        view = memoryview(block)
        for start in range(0, len(view), self._slice_size):
            rest: bytes | memoryview = view[start : start + self._slice_size]
            while rest:
                if self._frame is None and not self._begin(rest):
                    break
                try:
                    piece = self._frame.decompress(rest)
                except zstandard.ZstdError as error:
                    raise FrameError(f"damaged zstd frame at byte {self.offset}: {error}") from None
                if not self._frame.eof:
                    self._fed += len(rest)
                    yield piece, False
                    break
                unused = self._frame.unused_data
                self.offset += self._fed + len(rest) - len(unused)
                self._frame = None
                yield piece, True
                rest = unused

    def _begin(self, data: bytes | memoryview) -> bool:
        # Some file systems leave zeros where a crash kept the data of an append from the disk.
        self._blank = self._blank or data[0] == 0
        if not self._blank:
            self._frame = self._decompressor.decompressobj()
            self._fed = 0
            return True
        if bytes(data).strip(b"\0"):
            raise FrameError(f"no zstd frame at byte {self.offset}")
        return False
