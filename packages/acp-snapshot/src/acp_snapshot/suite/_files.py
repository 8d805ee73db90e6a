"""Where syrupy keeps the snapshots: one readable file each, in a folder for each scenario."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from syrupy.data import SnapshotCollection, SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation
from syrupy.types import SerializableData, SnapshotIndex

__all__ = ["SnapshotFiles"]


class SnapshotFiles(SingleFileSnapshotExtension):
    """Text files under `folder`; each suite derives a class of its own.

    Which files are unused is judged by each scenario itself, so that a run of some scenarios
    judges them as a run of all does; syrupy is told of none.
    """

    folder: ClassVar[Path]
    _write_mode = WriteMode.TEXT

    @classmethod
    def get_location(cls, *, test_location: PyTestLocation, index: SnapshotIndex) -> str:
        """Return the file `index` in the folder of the scenario under test."""
        scenario = test_location.item.callspec.params["scenario"]  # type: ignore[attr-defined] # syrupy types items loosely
        return str(cls.folder / scenario.name / str(index))

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: SnapshotIndex = 0) -> str:
        """Return the test and the file."""
        return f"{test_location.snapshot_name}[{index}]"

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:  # noqa: ARG003 - the signature is syrupy's
        """Return the folder of the suite."""
        return str(cls.folder)

    @classmethod
    def matches_test_location(
        cls,
        *,
        test_location: PyTestLocation,  # noqa: ARG003 - likewise
        snapshot_location: str,
    ) -> bool:
        """Take every file of the folder for the suite's own."""
        return Path(snapshot_location).is_relative_to(cls.folder)

    def discover_snapshots(
        self,
        *,
        test_location: PyTestLocation,  # noqa: ARG002 - likewise
        ignore_extensions: list[str] | None = None,  # noqa: ARG002 - likewise
    ) -> SnapshotCollections:
        """Tell syrupy of no files: see the class."""
        return SnapshotCollections()

    def read_snapshot_data_from_location(
        self,
        *,
        snapshot_location: str,
        snapshot_name: str,  # noqa: ARG002 - likewise
        session_id: str,  # noqa: ARG002 - likewise
    ) -> SerializableData | None:
        """Read a file without translating its line ends."""
        path = Path(snapshot_location)
        return path.read_bytes().decode("utf-8") if path.is_file() else None

    @classmethod
    def write_snapshot_collection(
        cls,
        *,
        snapshot_collection: SnapshotCollection,
        name_order: dict[str, int] | None = None,  # noqa: ARG003 - likewise
    ) -> None:
        """Write a file as it is; a surrogate, which no file can hold, is escaped."""
        for snapshot in snapshot_collection:
            Path(snapshot_collection.location).write_bytes(
                str(snapshot.data).encode("utf-8", "backslashreplace")
            )
