"""OpenSpiel games: M. Lanctot et al. (2019), *OpenSpiel: a framework for reinforcement learning in games*."""
