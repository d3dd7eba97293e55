"""The rules of the built-in games, one file per game, and the catalogue."""
