"""Exports of games and strategies to Gambit, OpenSpiel and PettingZoo."""
