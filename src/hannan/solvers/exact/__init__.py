"""Exact answers: sequence-form linear programming, the normal form, correlated equilibria."""
