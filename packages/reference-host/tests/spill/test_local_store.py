"""Texts in private files."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from reference_host.spill import LocalSpillStore, SpillStore

from ..texts import TEXTS, utf8
from .folders import file_of, files, opened, save, store_with_token


def mode(path: Path) -> int:
    """Who may do what."""
    return stat.S_IMODE(path.lstat().st_mode)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    """Run with another umask."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.requirement("SPILL-1", "SPILL-3")
@given(text=TEXTS, owner=TEXTS, name=TEXTS)
def test_texts_are_kept_verbatim(text: str, owner: str, name: str) -> None:
    """Whatever a text, its session and its name hold: its very bytes are on the disk."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "spill")
        store: SpillStore = LocalSpillStore(root)
        assert isinstance(store, LocalSpillStore)
        ref = save(store, text, owner=owner, name=name)
        assert opened(store, ref) == file_of(root, ref).read_bytes() == utf8(text)
        assert ref.bytes == len(utf8(text))
        draft = store.draft(name, ref.bytes)
        assert len(draft.locator) == len(ref.locator)
        assert (draft.bytes, draft.retrieval_hint) == (ref.bytes, ref.retrieval_hint)


@pytest.mark.requirement("SPILL-1")
def test_no_two_texts_share_a_file(tmp_path: Path) -> None:
    """The same text of the same call twice is two files, in the one folder of its session."""
    store = LocalSpillStore(tmp_path / "spill")
    assert save(store).locator != save(store).locator
    save(store, owner="other")
    assert len(files(tmp_path)) == 3
    assert len(list((tmp_path / "spill").iterdir())) == 2


@pytest.mark.requirement("SPILL-1")
def test_nothing_is_made_before_the_first_text(tmp_path: Path) -> None:
    """A store that keeps nothing leaves nothing, and drafting or looking is not keeping."""
    store = LocalSpillStore(tmp_path / "spill")
    draft = store.draft("x", 1)
    with pytest.raises(FileNotFoundError):
        store.open_spilled(draft.locator)
    assert not list(tmp_path.iterdir())


@pytest.mark.requirement("SPILL-1")
@pytest.mark.parametrize("mask", [0, 0o022, 0o077])
def test_only_the_owner_may_look(tmp_path: Path, mask: int) -> None:
    """Folders are 0700 and files 0600 whatever the umask lets others have, parents too."""
    root = tmp_path / "state" / "spill"
    with umask(mask):
        ref = save(LocalSpillStore(root))
    file = file_of(root, ref)
    assert [mode(path) for path in (root.parent, root, file.parent)] == [0o700] * 3
    assert mode(file) == 0o600


@pytest.mark.requirement("SPILL-1")
@pytest.mark.parametrize("others", [0o720, 0o702, 0o777])
def test_a_root_that_others_may_write_to_is_refused(tmp_path: Path, others: int) -> None:
    """Nothing is kept in a folder that somebody else may change, and nothing is read from it."""
    root = tmp_path / "spill"
    ref = save(LocalSpillStore(root))
    root.chmod(others)
    with pytest.raises(PermissionError):
        save(LocalSpillStore(root))
    with pytest.raises(PermissionError):
        LocalSpillStore(root).open_spilled(ref.locator)
    assert len(files(root)) == 1


@pytest.mark.requirement("SPILL-1")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders away")
def test_a_root_of_somebody_else_is_refused(tmp_path: Path) -> None:
    """A folder whose owner is somebody else is refused: the owner may always change it."""
    root = tmp_path / "spill"
    root.mkdir(mode=0o700)
    os.chown(root, 12345, 12345)
    with pytest.raises(PermissionError):
        save(LocalSpillStore(root))
    assert not files(root)


@pytest.mark.requirement("SPILL-1")
def test_a_session_folder_that_others_may_write_to_is_refused(tmp_path: Path) -> None:
    """The folder of a session is as private as the root."""
    root = tmp_path / "spill"
    ref = save(LocalSpillStore(root))
    file_of(root, ref).parent.chmod(0o770)
    with pytest.raises(PermissionError):
        save(LocalSpillStore(root))
    assert len(files(root)) == 1


@pytest.mark.requirement("SPILL-1")
@pytest.mark.parametrize("exists", [True, False])
def test_a_root_that_is_a_symlink_is_refused(tmp_path: Path, exists: bool) -> None:
    """A symlink in the place of the root is not followed, wherever it leads."""
    target = tmp_path / "elsewhere"
    if exists:
        target.mkdir(mode=0o700)
    (tmp_path / "spill").symlink_to(target)
    with pytest.raises(OSError, match="spill"):
        save(LocalSpillStore(tmp_path / "spill"))
    assert not files(target)


@pytest.mark.requirement("SPILL-1")
def test_a_session_folder_that_is_a_symlink_is_refused(tmp_path: Path) -> None:
    """A symlink in the place of a session's folder is not followed, for writing or reading."""
    root, target = tmp_path / "spill", tmp_path / "elsewhere"
    ref = save(LocalSpillStore(root))
    folder = file_of(root, ref).parent
    folder.rename(target)
    folder.symlink_to(target)
    with pytest.raises(OSError, match="session-"):
        save(LocalSpillStore(root))
    with pytest.raises(OSError, match="session-"):
        LocalSpillStore(root).open_spilled(ref.locator)
    assert len(files(target)) == 1


@pytest.mark.requirement("SPILL-1")
@pytest.mark.parametrize("dangling", [True, False])
def test_a_file_is_never_replaced(tmp_path: Path, dangling: bool) -> None:
    """A file or a symlink that has the name already fails the saving, and stays as it is."""
    store = store_with_token(tmp_path / "spill")
    ref = save(store, "first")
    file = file_of(tmp_path / "spill", ref)
    if dangling:
        file.unlink()
        file.symlink_to(tmp_path / "target")
    with pytest.raises(FileExistsError):
        save(store, "second")
    assert not (tmp_path / "target").exists()
    assert file.is_symlink() if dangling else file.read_text() == "first"


@pytest.mark.requirement("SPILL-1")
def test_a_saved_file_that_became_a_symlink_is_not_read(tmp_path: Path) -> None:
    """A symlink or a folder in the place of a text is no text."""
    store = LocalSpillStore(tmp_path / "spill")
    ref = save(store)
    file = file_of(tmp_path / "spill", ref)
    file.rename(tmp_path / "text")
    file.symlink_to(tmp_path / "text")
    with pytest.raises(OSError, match="regular"):
        store.open_spilled(ref.locator)
    file.unlink()
    file.mkdir()
    with pytest.raises(OSError, match="regular"):
        store.open_spilled(ref.locator)


@pytest.mark.requirement("SPILL-1")
def test_the_root_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative root means the folder in which the store was made, wherever the process goes."""
    monkeypatch.chdir(tmp_path)
    store = LocalSpillStore("spill")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    ref = save(store)
    assert opened(store, ref) == b"text"
    assert file_of(tmp_path / "spill", ref).is_file()
