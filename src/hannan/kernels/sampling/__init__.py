"""Kernels of the samplers: one walk, its parts, and what it learns."""
