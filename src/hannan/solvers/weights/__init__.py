"""Hedge over whole plans in linear time: EINR, KOMWU, and their priors."""
