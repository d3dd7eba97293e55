"""Hedge over whole plans in linear time: EINR, KOMWU, and their priors; on the engine of `solvers.fullwidth`."""
