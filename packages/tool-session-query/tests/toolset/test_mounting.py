"""A toolset is in a host whole or not at all (TOOL-1)."""

from __future__ import annotations

import pytest
from tool_session_query import SECTION_NAME, mount, session_query_toolset

from .hosts import Host, Refused
from .scripted import TOOLS, ScriptedEngine

ALL = [SECTION_NAME, *TOOLS]
TOOLSET = session_query_toolset(ScriptedEngine())


@pytest.mark.requirement("TOOL-1")
@pytest.mark.parametrize("takes", range(len(ALL)))
def test_a_refusal_leaves_nothing_behind(takes: int) -> None:
    """A host that refuses one registration keeps none, and can be mounted in afterwards."""
    host = Host(takes)
    with pytest.raises(Refused, match=ALL[takes]):
        mount(TOOLSET, host)
    assert host.kept == []
    assert host.removed == ALL[:takes][::-1]
    host.takes = 100
    dispose = mount(TOOLSET, host)
    assert host.kept == ALL
    dispose()


@pytest.mark.requirement("TOOL-1")
@pytest.mark.parametrize("forgets", ALL)
def test_a_host_that_gives_back_nothing_is_refused(forgets: str) -> None:
    """What has no remover could never be removed: all else is undone, and the host is free."""
    host = Host(forgets=forgets)
    with pytest.raises(TypeError, match="not None"):
        mount(TOOLSET, host)
    assert host.kept == []
    assert host.removed == ALL[: ALL.index(forgets)][::-1]
    host.forgets = None
    mount(TOOLSET, host)()


@pytest.mark.requirement("TOOL-1")
def test_a_toolset_is_removed_whole_and_once() -> None:
    """The disposer removes all of it; called again it does nothing."""
    host = Host()
    dispose = mount(TOOLSET, host)
    assert host.kept == ALL
    dispose()
    assert host.kept == []
    dispose()
    assert sorted(host.removed) == sorted(ALL)


@pytest.mark.requirement("TOOL-1")
def test_mounting_twice_is_an_error_that_changes_nothing() -> None:
    """A host has one toolset at most, also of another service; after removal it can have one."""
    host, other = Host(), session_query_toolset(ScriptedEngine())
    dispose = mount(TOOLSET, host)
    for toolset in (TOOLSET, other):
        with pytest.raises(ValueError, match="already"):
            mount(toolset, host)
    assert host.kept == ALL
    dispose()
    again = mount(other, host)
    dispose()
    assert host.kept == ALL
    again()


@pytest.mark.requirement("TOOL-1")
def test_each_host_has_its_own() -> None:
    """One toolset can be in several hosts, and leaves them one by one."""
    hosts = Host(), Host()
    first, second = (mount(TOOLSET, host) for host in hosts)
    first()
    assert [host.kept for host in hosts] == [[], ALL]
    second()
    assert hosts[1].kept == []


@pytest.mark.requirement("TOOL-1")
@pytest.mark.parametrize("keeps", ALL)
def test_a_removal_that_fails_spares_no_other(keeps: str) -> None:
    """All else is removed, the failure comes out, and the host is free again."""
    host = Host(keeps=keeps)
    dispose = mount(TOOLSET, host)
    with pytest.raises(Refused, match=keeps):
        dispose()
    assert host.kept == [keeps]
    dispose()
    assert sorted(host.removed) == sorted(ALL)
    host.kept.clear()
    host.keeps = None
    mount(TOOLSET, host)()


@pytest.mark.requirement("TOOL-1")
def test_nothing_is_mounted_by_itself() -> None:
    """Making a toolset and importing the package touch no host."""
    host = Host()
    session_query_toolset(ScriptedEngine())
    assert host.kept == []
