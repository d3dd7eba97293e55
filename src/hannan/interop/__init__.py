"""Reading other people's games, into rules or a black box: OpenSpiel, Gambit files, PettingZoo, Gymnasium."""
