"""Runs, which drive work from its first step to its result: limits, checkpoints, logs, progress.

`run.Run` is the loop. It drives a `progress.Work`; `solve_work.Solving` is the work of a solver.
"""
