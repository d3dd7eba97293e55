"""Monte Carlo CFR: what all samplers share, one sampler a file, and the tables that they grow."""
