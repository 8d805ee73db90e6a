"""Reading files of the session's folder, and its own spilled results (SPILL-4)."""

from __future__ import annotations

import copy
import errno
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from session_query import LiveSession, run_blocking

from reference_host.errors import ToolError
from reference_host.files import Window, open_beneath, opened_folder, read_window
from reference_host.tools._tool import CallCard, Card, Concurrency, HostRun

if TYPE_CHECKING:
    from reference_host.spill import SpillStore

__all__ = ["READ_REFUSED", "ReadTool"]

READ_REFUSED: Final = "TOOL_READ_REFUSED"
"""There is nothing of that name that this session may read."""

_DEFAULT_LIMIT: Final = 16_384
_MAX_LIMIT: Final = 65_536
_LONGEST_PATH: Final = 4_096
"""As on Linux; resolving a path takes time that grows with the square of its length."""
_TRAILER: Final = 120
"""What the line after a window takes at most, in bytes."""
_MAX_OFFSET: Final = 2**53 - 1
_LONGEST_TITLE: Final = 80
_UNPRINTABLE: Final = "\N{REPLACEMENT CHARACTER}"


def _whole(given: object) -> object:
    """Take 3.0 for 3: JSON knows no difference, and neither does its schema."""
    return int(given) if isinstance(given, float) and given.is_integer() else given


_Whole = Annotated[int, BeforeValidator(_whole)]


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    path: str = Field(min_length=1, max_length=_LONGEST_PATH)
    offset: _Whole = Field(default=0, ge=0, le=_MAX_OFFSET)
    limit: _Whole = Field(default=_DEFAULT_LIMIT, ge=1, le=_MAX_LIMIT)


_PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "path": {
            "type": "string",
            "minLength": 1,
            "maxLength": _LONGEST_PATH,
            "description": "A file of the working directory, or a locator that begins with spill:",
        },
        "offset": {
            "type": "integer",
            "minimum": 0,
            "default": 0,
            "description": "Bytes to skip",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": _MAX_LIMIT,
            "default": _DEFAULT_LIMIT,
            "description": "Bytes to read",
        },
    },
    "required": ["path"],
    "additionalProperties": False,
}


class ReadTool:
    """Shows a part of a text file, and how to go on.

    Args:
        store: where spilled results are; without one, there are only files.
        largest: the most bytes that an answer may have; what it shows is not spilled.
        hidden: folders whose files are refused, though they lie in the working directory.
    """

    name = "read"
    description = (
        "Read a text file of the working directory, or a result that was too long to be shown"
        " whole. The last line tells which bytes were read, of how many, and the next offset."
    )
    timeout_ms: int | None = None
    concurrency: Concurrency = "parallel"

    def __init__(
        self,
        store: SpillStore | None = None,
        *,
        largest: int | None = None,
        hidden: Sequence[Path] = (),
    ) -> None:
        self._store = store
        self._limit = _MAX_LIMIT if largest is None else min(_MAX_LIMIT, largest - _TRAILER)
        self._hidden = tuple(hidden)

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        parameters = copy.deepcopy(_PARAMETERS)
        default = min(_DEFAULT_LIMIT, self._limit)
        parameters["properties"]["limit"].update(maximum=self._limit, default=default)
        return parameters

    async def execute(self, arguments: Any, run: HostRun) -> str:
        """Read a part of a file or of a spilled result.

        Raises:
            ToolError: `TOOL_INVALID_ARGUMENT`, naming the argument; `TOOL_READ_REFUSED`, the same
                for what is missing, what may not be read, and what is no file.
            BaseException: the reason of `run.signal`.
        """
        run.signal.raise_if_aborted()
        asked = _checked(arguments, self._limit)
        session = run.agent.session
        if self._store is not None and _may_read_spilled(session, asked.path):
            job = partial(_read_spilled, self._store, asked)
        else:
            job = partial(_read_file, session.header.cwd, asked, self._hidden)
        window = await run_blocking(job, signal=run.signal)
        if window is None:
            raise ToolError(
                "There is no such file in the working directory, and no result of this session"
                " was kept under such a locator.",
                READ_REFUSED,
            )
        return _told(window)

    def present_call(self, arguments: Any) -> Card:
        """Return what people see of a call."""
        path = arguments.get("path") if isinstance(arguments, Mapping) else None
        title = f"Read {path}" if isinstance(path, str) else "Read a file"
        title = "".join(char if char.isprintable() else _UNPRINTABLE for char in title)
        if len(title) > _LONGEST_TITLE:
            title = f"{title[: _LONGEST_TITLE - 1]}…"
        return CallCard("read", title, arguments)


