"""How good a strategy is: best responses, gaps, exact fractions, plays, tables."""
