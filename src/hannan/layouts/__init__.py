"""Where loops run: a game laid out for the kernels, and the back ends that iterate on it. `backend.py` is the seam."""
