"""Loops of two-player normal forms: faces of both best-response polytopes, and the search over pairs of them."""
