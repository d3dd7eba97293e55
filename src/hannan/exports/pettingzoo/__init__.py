"""To PettingZoo: a game as an environment."""
