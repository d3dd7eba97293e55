"""Kernels of methods that follow a path to one equilibrium: payoffs and their derivatives, in cells and in trees."""
