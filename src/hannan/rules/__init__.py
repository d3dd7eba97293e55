"""Rules of games: plain Python, compiled and public rules, black boxes, the source that loops read, and checks."""
