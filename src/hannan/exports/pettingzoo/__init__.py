"""Export to PettingZoo: a game as an environment."""
