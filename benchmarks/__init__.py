"""Measures how fast and how small the index is: run `python -m benchmarks` from the top folder.

Each figure is a ratio to a floor that is measured in the same run, or a limit in time or size that
the requirements name. Nothing here asserts anything: the outcome is a table.
"""
