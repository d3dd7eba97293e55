"""How rules are written and judged: the plain door, the compiled door, their checks."""
