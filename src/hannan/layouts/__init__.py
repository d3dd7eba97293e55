"""Layouts of games for the kernels, and the back ends that iterate on them. `backend.py` is the interface."""
