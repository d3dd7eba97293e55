"""The views of a game: game, tree, treeplex, sequence form, sizes; and expanding rules into them."""
