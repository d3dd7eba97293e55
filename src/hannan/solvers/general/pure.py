"""All pure equilibria of a game with any number of players, by looking at every combination of plans.

Payoffs are compared as fractions: exactly as the rules state them, or as floats are.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from hannan.forms.loader import Loadable
from hannan.interrupts import go_on
from hannan.solvers.exact.normalform import MOST_CELLS, NormalForm, normal_form
from hannan.solvers.general.cells import ExactCells, exact_cells
from hannan.solvers.general.point import Ending, Point, Points
from hannan.strategies.profile import Profile


def pure(form: NormalForm) -> Points:
    """Yield every pure equilibrium. The list is complete only for those: there may be mixed ones."""
    cells = exact_cells(form)
    for plans in _stable(cells):
        go_on()
        fractions = tuple(
            tuple(Fraction(int(k == plan)) for k in range(size)) for plan, size in zip(plans, cells.shape, strict=True)
        )
        strategies = tuple(np.array([float(weight) for weight in strategy]) for strategy in fractions)
        strict = _strict(cells, plans)
        yield Point(
            strategies, fractions=fractions, radius=0.0, regret=0.0, index=1 if strict else None,
            isolated=True if strict else None,
        )  # fmt: skip
    return Ending(False, "every combination of pure strategies was compared; mixed equilibria were not looked for")


def pure_equilibria(game: Loadable | NormalForm, limit: int = MOST_CELLS) -> tuple[Profile, ...]:
    """Find all pure Nash equilibria of a small game, by looking at every combination of plans.

    Equilibria that differ only at sets which the player's own choices do not reach are one; there the profiles take
    the first action. Payoffs are compared exactly, as `exact_payoffs` reads them.
    """
    form = game if isinstance(game, NormalForm) else normal_form(game, limit=limit)
    return tuple(form.pure(plans) for plans in _stable(exact_cells(form)))


def _stable(cells: ExactCells) -> list[list[int]]:
    """Return the combinations of plans from which no player gains by deviating."""
    stable = np.ones(cells.shape, bool)
    for player, numbers in enumerate(cells.numbers):
        stable &= (numbers == numbers.max(axis=player, keepdims=True)).astype(bool)
    found: list[list[int]] = np.argwhere(stable).tolist()
    return found


def _strict(cells: ExactCells, plans: list[int]) -> bool:
    """Return whether every deviation of one player loses: then the equilibrium is isolated and has the index 1."""
    for player, numbers in enumerate(cells.numbers):
        row: Any = (*plans[:player], slice(None), *plans[player + 1 :])
        pays = numbers[row]
        if (pays == pays[plans[player]]).sum() > 1:
            return False
    return True
