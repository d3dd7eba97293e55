"""How rules are written, asked and judged: the plain door, the compiled door, their source and driver, checks."""
