"""The form of a text that indexes store, and in which its tokens are counted (SEARCH-6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from session_query.text._folder import Folder, folder
from session_query.text._folding import Segmentation
from session_query.text._memo import WINDOW
from session_query.text._normalization import windows

__all__ = ["folded_form", "index_form", "token_texts", "window_form"]

# With the ASCII character that a mark may be on.
_FOREIGN: Final = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
# For UTF-8: what FTS5's `ascii` tokenizer folds and splits at, non-ASCII left alone.
_FTS5_ASCII: Final = bytes(
    code if not chr(code).isascii() else ord(chr(code).lower() if chr(code).isalnum() else " ")
    for code in range(0x100)
)


def index_form(text: str, segmentation: Segmentation = "script") -> str:
    """Return `text` in a form of which FTS5's `ascii` tokenizer makes exactly `tokenize(text)`.

    That tokenizer folds A-Z and splits at the ASCII characters that are no letter or digit; any
    other character is part of a token. So ASCII text stays as it is, except that a space takes the
    place of NUL, and other text becomes its folded tokens with spaces between them. The form can be
    encoded as UTF-8, and stays the same as long as `TOKENIZER_VERSION` does.

    Raises:
        ValueError: There is no such segmentation.
    """
    fold = folder(segmentation)
    if text.isascii():
        return text.replace("\0", " ")
    return "".join(_forms(text, fold))


def folded_form(text: str, segmentation: Segmentation) -> str:
    """Return `index_form(text)` with A-Z in lower case, so that its tokens are those of `text`."""
    if text.isascii():
        return text.lower()
    return "".join(_forms(text, folder(segmentation)))


def token_texts(text: str, segmentation: Segmentation = "script") -> list[str]:
    """Return the texts of `tokenize(text)`, in a fraction of its time.

    Raises:
        ValueError: There is no such segmentation.
    """
    fold = folder(segmentation)
    if text.isascii() and len(text) <= WINDOW:
        return _as_fts5(text).split()
    tokens: list[str] = []
    pieces: list[str] = []  # of the token that reaches over the end of a window
    for form in _forms(text, fold):
        found = form.split()
        reaches_over = bool(found) and form.endswith(found[-1])
        if pieces:
            if found and form.startswith(found[0]):
                pieces.append(found.pop(0))
                if reaches_over and not found:
                    continue
            tokens.append("".join(pieces))
            pieces.clear()
        if reaches_over:
            pieces.append(found.pop())
        tokens += found
    if pieces:
        tokens.append("".join(pieces))
    return tokens


def _forms(text: str, fold: Folder) -> Iterator[str]:
    """Yield the form of `text` in pieces, with spaces for all that separates."""
    for low, high in windows(text):
        yield window_form(text[low:high], fold)


def window_form(window: str, fold: Folder) -> str:
    """Return the form of one of the `windows` of a text, with spaces for all that separates."""
    if not window.isascii():
        window = _FOREIGN.sub(lambda match: fold.form(match[0]), window)
    return _as_fts5(window)


def _as_fts5(form: str) -> str:
    return form.encode().translate(_FTS5_ASCII).decode()
