"""Searching games in which only the current joint move is hidden."""
