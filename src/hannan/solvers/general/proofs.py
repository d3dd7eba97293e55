"""Proofs of equilibria: exact fractions, a box around a true equilibrium, or a bound on every gain.

`prove` takes strategies from any method and returns what can be proven of them, the strongest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from hannan.arrays import Floats
from hannan.errors import MismatchError
from hannan.forms.game import ExpandedGame
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.cells import ExactCells, exact_cells, gains_of
from hannan.solvers.general.krawczyk import Root, Support, find_root
from hannan.solvers.general.point import Fractions, Point
from hannan.solvers.general.regrets import (
    BITS,
    behaviour_of,
    plan_regret,
    realized,
    rounded,
    sequence_regret,
    upward,
)

CUTS = (1e-6, 1e-4, 1e-9, 1e-2)
"""A plan belongs to the support if its probability is above this; the cuts are tried in order."""

NEAR = 1e-3
"""An equilibrium farther than this from the given strategies counts as another one."""


def prove(game: NormalForm | ExpandedGame, strategies: Sequence[Floats], cells: ExactCells | None = None) -> Point:
    """Prove the strongest possible claim about strategies that are close to an equilibrium.

    Parameters
    ----------
    game
        A normal form, or a tree.
    strategies
        A player: probabilities of plans, or for a tree probabilities of sequences. They need not be exact.
    cells
        The exact payoffs of the normal form, if the caller has them.

    Returns
    -------
    Point
        For a normal form with a regular equilibrium nearby: `radius`, `index` and `isolated`, and `fractions` if it is
        rational. Otherwise only `regret`: no player can gain more by deviating. Strategies are rounded for this.
    """
    sizes = [plex.sequences for plex in game.form.treeplexes] if isinstance(game, ExpandedGame) else None
    sizes = sizes or [len(plans) for plans in game.plans]  # type: ignore[union-attr]
    if [len(strategy) for strategy in strategies] != sizes:
        raise MismatchError(f"strategies of {[len(one) for one in strategies]} probabilities; expected {sizes}")
    if isinstance(game, ExpandedGame):
        return _tree_point(game, strategies)
    cells = exact_cells(game) if cells is None else cells
    tried: set[Support] = set()
    for cut in CUTS:
        support = tuple(tuple(np.flatnonzero(np.asarray(one) > cut).tolist()) for one in strategies)
        if support in tried or not all(support):
            continue
        tried.add(support)
        root = find_root(cells, support, strategies)
        if root is None or _distance(root, strategies) > NEAR:
            continue
        exact, root = sharpened(cells, root)
        if root.standing == "equilibrium":
            return point_of(cells, root, exact)
    return _mixed_point(cells, [rounded(np.asarray(one, np.float64)) for one in strategies])


def sharpened(cells: ExactCells, root: Root) -> tuple[Fractions | None, Root]:
    """Look for the fractions that a root is; if it is undecided, they may decide whether it is an equilibrium."""
    mixing = sum(len(plans) > 1 for plans in root.support)
    if mixing > 2 and root.standing != "undecided":
        return None, root
    exact = _reconstructed(cells, root)
    if exact is None or root.standing != "undecided":
        return exact, root
    inside = all(exact[player][plan] > 0 for player, plans in enumerate(root.support) for plan in plans)
    good = inside and min(map(min, exact)) >= 0 and not any(gains_of(cells, exact))
    return exact, replace(root, standing="equilibrium" if good else "none", index=0)


def _reconstructed(cells: ExactCells, root: Root) -> Fractions | None:
    """Return the fractions near a root that solve its equations, on all plans; None if none are found."""
    fine = Fraction(1)
    if root.radius:
        fine = 1 / (4 * root.radius)
    most = max(1, int(fine**0.5)) if fine < 2**1000 else 1 << 500
    exact = []
    for player, (plans, centre) in enumerate(zip(root.support, root.centre, strict=True)):
        strategy = [Fraction(0)] * cells.shape[player]
        for place, (plan, number) in enumerate(zip(plans, centre, strict=True)):
            strategy[plan] = number if not root.radius else number.limit_denominator(most)
            if abs(strategy[plan] - number) > root.reach(player, place):
                return None
        if sum(strategy) != 1:
            return None
        exact.append(tuple(strategy))
    fractions = tuple(exact)
    return fractions if not root.radius or _balanced(cells, root.support, fractions) else None


def _balanced(cells: ExactCells, support: Support, exact: Fractions) -> bool:
    """Return whether all plans of each player's support pay the same, in fractions."""
    used = [[k for k, weight in enumerate(one) if weight] for one in exact]
    weights = [np.array([one[k] for k in own], object) for one, own in zip(exact, used, strict=True)]
    for player, numbers in enumerate(cells.numbers):
        chosen = [list(support[player]) if q == player else own for q, own in enumerate(used)]
        paid = np.moveaxis(numbers[np.ix_(*chosen)], player, 0)
        for q in reversed([q for q in range(len(used)) if q != player]):
            paid = paid @ weights[q]
        if any(value != paid[0] for value in paid):
            return False
    return True


