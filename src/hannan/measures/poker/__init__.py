"""The quantities that poker players read in a strategy: equity, expected value, grids, ranges, runouts."""
