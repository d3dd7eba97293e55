"""Driving work from its first step to the result: choosing, limits, checkpoints, logs, progress.

`run.Run` is the loop. What it drives is a `work.Work`; `solving.Solving` is the one for solvers.
"""
