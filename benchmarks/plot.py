"""How costs grow with the corpus, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["plot_growth"]

_SEARCHES = {
    "check": "look for changes",
    "rare": "a rare word",
    "common": "the commonest word",
    "phrase": "a phrase of two common words",
    "any": "any of 6 common words",
    "following": "a following page",
}


def plot_growth(rows: Sequence[dict[str, Any]], folder: Path) -> list[Path]:
    """Draw the costs by number of sessions; return the files, SVG and PNG."""
    # Only a run that draws needs matplotlib.
    import matplotlib as mpl  # noqa: PLC0415

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    sessions = [row["sessions"] for row in rows]
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
    cold, memory, searches = axes
    cold.plot(sessions, [row["index"] for row in rows], "o-", label="cold index")
    linear = [rows[0]["index"] * number / sessions[0] for number in sessions]
    cold.plot(sessions, linear, ":", color="grey", label="linear")
    cold.set_ylabel("seconds")
    memory.plot(sessions, [row["bytes"] / 1e6 for row in rows], "o-", label="index file and WAL")
    memory.plot(sessions, [row["peak"] / 1e6 for row in rows], "s-", label="peak memory")
    memory.set_ylabel("MB")
    for key, label in _SEARCHES.items():
        values = [(row["sessions"], 1000 * row[key]) for row in rows if key in row]
        searches.plot(*zip(*values, strict=True), "o-", label=label)
    searches.set_ylabel("milliseconds")
    for axis, title in zip(axes, ("Indexing", "Space", "Searching"), strict=True):
        axis.set(title=title, xlabel="sessions", xscale="log", yscale="log")
        axis.set_xticks(sessions, [f"{number:,}" for number in sessions], minor=False)
        axis.minorticks_off()
        axis.grid(visible=True, alpha=0.3)
        axis.legend(fontsize=8)
    files = [folder / f"growth.{kind}" for kind in ("svg", "png")]
    for path in files:
        figure.savefig(path, dpi=120)
    plt.close(figure)
    return files
