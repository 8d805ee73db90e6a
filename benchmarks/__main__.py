"""Run the benchmarks, or make a corpus: `python -m benchmarks --help`."""

from __future__ import annotations

import sys

from benchmarks.cli import main

if __name__ == "__main__":
    sys.exit(main())
