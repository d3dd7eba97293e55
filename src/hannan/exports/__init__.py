"""Handing ours to other people: games and strategies to Gambit, OpenSpiel and PettingZoo."""
