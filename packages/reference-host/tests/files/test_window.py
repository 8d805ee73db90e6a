"""Parts of a file in bytes, without a split code point."""

from __future__ import annotations

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference_host.files import Window, read_window

from ..texts import TEXTS, utf8


class CountingFile(io.BytesIO):
    """Knows how many bytes were read of it, and never gives more than a few at once."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        assert size is not None
        assert size >= 0
        data = super().read(min(size, 5))
        self.taken += len(data)
        return data


def windows(data: bytes, limit: int, *, surrogates: bool) -> list[Window]:
    """All windows of a file, one after the other."""
    found = [read_window(io.BytesIO(data), 0, limit, surrogates=surrogates)]
    while found[-1].end < len(data):
        found.append(read_window(io.BytesIO(data), found[-1].end, limit, surrogates=surrogates))
    return found


@pytest.mark.requirement("SPILL-4")
@given(text=TEXTS, limit=st.integers(1, 9))
@example(text="\ud83d\ude00😀", limit=1)
def test_windows_make_up_the_text(text: str, limit: int) -> None:
    """Read one after the other, windows hold the whole text, whatever their size."""
    found = windows(utf8(text), limit, surrogates=True)
    assert "".join(window.text for window in found) == text
    assert all(window.total == len(utf8(text)) for window in found)


@pytest.mark.requirement("SPILL-4")
@given(text=TEXTS, stride=st.integers(1, 9))
def test_fixed_strides_make_up_the_text_too(text: str, stride: int) -> None:
    """A reader that adds its own limit to the offset gets each code point once as well."""
    data = utf8(text)
    found = [
        read_window(io.BytesIO(data), offset, stride, surrogates=True).text
        for offset in range(0, len(data), stride)
    ]
    assert "".join(found) == text


@pytest.mark.requirement("SPILL-4")
@given(data=st.binary(max_size=40), offset=st.integers(0, 60), limit=st.integers(1, 60))
@example(data=b"\x80" * 30, offset=3, limit=2)
@example(data=b"\xf0\x9f\x98", offset=1, limit=1)
def test_any_bytes_can_be_read(data: bytes, offset: int, limit: int) -> None:
    """Of bytes that are no UTF-8 a window tells its very range, and goes on or is at the end."""
    window = read_window(io.BytesIO(data), offset, limit)
    assert window.text == data[window.start : window.end].decode("utf-8", "replace")
    assert min(offset, len(data)) <= window.start <= window.end
    assert window.start - offset <= 3
    assert window.end == len(data) or offset + limit <= window.end <= offset + limit + 3
    assert window.total == len(data)


@pytest.mark.requirement("SPILL-4")
@given(st.binary(max_size=40), st.integers(1, 9))
def test_windows_make_up_any_bytes(data: bytes, limit: int) -> None:
    """Windows of any bytes leave no byte out and show none twice."""
    found = windows(data, limit, surrogates=False)
    ends = [0, *(window.end for window in found)]
    assert [window.start for window in found] == ends[:-1]
    assert ends[-1] == len(data)


@pytest.mark.requirement("SPILL-4")
def test_only_what_is_asked_for_is_read() -> None:
    """Of a large file a few bytes are read for a small window, also where reads fall short."""
    file = CountingFile(b"x" * 10_000)
    window = read_window(file, 5_000, 100)
    assert (window.start, window.end, len(window.text)) == (5_000, 5_100, 100)
    assert file.taken <= 106


@pytest.mark.requirement("SPILL-4")
def test_lone_surrogates_are_text_only_where_they_were_saved() -> None:
    """Lone surrogates in UTF-8 are read as such only if asked for; damage is U+FFFD always."""
    data = utf8("a\ud800b")
    assert read_window(io.BytesIO(data), 0, 9, surrogates=True).text == "a\ud800b"
    assert read_window(io.BytesIO(data), 0, 9).text == "a\ufffd\ufffd\ufffdb"
    assert read_window(io.BytesIO(b"a\xffb"), 0, 9, surrogates=True).text == "a\ufffdb"
