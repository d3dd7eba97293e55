"""Nash equilibria of general-sum games and their relatives, with one file per method."""
