"""Kernels over the sequence form: the passes of full-width methods, plain and tiled."""
