"""Parts of the site that Sphinx does not bring: formulas, public names, commands, games, the gallery."""