def _checked(arguments: Any, most: int) -> _Arguments:
    try:
        given = arguments
        if isinstance(arguments, Mapping):
            given = {"limit": min(_DEFAULT_LIMIT, most), **arguments}
        asked = _Arguments.model_validate(given)
        if asked.limit <= most:
            return asked
        raise ToolError(f"limit: expected at most {most}", "TOOL_INVALID_ARGUMENT")
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        where = str(found["loc"][0])[:_LONGEST_TITLE] if found["loc"] else "arguments"
        raise ToolError(f"{where}: {found['msg']}", "TOOL_INVALID_ARGUMENT") from None


def _may_read_spilled(session: LiveSession, locator: str) -> bool:
    """Tell whether a result in the session's log, what it inherited included, was kept there."""
    return any(
        event.type == "tool/result" and _locator_in(event.data) == locator
        for event in session.events
    )


def _locator_in(data: Any) -> Any:
    for key in ("meta", "spill", "locator"):
        data = data.get(key) if isinstance(data, Mapping) else None
    return data


def _read_spilled(store: SpillStore, asked: _Arguments) -> Window | None:
    try:
        file = store.open_spilled(asked.path)
    except OSError:
        return None
    with file:
        return read_window(file, asked.offset, asked.limit, surrogates=True)


def _read_file(cwd: str | None, asked: _Arguments, hidden: Sequence[Path]) -> Window | None:
    if cwd is None:
        return None
    try:
        file = _open_within(cwd, asked.path, hidden)
    except (OSError, ValueError):
        return None
    with file:
        return read_window(file, asked.offset, asked.limit)


def _open_within(cwd: str, path: str, hidden: Sequence[Path]) -> BinaryIO:
    """Open a file of a folder.

    Raises:
        OSError: there is none, or it is no regular file.
        ValueError: the path, or what its symlinks lead to, lies elsewhere or in a hidden folder, or
            is no path at all.
    """
    if not PurePath(cwd).is_absolute():
        raise ValueError("a folder that depends on where the host runs")
    # `..` takes back the name before it, symlink or not: so no path asks about what lies elsewhere.
    wanted = PurePath(os.path.normpath(PurePath(cwd, path)))
    folder = PurePath(os.path.realpath(cwd))
    if not (wanted.is_relative_to(os.path.normpath(cwd)) or wanted.is_relative_to(folder)):
        raise ValueError("outside the folder")
    # Where the symlinks lead is looked up, and then gone to by a way on which none is allowed: one
    # that is put there in between is not followed.
    target = PurePath(os.path.realpath(wanted))
    if any(target.is_relative_to(os.path.realpath(one)) for one in hidden):
        raise ValueError("the host's own")
    parts = target.relative_to(folder).parts
    if not parts:
        raise IsADirectoryError(errno.EISDIR, "the folder itself")
    with opened_folder(os.fspath(folder)) as descriptor:
        return open_beneath(descriptor, parts)


def _told(window: Window) -> str:
    """Return the text of a window, and a line that tells how to go on."""
    size = window.end - window.start
    rest = "the end" if window.end == window.total else f"next offset {window.end}"
    line = f"[{size} bytes from offset {window.start}, of {window.total}; {rest}]"
    return f"{window.text}\n{line}" if window.text else line
