"""To Gambit: any expanded game as `.efg` or `.nfg`, and strategies as pygambit's profiles."""
