"""Hannan consistency of a selection rule, by play: one matrix game again and again, against opponents of many kinds.

V. Lisý, V. Kovařík, M. Lanctot, B. Bošanský (2013), section 4. And what players could gain by a deviation in each
subgame of a tree that was searched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hannan import arguments
from hannan.arrays import Floats, Longs
from hannan.errors import ParameterError
from hannan.kernels.mcts import records as rec
from hannan.treesearch.growth import Growth, empty_tree
from hannan.treesearch.searcher import Searcher
from hannan.treesearch.selection import RULES, plan_of, shares

OPPONENTS = ("itself", "stochastic", "responding", "switching")
"""Who plays the columns: the rule itself; a fixed strategy; a best response to the rows' frequencies so far; pure
columns in turn, each for twice as long as the one before."""


@dataclass(frozen=True)
class Repetition:
    """Repeated play, at some of its times."""

    points: Longs  # [points]  how often the game had been played
    regrets: Floats  # [points, 2]  the average regret of each player; the second means little where it is no rule
    frequencies: Floats  # [points, 2, side]
    averages: Floats  # [points, 2, side]  the mean of the strategies that were played, exploration included

    def apart(self, player: int, size: int) -> Floats:
        """Return by how much frequencies and average strategies differ at most, at each point."""
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
    """Play a matrix game with payoffs in [0, 1] until the last of `points`, and return what came of it.

    opponent: one of `OPPONENTS`; `strategy` is that of the stochastic one (uniform otherwise). error: payoffs are off
    by so much (they stay in [0, 1]), up for a row that was played less than its share and down for another; regrets are
    those of payoffs with their errors.
    """
    from hannan.kernels.mcts.repetition import Sums, repeater

    A = arguments.numbers("payoffs", payoffs)
    if A.ndim != 2 or min(A.shape) < 2 or not np.all((A >= 0) & (A <= 1)):
        raise ParameterError("repeated games are matrices with two rows and columns at least, and payoffs in [0, 1]")
    number = OPPONENTS.index(arguments.choice("opponent", opponent, OPPONENTS))
    arguments.number("error", error, 0.0, 1.0)
    plan = plan_of(
        RULES[arguments.choice("rule", rule, RULES)], gamma=gamma, returns=None, explore=explore, unvisited="skip",
        c=2.0, margin=0.01, judge=rec.RANDOM_PLAY, apart=rec.NOT_APART, low=0.0, high=1.0,
    )  # fmt: skip
    if plan.rule == rec.OOS:
        raise ParameterError("rule='oos' learns from whole walks, and not from one matrix game again and again")
    m, n = A.shape
    points = list(points) if isinstance(points, np.ndarray | range) and np.ndim(points) == 1 else points
    arguments.each_whole("points", points, 1, 2**62)
    side, times = max(m, n), np.array(points, np.int64)
    if times.size == 0 or np.any(np.diff(times) <= 0):
        raise ParameterError(f"points={arguments.shown(points)} should be whole numbers that grow, one at least")
    tree = empty_tree(1 + m * n, m * n, rec.KEPT * (m + n))
    tree.cell[:] = np.arange(1, 1 + m * n)
    tree.node[0, [rec.KIND, rec.ROWS, rec.COLUMNS]] = rec.MOVES, m, n
    tree.mean[:] = np.nan
    fixed = np.full(n, 1 / n) if strategy is None else arguments.numbers("strategy", strategy)
    if fixed.shape != (n,) or not np.all(fixed >= 0) or not abs(fixed.sum() - 1) <= 1e-9:
        raise ParameterError(f"strategy should be {n} probabilities that sum to 1, one for each column")
    sums = Sums(np.zeros((2, side)), np.zeros((2, side)), np.zeros(2), fixed)
    walk = Growth(1, 2, 1, arguments.seed(seed)).walk
    regrets, frequencies = np.zeros((len(times), 2)), np.zeros((len(times), 2, side))
    averages = np.zeros_like(frequencies)
    repeater(plan.rule)(A, number, float(error), tree, walk, plan, sums, times, regrets, frequencies, averages)
    for k in range(len(times)):
        for player, size in enumerate(A.shape):
            averages[k, player, :size] = shares(plan, averages[k, player, :size], averages=True, exploration=True)
    return Repetition(times, regrets, frequencies, averages)


def equilibrium_gap(payoffs: ArrayLike, rows: Floats, columns: Floats) -> float:
    """Return the most that either player of a matrix game could gain by a deviation."""
    A = np.array(payoffs, np.float64)
    value = rows @ A @ columns
    return float(max((A @ columns).max() - value, value - (rows @ A).min()))


def deviations(searcher: Searcher) -> dict[int, float]:
    """Return the most that a player could gain by deviating within a subgame, by the subgame's height in joint moves.

    The tree must be a full one, of joint moves alone. Gains are scaled: the range of payoffs has length 1.
    """
    if searcher.parameters["tree"] != "full":
        raise ParameterError("deviations are measured in a full tree: tree='full'")
    tree, size = searcher.tree, searcher.nodes
    worth, least, most, height = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size, np.int64)
    largest: dict[int, float] = {}
    for node in range(size - 1, -1, -1):  # children come after their parents
        kind, m, n = (int(tree.node[node, field]) for field in (rec.KIND, rec.ROWS, rec.COLUMNS))
        if kind == rec.END:
            worth[node] = least[node] = most[node] = tree.number[node, rec.GAIN]
            continue
        if kind != rec.MOVES:
            raise ParameterError("deviations are measured where nothing is left to chance")
        below = tree.cell[tree.node[node, rec.CELLS] : tree.node[node, rec.CELLS] + m * n].reshape(m, n)
        x, y = (searcher.shares(part, averages=False, exploration=True) for part in searcher.numbers(node))
        worth[node] = x @ worth[below] @ y
        least[node], most[node] = (x @ least[below]).min(), (most[below] @ y).max()
        height[node] = 1 + height[below].max()
        gain = max(most[node] - worth[node], worth[node] - least[node]) * searcher.scale
        largest[int(height[node])] = max(largest.get(int(height[node]), 0.0), float(gain))
    return largest
