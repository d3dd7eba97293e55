"""Gambit files: `.efg` (a tree) and `.nfg` (a table), read exactly."""
