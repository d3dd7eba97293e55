"""Correlated equilibria of small games, by linear programming over the combinations of plans.

R. J. Aumann (1974), Subjectivity and correlation in randomized strategies; the coarse ones are those of H. Moulin and
J.-P. Vial (1978), Strategically zero-sum games.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Literal

import numpy as np

from hannan.arguments import shown, truth
from hannan.arrays import Floats, frozen
from hannan.errors import ParameterError, SizeError
from hannan.forms.loader import Loadable
from hannan.solvers.exact.maximin import simplex_program
from hannan.solvers.exact.normalform import NormalForm, normal_form

Objective = Literal["welfare", "egalitarian"]

MOST_COEFFICIENTS = 20_000_000
"""The most numbers that the constraints may have."""


@dataclass(frozen=True, eq=False)
class CorrelatedEquilibrium:
    """A distribution over combinations of plans. No player gains by deviating from it."""

    form: NormalForm
    distribution: Floats  # [plans of player 0, plans of player 1, …]
    values: tuple[float, ...]
    """What it earns each player."""
    gains: tuple[float, ...]
    """What each player could add: by answering every advice in the best way or, of a coarse one, by choosing one plan
    before any advice. 0 but for rounding."""
    coarse: bool

    def __post_init__(self) -> None:
        frozen(self.distribution)

    def __repr__(self) -> str:
        kind = "coarse, " if self.coarse else ""
        values = [float(f"{value:.6g}") for value in self.values]
        return f"CorrelatedEquilibrium({self.form.game.address}: {kind}values {values})"


def correlated_equilibrium(
    game: Loadable | NormalForm, objective: Objective | int = "welfare", coarse: bool = False
) -> CorrelatedEquilibrium:
    """Find the best correlated equilibrium of a small game's (reduced) normal form, or the best coarse one.

    `objective`: the sum of the values (`welfare`), the smallest value (`egalitarian`), or the value of one player,
    given by its number.
    """
    from scipy.sparse import vstack

    form = game if isinstance(game, NormalForm) else normal_form(game)
    known_player = isinstance(objective, int) and not isinstance(objective, bool) and 0 <= objective < form.players
    truth("coarse", coarse)
    if not known_player and not (isinstance(objective, str) and objective in ("welfare", "egalitarian")):
        raise ParameterError(
            f"objective={shown(objective)} should be 'welfare', 'egalitarian' or a player, 0 to {form.players - 1}"
        )
    counts = form.payoffs.shape[1:]
    cells = prod(counts)
    size = cells * sum(counts)
    if size > MOST_COEFFICIENTS:
        raise SizeError(
            f"the constraints of a correlated equilibrium of {form.game.address} have {size:,} coefficients "
            f"({' by '.join(map(str, counts))} pure strategies), more than the limit of {MOST_COEFFICIENTS:,}"
        )
    payoffs = form.centred / form.scale
    utilities = payoffs.reshape(form.players, cells)
    # variables: 1, the objective, the probability of each cell
    rows = [_row(-1.0, 0.0, np.ones((1, cells)))]
    if objective == "egalitarian":
        above = (form.middles - form.middles.min()) / form.scale  # what is compared are the values as they were
        rows += [_row(-above[p], 1.0, -utilities[p][None]) for p in range(form.players)]
    else:
        goal = utilities.sum(axis=0) if objective == "welfare" else utilities[int(objective)]
        rows.append(_row(0.0, 1.0, -goal[None]))
    rows += [_row(0.0, 0.0, _temptations(payoffs[p], p, coarse)) for p in range(form.players)]
    cost = np.zeros(2 + cells)
    cost[1] = 1.0
    program = simplex_program(cost, vstack(rows), free=1)
    weights = np.maximum(program.columns[2:], 0.0)
    weights /= weights.sum()
    gains = tuple(_gain(form, p, weights, coarse) for p in range(form.players))
    values = tuple(float(value) for value in form.payoffs.reshape(form.players, cells) @ weights)
    return CorrelatedEquilibrium(form, weights.reshape(counts), values, gains, coarse)


def _row(one: float, goal: float, block: Any) -> Any:
    """Return rows of the program: the coefficient of 1, of the objective, and of each cell."""
    from scipy.sparse import csr_array, hstack

    block = csr_array(block)
    ends = csr_array(np.broadcast_to([one, goal], (block.shape[0], 2)))
    return hstack([ends, block])


def _temptations(payoff: Floats, player: int, coarse: bool) -> Any:
    """Return what another plan would add at each cell: a row for each plan or, given the advice, for each pair."""
    from scipy.sparse import csr_array

    count, cells = payoff.shape[player], payoff.size
    more = np.stack([np.take(payoff, [other], axis=player) - payoff for other in range(count)]).reshape(count, cells)
    if coarse:
        return csr_array(more)
    advice = np.broadcast_to(_advice(payoff.shape, player), more.shape)
    rows = np.arange(count)[:, None] * count + advice
    columns = np.broadcast_to(np.arange(cells), more.shape)
    return csr_array((more.ravel(), (rows.ravel(), columns.ravel())), shape=(count * count, cells))


def _advice(shape: tuple[int, ...], player: int) -> Any:
    """Return the plan that each cell advises to a player, [cells]."""
    return np.indices(shape, sparse=False)[player].ravel()


def _gain(form: NormalForm, player: int, weights: Floats, coarse: bool) -> float:
    """Return what a player could add, added up cell by cell."""
    counts = form.payoffs.shape[1:]
    joint = np.moveaxis(weights.reshape(counts), player, 0).reshape(counts[player], -1)
    payoff = np.moveaxis(form.centred[player], player, 0).reshape(counts[player], -1)
    if coarse:
        return max(0.0, float((payoff @ joint.sum(axis=0)).max() - (payoff * joint).sum()))
    pays = joint @ payoff.T  # [advice, plan followed]
    return max(0.0, float((pays.max(axis=1) - np.diag(pays)).sum()))
