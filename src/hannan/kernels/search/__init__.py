"""Loops of exact search: matrix games, and the search over positions."""
