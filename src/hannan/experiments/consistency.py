"""Hannan consistency of a selection rule, measured by repeated play of a matrix game against opponents of many kinds.

V. Lisý, V. Kovařík, M. Lanctot, B. Bošanský (2013), section 4. Also measured: what players could gain by a deviation in
each subgame of a searched tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hannan import arguments
from hannan.arrays import Floats, Longs
from hannan.errors import ParameterError
from hannan.kernels.mcts import records as rec
from hannan.treesearch.growth import Growth, empty_tree
from hannan.treesearch.matrix import solve_matrix
from hannan.treesearch.searcher import Searcher
from hannan.treesearch.selection import RULES, plan_of, shares

OPPONENTS = ("itself", "stochastic", "responding", "switching")
"""The players of the columns: the rule itself; a fixed strategy; a best response to the rows' frequencies so far; pure
columns in turn, each for twice as long as the one before."""


@dataclass(frozen=True)
class Repetition:
    """Repeated play, recorded at some points in time."""

    points: Longs  # [points]  the number of plays so far
    regrets: Floats  # [points, 2]  the average regret of each player; the second counts only for opponent="itself"
    frequencies: Floats  # [points, 2, side]
    averages: Floats  # [points, 2, side]  the mean of the strategies that were played, exploration included
    payoffs: Floats  # [points]  g(t), the mean payoff to player 0, errors included
    together: Floats  # [points, rows, columns]  t_ij, how often both actions were played at once

    def apart(self, player: int, size: int) -> Floats:
        """Return the largest difference between frequencies and average strategies, at each point."""
        return np.abs(self.frequencies - self.averages)[:, player, :size].max(axis=1)


def repeat_matrix(
    payoffs: ArrayLike,
    rule: str,
    *,
    points: Any,
    opponent: str = "itself",
    strategy: ArrayLike | None = None,
    error: float = 0.0,
    gamma: float | None = None,
    explore: str = "own",
    seed: int = 0,
) -> Repetition:
    """Play a matrix game with payoffs in [0, 1] until the last of `points`, and return the record.

    opponent: one of `OPPONENTS`; `strategy` is that of the stochastic one (default: uniform). error: the error of
    payoffs (they stay in [0, 1]). It is positive for a row that was played less than its share, and negative for any
    other row. Regrets are computed from payoffs with their errors.
    """
    from hannan.kernels.mcts.repetition import Records, Sums, repeater

    A = arguments.numbers("payoffs", payoffs)
    if A.ndim != 2 or min(A.shape) < 2 or not np.all((A >= 0) & (A <= 1)):
        raise ParameterError("a repeated game needs at least two rows and two columns, and payoffs in [0, 1]")
    number = OPPONENTS.index(arguments.choice("opponent", opponent, OPPONENTS))
    arguments.number("error", error, 0.0, 1.0)
    plan = plan_of(
        RULES[arguments.choice("rule", rule, RULES)], gamma=gamma, returns=None, explore=explore, unvisited="skip",
        c=2.0, margin=0.01, judge=rec.RANDOM_PLAY, apart=rec.NOT_APART, low=0.0, high=1.0,
    )  # fmt: skip
    if plan.rule == rec.OOS:
        raise ParameterError("rule='oos' learns from whole walks, not from a repeated matrix game; use another rule")
    m, n = A.shape
    points = list(points) if isinstance(points, np.ndarray | range) and np.ndim(points) == 1 else points
    arguments.each_whole("points", points, 1, 2**62)
    side, times = max(m, n), np.array(points, np.int64)
    if times.size == 0 or np.any(np.diff(times) <= 0):
        raise ParameterError(f"points={arguments.shown(points)} should be increasing whole numbers, at least one")
    tree = empty_tree(1 + m * n, m * n, rec.KEPT * (m + n))
    tree.cell[:] = np.arange(1, 1 + m * n)
    tree.node[0, [rec.KIND, rec.ROWS, rec.COLUMNS]] = rec.MOVES, m, n
    tree.mean[:] = np.nan
    fixed = np.full(n, 1 / n) if strategy is None else arguments.numbers("strategy", strategy)
    if fixed.shape != (n,) or not np.all(fixed >= 0) or not abs(fixed.sum() - 1) <= 1e-9:
        raise ParameterError(f"strategy should be {n} probabilities that sum to 1, one for each column")
    sums = Sums(np.zeros((2, side)), np.zeros((2, side)), np.zeros(2), fixed)
    walk = Growth(1, 2, 1, arguments.seed(seed)).walk
    averages = np.zeros((len(times), 2, side))
    records = Records(
        np.zeros((len(times), 2)), np.zeros_like(averages), averages, np.zeros(len(times)), np.zeros((len(times), m, n))
    )
    repeater(plan.rule)(A, number, float(error), tree, walk, plan, sums, times, records)
    for k in range(len(times)):
        for player, size in enumerate(A.shape):
            averages[k, player, :size] = shares(plan, averages[k, player, :size], averages=True, exploration=True)
    return Repetition(times, records.regret, records.frequency, averages, records.payoff, records.together)


def equilibrium_gap(payoffs: ArrayLike, rows: Floats, columns: Floats) -> float:
    """Return the most that either player of a matrix game could gain by a deviation."""
    A = np.array(payoffs, np.float64)
    value = rows @ A @ columns
    return float(max((A @ columns).max() - value, value - (rows @ A).min()))


def deviations(searcher: Searcher) -> dict[int, float]:
    """Return the most that a player could gain by deviating within a subgame, by the subgame's height in joint moves.

    The tree must be full and have joint moves only. Gains are scaled: the range of payoffs has length 1.
    """
    worth, least, most = (searcher.tree.number[:, rec.GAIN].copy() for _ in range(3))
    largest: dict[int, float] = {}
    for node, height, below in _joint_nodes(searcher):
        x, y = (searcher.shares(part, averages=False, exploration=True) for part in searcher.numbers(node))
        worth[node] = x @ worth[below] @ y
        least[node], most[node] = (x @ least[below]).min(), (most[below] @ y).max()
        gain = max(most[node] - worth[node], worth[node] - least[node]) * searcher.scale
        largest[height] = max(largest.get(height, 0.0), float(gain))
    return largest


def payoff_errors(searcher: Searcher, visits: int) -> dict[int, float]:
    """Return the largest distance of a node's mean payoff from its value, by height in joint moves, scaled.

    That is |g(t) − v| of the payoff bound in the proof of Theorem 4.11. Nodes with fewer visits are left out. The tree
    must be full and have joint moves only.
    """
    value, number = searcher.tree.number[:, rec.GAIN].copy(), searcher.tree.number
    low, scale = searcher.state()["range"].tolist()
    largest: dict[int, float] = {}
    for node, height, below in _joint_nodes(searcher):
        solved = solve_matrix(value[below])
        value[node] = (solved.lower + solved.upper) / 2
        if number[node, rec.VISITS] >= visits:
            apart = abs(number[node, rec.SUM] / number[node, rec.VISITS] - (value[node] - low) * scale)
            largest[height] = max(largest.get(height, 0.0), float(apart))
    return largest


def _joint_nodes(searcher: Searcher) -> Iterator[tuple[int, int, Any]]:
    """Yield the joint moves of a full tree, the last one first: the node, its height, and its children as a matrix."""
    if searcher.parameters["tree"] != "full":
        raise ParameterError("subgames are measured in a full tree; use tree='full'")
    tree, heights = searcher.tree, np.zeros(searcher.nodes, np.int64)
    for node in range(searcher.nodes - 1, -1, -1):  # children come after their parents
        kind, m, n = (int(tree.node[node, field]) for field in (rec.KIND, rec.ROWS, rec.COLUMNS))
        if kind == rec.CHANCE:
            raise ParameterError("subgames are measured only in games without chance nodes")
        if kind == rec.MOVES:
            below = tree.cell[tree.node[node, rec.CELLS] : tree.node[node, rec.CELLS] + m * n].reshape(m, n)
            heights[node] = 1 + heights[below].max()
            yield node, int(heights[node]), below
