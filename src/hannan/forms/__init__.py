"""The views of a game (tree, treeplex, sequence form, public tree, sizes), and how rules are expanded into them."""
