"""Time and memory as ratios against named peers, measured in one run.

`python3 tasks.py bench` runs all of them, `python3 tasks.py bench online` one. A benchmark is a
file `bench_<name>.py` with `run() -> list[Row]`.
"""
