"""Built-in games that tests share: loaded once in each process, and never changed."""

from __future__ import annotations

from functools import cache

from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded


@cache
def game(address: str) -> ExpandedGame:
    """Return a game by its address. Tests of loading, and of what a game has not made yet, load their own."""
    return load_expanded(address)
