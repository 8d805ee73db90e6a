"""The program of a failure card: the calls, then the check that judges just these again (CONF-15).

What a check is judged on is data, so it is written down as an expression; what the program holds
already, the sessions and calls, is named there and not repeated.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import Any, Final

from session_query import SessionEvent

from session_query_specs.checks import Check
from session_query_specs.corpora import Corpus
from session_query_specs.corpora.histories import History
from session_query_specs.hosts import HostCall

__all__ = ["script_of"]

_SUITE: Final = "session_query_specs"
_WIDTH: Final = 76
_NOTE: Final = "ends with 0 if this is right, else with 1, what is expected, and what came"


def script_of(check: Check[Any], example: Any, where: str, *, alone: bool = False) -> str:
    """Return a program that makes the calls of an example, and ends as the check judges it.

    Args:
        check: the check.
        example: what it is judged on.
        where: where the class under test is, as `package.module:Class`.
        alone: whether only the check makes the calls, since one of them comes to no end, or ends
            the program.
    """
    module, _, name = where.partition(":")
    own = f"from {module} import {name}\n"
    program = own if alone else example.script(where)
    written = _Written(program)
    given = [f'"{check.name}"', f"{name}()", written.expression(example)]
    before, _, after = program.partition(own)
    parts = (written.with_imports(before), f"{own}{after}".strip())
    notes = "".join(f"# {line}\n" for line in (*getattr(example, "told", ()), _NOTE))
    return f"{parts[0]}\n\n{parts[1]}\n\n{notes}again{_broken(given)}\n"


class _Written:
    """Writes values as expressions, and keeps what these need to be imported."""

    def __init__(self, program: str) -> None:
        self._named = {kind: code for kind, held, code in _NAMED if f"\n{held} = " in program}
        self._calls = 0
        self._imports = {"session_query_specs.running": {"again"}}

    def with_imports(self, before: str) -> str:
        """Return the beginning of the program with what the expressions need besides."""
        lines = []
        for line in before.rstrip().splitlines():
            found = re.fullmatch(r"from (\S+) import ([\w, ]+)", line)
            if found is not None and found[1].startswith(_SUITE):
                self._imports.setdefault(found[1], set()).update(found[2].split(", "))
            else:
                lines.append(line)
        imports = (
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self._imports.items())
        )
        return "\n".join([*lines, *imports]).strip()

    def expression(self, value: Any) -> str:
        """Return an expression for a value."""
        if isinstance(value, Enum):
            return f"{self._name(type(value))}.{value.name}"
        if type(value) in self._named:
            self._calls += isinstance(value, HostCall)
            self._name(type(value))
            return self._named[type(value)].format(self._calls - 1)
        if isinstance(value, SessionEvent):
            self._imports.setdefault("session_query", set()).add("SessionEvent")
            return f"SessionEvent.from_json({value.to_json()!r})"
        if is_dataclass(value):
            return self._name(type(value)) + _broken([*self._fields(value)])
        if isinstance(value, float) and value - value != 0:
            return f"float({str(value)!r})"
        return self._collection(value) or repr(value)

    def _collection(self, value: Any) -> str:
        """Return an expression for a collection, empty for what is none."""
        match value:
            case Mapping():
                pairs = (f"{self.expression(k)}: {self.expression(v)}" for k, v in value.items())
                return f"{{{', '.join(pairs)}}}"
            case frozenset():
                return f"frozenset({sorted(value)!r})"
            case tuple():
                only = "," * (len(value) == 1)
                return f"({', '.join(map(self.expression, value))}{only})"
            case list():
                return _broken([*map(self.expression, value)], "[]")
        return ""

    def _fields(self, value: Any) -> Iterator[str]:
        """Yield the arguments of a dataclass; what stands first in it needs no name."""
        named = False
        for number, field in enumerate(fields(value)):
            given = getattr(value, field.name)
            made = field.default_factory
            default = field.default if made is MISSING else made()
            if field.repr and (default is MISSING or given != default):
                named = named or number > 1
                yield f"{field.name}={self.expression(given)}" if named else self.expression(given)
            else:
                named = True

    def _name(self, kind: type[Any]) -> str:
        """Return the name of a class, which is imported from where it is public."""
        parts = kind.__module__.split(".")
        modules = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
        public = (one for one in modules if vars(sys.modules[one]).get(kind.__name__) is kind)
        self._imports.setdefault(next(public), set()).add(kind.__name__)
        return kind.__name__


_NAMED: Final[tuple[tuple[type[Any], str, str], ...]] = (
    (Corpus, "SESSIONS", "Corpus.of(SESSIONS)"),
    (HostCall, "CALLS", "HostCall.from_json(CALLS[{}])"),
    (HostCall, "CALL", "HostCall.from_json(CALL)"),
    (History, "STEPS", "History(STEPS)"),
)
"""What stands in a program under a name of its own, and how it is made of that."""


def _broken(parts: Sequence[str], brackets: str = "()") -> str:
    """Return parts in brackets, a line each unless all fit one."""
    line = ", ".join(parts).join(brackets)
    if len(line) <= _WIDTH and "\n" not in line:
        return line
    lines = (f"    {one},\n".replace("\n", "\n    ").rstrip(" ") for one in parts)
    return f"\n{''.join(lines)}".join(brackets)
