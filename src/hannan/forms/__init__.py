"""The views of a game: game, tree, treeplex, sequence form, public tree, sizes; and expanding rules into them."""
