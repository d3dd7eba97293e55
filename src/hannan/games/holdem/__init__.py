"""Heads-up hold'em: cards, ranges, bet sizes, betting, spots and the strength of hands."""
