"""Correlated equilibria of small games: a mediator advises each player, and no player gains by leaving the advice.

R. J. Aumann (1974), Subjectivity and correlation in randomized strategies (`ce`); H. Moulin and J.-P. Vial (1978),
Strategically zero-sum games (`cce`); B. von Stengel and F. Forges (2008), Extensive-form correlated equilibrium
(`efce`); G. Farina, T. Bianchi, T. Sandholm (2020), Coarse correlation in extensive-form games (`efcce`, `nfcce`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Literal, get_args

import numpy as np

from hannan.arguments import choice, shown
from hannan.arrays import Floats, frozen
from hannan.errors import ParameterError, SizeError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load_expanded
from hannan.forms.tree import TERMINAL
from hannan.forms.treeplex import worth
from hannan.solvers.exact.maximin import simplex_program
from hannan.solvers.exact.normalform import NormalForm, normal_form
from hannan.solvers.general.triggers import TreeKind, best_advice, last_sequences, triggers

Objective = Literal["welfare", "egalitarian"]

CorrelatedKind = Literal["ce", "cce", "efce", "efcce", "nfcce"]

MEANINGS = {
    "ce": "each player learns its whole plan before play, and may follow another",
    "cce": "each player learns nothing before it binds itself to one plan of its own, or to the advice",
    "efce": "each player learns its next action when it gets there; a player that leaves the advice gets no more of it",
    "efcce": "as efce, but a player decides whether to leave before it learns the action",
    "nfcce": "the cce of a tree, found on its sequences",
}
"""The knowledge of a player when it decides whether to leave the advice, by kind."""

MOST_COEFFICIENTS = 20_000_000
"""The most numbers that the constraints of a ce or cce may have."""


@dataclass(frozen=True, eq=False)
class CorrelatedEquilibrium:
    """Advice of a mediator that no player gains by leaving."""

    game: ExpandedGame
    kind: CorrelatedKind
    values: tuple[float, ...]
    """Its value to each player."""
    gains: tuple[float, ...]
    """The gain of each player's best way to leave the advice, measured on the advice itself: 0 up to rounding."""
    form: NormalForm | None
    """The normal form, if the mediator draws plans."""
    distribution: Floats | None  # [plans of player 0, plans of player 1, …]
    """The probability of each combination of plans, if the mediator draws plans."""
    plan: Floats | None  # [sequences of player 0, sequences of player 1, …]
    """For `efce`, `efcce` and `nfcce`: the probability that the advice is consistent with each tuple of sequences."""

    def __post_init__(self) -> None:
        for array in (self.distribution, self.plan):
            if array is not None:
                frozen(array)

    def record(self) -> dict[str, Any]:
        """Return the numbers and the advice of positive probability, as one object that JSON can hold."""
        return {
            "game": self.game.address, "kind": self.kind, "values": self.values, "gains": self.gains,
            "advice": self.advice(),
        }  # fmt: skip

    def advice(self) -> list[dict[str, Any]]:
        """List the advice of more than rounding probability: plans, or sequences with which play can end."""
        found = []
        if self.distribution is not None and self.form is not None:
            for cell in np.argwhere(self.distribution > ROUNDING).tolist():
                plans = [self.form.plan_text(p, k) for p, k in enumerate(cell)]
                found.append({"probability": float(self.distribution[tuple(cell)]), "plans": plans})
            return found
        assert self.plan is not None
        tree = self.game.tree
        ends = np.unique(last_sequences(tree)[tree.turn == TERMINAL], axis=0)
        for key in ends[self.plan[tuple(ends.T)] > ROUNDING].tolist():
            words = [self._text(p, k) for p, k in enumerate(key)]
            found.append({"probability": float(self.plan[tuple(key)]), "sequences": words})
        return found

    def _text(self, player: int, sequence: int) -> str:
        if sequence == 0:
            return ""
        plex = self.game.form.treeplexes[player]
        where = self.game.set_text(player, int(plex.set_of[sequence]))
        return f"{where}: {self.game.action_text(player, sequence)}"

    def __repr__(self) -> str:
        values = [float(f"{value:.6g}") for value in self.values]
        return f"CorrelatedEquilibrium({self.game.address}: {self.kind}, values {values})"


ROUNDING = 1e-9
"""Probabilities up to this are rounding."""


def correlated_equilibrium(
    game: Loadable | NormalForm, objective: Objective | int = "welfare", kind: CorrelatedKind = "ce"
) -> CorrelatedEquilibrium:
    """Find the best correlated equilibrium of a small game, by linear programming.

    Parameters
    ----------
    game
        A game, its address, or its normal form.
    objective
        What is best: the sum of the values (`welfare`), the smallest value (`egalitarian`), or the value of one player,
        given by its number.
    kind
        What a player knows when it may leave the advice. `ce`: its whole plan. `cce`: nothing. `efce`: the actions
        advised so far, step by step; after leaving it gets no more advice. `efcce`: as efce, but without the action at
        hand. `nfcce`: the cce of a tree, found on sequences. The last three need no normal form in two-player games
        without chance.

    """
    given = game if isinstance(game, NormalForm) else None
    expanded = given.game if given is not None else load_expanded(game)  # type: ignore[arg-type]
    choice("kind", kind, get_args(CorrelatedKind))
    _check_objective(objective, expanded.players)
    if kind in ("ce", "cce"):
        return _of_plans(given or normal_form(expanded), objective, kind)
    goals = np.ones(expanded.players)
    if not isinstance(objective, str):
        goals = np.zeros(expanded.players)
        goals[objective] = 1.0
    advice = best_advice(expanded, kind, goals, objective == "egalitarian")  # type: ignore[arg-type]
    sequences = tuple(expanded.form.sequences)
    values = tuple(float((expanded.form.payoff(p) * advice.plan[sequences]).sum()) for p in range(expanded.players))
    gains = advice_gains(expanded, advice.plan, kind)  # type: ignore[arg-type]
    return CorrelatedEquilibrium(expanded, kind, values, gains, advice.form, advice.distribution, advice.plan)


