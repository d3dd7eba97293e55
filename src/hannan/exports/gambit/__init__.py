"""Export to Gambit: expanded games as `.efg` or `.nfg` files, and strategies as pygambit profiles."""
