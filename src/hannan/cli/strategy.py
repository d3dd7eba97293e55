"""The strategy that a command line names: a file, a checkpoint, `file.py:function`, or the word `uniform`."""

from __future__ import annotations

from hannan.addresses import parse_place
from hannan.cli import report
from hannan.errors import SizeError, UnsuitableError
from hannan.files import is_file
from hannan.forms.game import ExpandedGame, PlayedGame, is_box
from hannan.forms.outline import estimate
from hannan.forms.trust import Trust
from hannan.forms.walks import walk_kind
from hannan.measures.players import Playing
from hannan.memory import available
from hannan.rules.checks import make_plays
from hannan.runs.players import player
from hannan.runs.strategies import read
from hannan.strategies.correlated import CorrelatedPlay
from hannan.strategies.policy import Policy
from hannan.strategies.profile import uniform
from hannan.strategies.strategy import Strategy

FAR = 100
"""A game whose estimated size is this many times too large is not counted. The estimate may be off by this factor."""


def strategy_for(game: PlayedGame, file: str, trust: Trust) -> Strategy:
    """Return a profile if the game can be expanded, else a policy or networks."""
    if file == "uniform":
        return uniform(game) if not is_box(game) and _expands(game) else Policy.uniform(game)
    if not is_file(file) and parse_place(file) is not None:
        return _coded(game, file, trust)
    strategy = read(file, game, trust=trust)
    alone = len(strategy.members()) == 1 or not isinstance(strategy, CorrelatedPlay)
    return strategy.profile() if alone and isinstance(game, ExpandedGame) else strategy


def _coded(game: PlayedGame, address: str, trust: Trust) -> Strategy:
    """Return the strategy of a user's function or object: a profile if the game expands and no action is drawn."""
    found = player(game, address, address, trust)
    if not isinstance(found, Playing):
        raise UnsuitableError(
            f"{address} plays in its own way and gives no probabilities: hannan match plays it, and a strategy or a "
            "function from what a player has seen to probabilities can be measured"
        )
    if is_box(game) or not _expands(game):
        return found.strategy
    try:
        return found.strategy.profile()
    except UnsuitableError as error:  # the function may draw: its probabilities are known only from plays
        report.note(f"{address}: {error}")
        return found.strategy


def _expands(game: PlayedGame) -> bool:
    """Expand a game if it fits into memory; return whether it does."""
    each = walk_kind(game.rules).bytes_per_history
    if not isinstance(game, ExpandedGame) and _guess(game) > FAR * available() // each:
        return False
    try:
        return game.expanded() is not None
    except SizeError:
        return False


def _guess(game: PlayedGame) -> float:
    """Estimate the number of histories by random plays. Earlier plays find rules with errors or without an end."""
    make_plays(game.rules, plays=8)
    return estimate(game.rules, plays=100)
