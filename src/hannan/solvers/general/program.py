"""One equilibrium of a two-player zero-sum tree by the sequence-form linear program.

D. Koller, N. Megiddo, B. von Stengel (1994), Fast algorithms for finding randomized strategies in game trees. The
program is solved in floats by `hannan.solvers.exact.lp`, so the point is as exact as floats are.
"""

from __future__ import annotations

from hannan.errors import UnsuitableError
from hannan.forms.game import ExpandedGame
from hannan.forms.treeplex import reaches
from hannan.solvers.exact.lp import SequenceFormLP
from hannan.solvers.general.point import Ending, Point, Points


def program(game: ExpandedGame) -> Points:
    """Yield one equilibrium of a two-player zero-sum game, as probabilities of sequences."""
    if not game.form.competitive:
        raise UnsuitableError(
            f"a linear program solves two-player zero-sum games, and {game.address} is not one; "
            "the method first takes any game"
        )
    solver = SequenceFormLP(game)
    solver.run(1)
    profile = solver.average()
    plans = tuple(
        reaches(plex, strategy) for plex, strategy in zip(game.form.treeplexes, profile.strategies, strict=True)
    )
    yield Point(plans, "sequences")
    return Ending(False, "a linear program has one solution of perhaps many")
