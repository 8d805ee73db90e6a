"""How things are measured: against what, how often, in which process."""

from benchmarks.measure.engines import Opened, opened
from benchmarks.measure.figures import Figure
from benchmarks.measure.floors import Reader, index_floor
from benchmarks.measure.processes import peak_bytes, run_job
from benchmarks.measure.ticker import Ticker
from benchmarks.measure.timing import Job, interleaved, median_ratio, timed

__all__ = [
    "Figure",
    "Job",
    "Opened",
    "Reader",
    "Ticker",
    "index_floor",
    "interleaved",
    "median_ratio",
    "opened",
    "peak_bytes",
    "run_job",
    "timed",
]