def _distance(root: Root, strategies: Sequence[Floats]) -> float:
    """Return how far a root lies from strategies."""
    return max(
        abs(float(number) - float(one[plan]))
        for plans, centre, one in zip(root.support, root.centre, strategies, strict=True)
        for plan, number in zip(plans, centre, strict=True)
    )


def point_of(cells: ExactCells, root: Root, exact: Fractions | None = None) -> Point:
    """Return a proven equilibrium as a point."""
    strategies, radius = [], Fraction(0)
    for player, (plans, centre) in enumerate(zip(root.support, root.centre, strict=True)):
        strategy = np.zeros(cells.shape[player])
        for place, (plan, number) in enumerate(zip(plans, centre, strict=True)):
            strategy[plan] = float(number if exact is None else exact[player][plan])
            radius = max(radius, abs(Fraction(float(strategy[plan])) - number) + root.reach(player, place))
        strategies.append(strategy)
    regret = Fraction(0) if exact else plan_regret(cells, [rounded(one) for one in strategies])
    index = root.index or None
    return Point(
        tuple(strategies), fractions=exact, radius=upward(radius), regret=upward(regret), index=index,
        isolated=True if index else None,
    )  # fmt: skip


def epsilon_point(cells: ExactCells, support: Support, parts: Sequence[Floats]) -> Point:
    """Return strategies on a support as a point with a proven bound on every gain."""
    whole = []
    for player, (plans, part) in enumerate(zip(support, parts, strict=True)):
        strategy = np.zeros(cells.shape[player])
        strategy[list(plans)] = np.maximum(part, 0.0)
        whole.append(rounded(strategy))
    return _mixed_point(cells, whole)


def _mixed_point(cells: ExactCells, whole: list[np.ndarray]) -> Point:
    """Return rounded strategies as a point: exact if no player gains at all, else with a bound on every gain."""
    strategies = tuple((own / 2**BITS).astype(np.float64) for own in whole)
    regret = plan_regret(cells, whole)
    if regret == 0:
        exact = tuple(tuple(Fraction(int(number), 2**BITS) for number in own) for own in whole)
        return Point(strategies, fractions=exact, radius=0.0, regret=0.0)
    return Point(strategies, regret=upward(regret))


def _tree_point(game: ExpandedGame, strategies: Sequence[Floats]) -> Point:
    """Return strategies of a tree, rounded as behaviour, with a proven bound on every gain."""
    behaviour = behaviour_of(game, strategies)
    reach = [realized(plex, own) for plex, own in zip(game.form.treeplexes, behaviour, strict=True)]
    floats = tuple((own / (1 << bits)).astype(np.float64) for own, bits in reach)
    return Point(floats, "sequences", regret=upward(sequence_regret(game, behaviour)))
