"""Simultaneous-move Monte Carlo tree search: one walk over a tree that grows, and a file for each selection rule."""