def _check_objective(objective: Any, players: int) -> None:
    known_player = isinstance(objective, int) and not isinstance(objective, bool) and 0 <= objective < players
    if not known_player and not (isinstance(objective, str) and objective in get_args(Objective)):
        raise ParameterError(
            f"objective={shown(objective)} should be 'welfare', 'egalitarian' or a player, 0 to {players - 1}"
        )


def advice_gains(game: ExpandedGame, plan: Floats, kind: TreeKind) -> tuple[float, ...]:
    """Return the gain of each player's best way to leave advice for sequences, added up from the advice.

    A player may leave at one trigger on each line of play. `plan` is [sequences of player 0, …].
    """
    gains = []
    for player, plex in enumerate(game.form.treeplexes):
        payoffs, sequences = game.form.payoff(player), game.form.sequences
        followed = np.zeros(plex.sequences)
        np.add.at(followed, sequences[player], payoffs * plan[tuple(sequences)])
        here: dict[tuple[int, int], float] = {}  # (set, sequence known there): the gain of leaving there
        for trigger in triggers(plex, kind):
            place = list(sequences)
            place[player] = np.full_like(sequences[player], trigger.sequence)
            gradient = np.zeros(plex.sequences)
            np.add.at(gradient, sequences[player], payoffs * plan[tuple(place)])
            best = worth(plex, gradient)
            deviating = sum(float(best[plex.begin[j] : plex.begin[j + 1]].max()) for j in trigger.sets)
            added = deviating - float(followed[list(trigger.followed)].sum())
            here[trigger.sets[0] if trigger.sets else -1, trigger.sequence] = added
        if kind == "nfcce":
            gains.append(max(0.0, *here.values()))
            continue
        total = np.zeros(plex.sequences)  # the best gain of leaving after a sequence
        for j in reversed(range(plex.sets)):
            below = range(int(plex.begin[j]), int(plex.begin[j + 1]))
            if kind == "efce":
                total[plex.parent[j]] += sum(max(here[j, k], float(total[k]), 0.0) for k in below)
            else:
                later = sum(float(total[k]) for k in below)
                total[plex.parent[j]] += max(here[j, int(plex.parent[j])], later, 0.0)
        gains.append(float(total[0]))
    return tuple(gains)


def _of_plans(form: NormalForm, objective: Objective | int, kind: CorrelatedKind) -> CorrelatedEquilibrium:
    """Find the best ce or cce of a normal form."""
    from scipy.sparse import vstack

    coarse = kind == "cce"
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
        above = (form.middles - form.middles.min()) / form.scale  # compare the original values
        rows += [_row(-above[p], 1.0, -utilities[p][None]) for p in range(form.players)]
    else:
        goal = utilities.sum(axis=0) if objective == "welfare" else utilities[int(objective)]
        rows.append(_row(0.0, 1.0, -goal[None]))
    rows += [_row(0.0, 0.0, temptations(payoffs[p], p, coarse)) for p in range(form.players)]
    cost = np.zeros(2 + cells)
    cost[1] = 1.0
    program = simplex_program(cost, vstack(rows), free=1)
    weights = np.maximum(program.columns[2:], 0.0)
    weights /= weights.sum()
    gains = tuple(_gain(form, p, weights, coarse) for p in range(form.players))
    values = tuple(float(value) for value in form.payoffs.reshape(form.players, cells) @ weights)
    return CorrelatedEquilibrium(form.game, kind, values, gains, form, weights.reshape(counts), None)


def _row(one: float, goal: float, block: Any) -> Any:
    """Return rows of the program: the coefficient of 1, of the objective, and of each cell."""
    from scipy.sparse import csr_array, hstack

    block = csr_array(block)
    ends = csr_array(np.broadcast_to([one, goal], (block.shape[0], 2)))
    return hstack([ends, block])


def temptations(payoff: Floats, player: int, coarse: bool) -> Any:
    """Return the gain of another plan at each cell: a row for each plan or, given the advice, for each pair."""
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
    """Return the gain of a player's best deviation, added up cell by cell."""
    counts = form.payoffs.shape[1:]
    joint = np.moveaxis(weights.reshape(counts), player, 0).reshape(counts[player], -1)
    payoff = np.moveaxis(form.centred[player], player, 0).reshape(counts[player], -1)
    if coarse:
        return max(0.0, float((payoff @ joint.sum(axis=0)).max() - (payoff * joint).sum()))
    pays = joint @ payoff.T  # [advice, plan followed]
    return max(0.0, float((pays.max(axis=1) - np.diag(pays)).sum()))
