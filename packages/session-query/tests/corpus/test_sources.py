"""The sources, and the mounting of a store."""

from __future__ import annotations

import pytest
from session_query.corpus import SessionSources
from session_query.live import SessionStore

from .scripted_persistence import ScriptedPersistence


@pytest.mark.requirement("CORPUS-1")
def test_each_mount_is_a_new_binding() -> None:
    """Each mount and unmount gives a new binding, also of the same store, and old ones stay."""
    store, first, second = SessionStore(), ScriptedPersistence(), ScriptedPersistence()
    sources = SessionSources(store, first)
    bindings = [sources.binding]
    for persistence in (first, second, None, first):
        if persistence is None:
            sources.unmount()
        else:
            sources.mount(persistence)
        assert sources.persistence is persistence
        assert sources.binding is sources.binding
        bindings.append(sources.binding)
    assert len(set(bindings)) == len(bindings)
    assert [found.persistence for found in bindings] == [first, first, second, None, first]
    assert sources.store is store


@pytest.mark.requirement("CORPUS-1")
def test_the_store_of_logs_is_optional() -> None:
    """Sources without a store have none mounted, and unmounting that changes nothing."""
    sources = SessionSources(SessionStore())
    before = sources.binding
    sources.unmount()
    assert sources.binding is before
    assert sources.persistence is None
