"""Driving a solver from its first iteration to the result: choosing, limits, checkpoints, logs, progress."""
