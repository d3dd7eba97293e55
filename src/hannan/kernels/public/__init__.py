"""Loops over the public tree of a game: vectors over types at its nodes, operators at its ends."""
