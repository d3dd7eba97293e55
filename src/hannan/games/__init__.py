"""The rules of the built-in games, one file a game, and the catalogue."""
