"""Nash equilibria of general-sum games and their relatives, one method a file."""
