"""Measurements of strategies: best responses, gaps, exact fractions, plays and tables."""
