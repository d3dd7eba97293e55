"""Monte Carlo CFR: the common part of all samplers, one file per sampler, and the tables that they grow."""
