"""Finding the class under test, and saying plainly why that failed (CONF-1, CONF-3)."""

from __future__ import annotations

import importlib
import inspect
import traceback
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from session_query_specs._subjects import HostUnderTest, ProviderUnderTest

__all__ = ["ConformanceUsageError", "SubjectClass", "import_subject", "kind_of", "made"]

SubjectClass: TypeAlias = type[ProviderUnderTest] | type[HostUnderTest]
"""What an author plugs in."""

_BASES = {"provider": ProviderUnderTest, "host": HostUnderTest}
_CALLS: Final[Mapping[str, Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]]] = {
    "provider": {"open": (("sources", "config"), ())},
    "host": {
        "open": (("engine",), ()),
        "call": (("host", "tool", "arguments"), ("caller", "signal")),
        "close": (("host",), ()),
    },
}
"""With what the suite calls their methods: by place, then by name."""


class ConformanceUsageError(ValueError):
    """Raised where the suite was asked for what it can't do; the message says what to do."""


def kind_of(subject: SubjectClass) -> str:
    """Return `provider` or `host`.

    Raises:
        ConformanceUsageError: the class is neither, or isn't whole.
    """
    called = getattr(subject, "__qualname__", repr(subject))
    if isinstance(subject, type):
        for kind, base in _BASES.items():
            if issubclass(subject, base):
                _check_whole(subject, kind, called)
                return kind
    raise ConformanceUsageError(
        f"{called} is no subclass of session_query_specs.ProviderUnderTest or HostUnderTest"
    )


def _check_whole(subject: SubjectClass, kind: str, called: str) -> None:
    if inspect.isabstract(subject):
        missing = ", ".join(sorted(subject.__abstractmethods__))
        raise ConformanceUsageError(f"{called} doesn't define {missing}")
    for method, (given, named) in _CALLS[kind].items():
        found = inspect.getattr_static(subject, method)
        if inspect.isfunction(found):
            _check_call(found, f"{called}.{method}", given, named)
    if not isinstance(getattr(subject, "name", None), str):
        raise ConformanceUsageError(f'{called} has no name; write `name = "…"` in the class')


def _check_call(method: Any, called: str, given: tuple[str, ...], named: tuple[str, ...]) -> None:
    """Refuse a method that can't be called as the suite does."""
    try:
        inspect.signature(method).bind(None, *given, **dict.fromkeys(named))
    except TypeError as error:
        owed = ", ".join(("self", *given, *(["*", *named] if named else [])))
        raise ConformanceUsageError(f"{called}: {error}; it is called as ({owed})") from error


def made(subject: SubjectClass) -> Any:
    """Return an instance of the class.

    Raises:
        ConformanceUsageError: it can't be made without arguments.
    """
    try:
        return subject()
    except Exception as error:
        raise ConformanceUsageError(
            f"{subject.__qualname__}() can't be made: {_shown(error)}"
        ) from error


def import_subject(where: str) -> SubjectClass:
    """Return the class at `package.module:Class`.

    Raises:
        ConformanceUsageError: there is none.
    """
    module_name, colon, name = where.partition(":")
    if not (module_name and colon and name):
        raise ConformanceUsageError(
            f"{where!r} names no class; write MODULE:CLASS, as in my_package.conformance:MyProvider"
        )
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and f"{module_name}.".startswith(f"{error.name}."):
            raise ConformanceUsageError(
                f"there is no module {error.name!r}; is it installed, or in this directory?"
            ) from error
        raise ConformanceUsageError(f"importing {module_name} failed: {_shown(error)}") from error
    except Exception as error:
        raise ConformanceUsageError(f"importing {module_name} failed: {_shown(error)}") from error
    found = getattr(module, name, None)
    if found is None:
        raise ConformanceUsageError(f"{module_name} has no class {name!r}; {_there(module)}")
    subject: SubjectClass = found
    kind_of(subject)
    return subject


def _there(module: Any) -> str:
    fitting = [
        name
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, tuple(_BASES.values()))
        and value not in _BASES.values()
    ]
    return f"there is {', '.join(fitting)}" if fitting else "it has none that could be tested"


def _shown(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(error)).strip()
