"""Where the loops of full-width methods run: the sequence form laid out plainly, in tiles, for threads."""
