"""The limit of regret matching that explores with a constant γ, as a system of equations.

The rule of V. Lisý, V. Kovařík, M. Lanctot, B. Bošanský (2013), section 3.1, plays x = γ/K + (1 − γ)p, where p is
proportional to the positive regrets. Regrets are measured against the play x, exploration included. So R_i/t tends to
(Ay)_i − xAy, and if play is stationary

    κ p_i = ((Ay)_i − xAy)⁺,    κ = Σ_i ((Ay)_i − xAy)⁺,

and the same for the other player. Because x·(Ay − xAy) = 0, κ follows from the cost of exploring: (1 − γ) κ |p|² =
γ (xAy − the mean of Ay). So near-best actions keep a share: p is the best response to y for a player who pays
κ|p|²/2 for concentrating. If κ = 0, or if only one action has positive regret, p is a best response, and the limit is
the equilibrium in which every action has probability γ/K at least. With two actions per player this is always so.

In a tree, a node returns its mean payoff. So the limit of a node is the limit of the matrix of its children's limits.
If many actions are near-best, the equations may have several solutions; play tends to one of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hannan import arguments
from hannan.arrays import Floats
from hannan.errors import HannanError, ParameterError
from hannan.kernels.mcts import records as rec
from hannan.treesearch.matrix import solve_matrix
from hannan.treesearch.searcher import Searcher

CLOSE = 1e-11
"""The largest norm of the equations' residual at a solution, for payoffs of range 1."""

STEPS, HALVINGS = 60, 20
"""Newton steps of one attempt, and halvings of one step."""

AVERAGED = 2000, 20_000, 200_000
"""Iterations of averaged play from which further attempts begin; about one game in 2,000 of five actions needs one."""


class MatrixLimit(NamedTuple):
    """The limit of play in one matrix game."""

    row: Floats
    column: Floats
    payoff: float
    """The mean payoff of the play to the row player."""


class TreeLimit(NamedTuple):
    """The limit of play in a tree, to player 0."""

    payoff: float
    """The mean payoff of the play."""
    guarantee: float
    """What player 0's frequencies earn against a best response."""
    value: float
    """The value of the game."""


def matrix_limit(payoffs: ArrayLike, gamma: float) -> MatrixLimit:
    """Return the limit of both players' frequencies in a matrix game, both by regret matching with exploration γ."""
    A, gamma = arguments.numbers("payoffs", payoffs), arguments.number("gamma", gamma, 0.0, 1.0)
    if A.ndim != 2:
        raise ParameterError("payoffs should be a matrix")
    low, span = float(A.min()), float(np.ptp(A)) or 1.0
    scaled = (A - low) / span
    m, n = A.shape
    guess = _solved(scaled, _allowed(scaled, gamma), gamma)
    for iterations in AVERAGED if guess is None else ():
        guess = _solved(scaled, _averaged(scaled, gamma, iterations), gamma)
        if guess is not None:
            break
    if guess is None:
        raise HannanError(f"the limit of regret matching was not found for a game of {m} by {n} actions")
    shares = [np.maximum(part, 0.0) for part in (guess[:m], guess[m : m + n])]
    row, column = (gamma / len(part) + (1 - gamma) * part / part.sum() for part in shares)
    return MatrixLimit(row, column, float(row @ A @ column))


def tree_limit(searcher: Searcher, gamma: float | None = None) -> TreeLimit:
    """Return the limit of `rm` and `rm-mean` in the full tree of a search. Default of gamma: that of the search."""
    if searcher.parameters["tree"] != "full":
        raise ParameterError("the limit needs a full tree: make the search with tree='full'")
    searcher.prepare()
    tree, size = searcher.tree, searcher.nodes
    gamma = searcher.parameters["gamma"] if gamma is None else gamma
    payoff, guarantee, value = np.zeros(size), np.zeros(size), np.zeros(size)
    for node in range(size - 1, -1, -1):  # children come after their parents
        kind, m, n = (int(tree.node[node, field]) for field in (rec.KIND, rec.ROWS, rec.COLUMNS))
        if kind == rec.END:
            payoff[node] = guarantee[node] = value[node] = tree.number[node, rec.GAIN]
            continue
        below = tree.cell[tree.node[node, rec.CELLS] : tree.node[node, rec.CELLS] + m * n].reshape(m, n)
        if kind == rec.CHANCE:
            odds = tree.stat[tree.node[node, rec.STATS] : tree.node[node, rec.STATS] + n]
            for each in (payoff, guarantee, value):
                each[node] = each[below[0]] @ odds
            continue
        limit, exact = matrix_limit(payoff[below], gamma), solve_matrix(value[below])
        payoff[node] = limit.payoff
        guarantee[node] = (limit.row @ guarantee[below]).min()
        value[node] = (exact.lower + exact.upper) / 2
    return TreeLimit(float(payoff[0]), float(guarantee[0]), float(value[0]))


def _allowed(A: Floats, gamma: float) -> Floats:
    """Return the equilibrium in which every action has probability γ/K at least, as a first guess."""
    m, n = A.shape
    mixed = [gamma / k + (1 - gamma) * np.eye(k) for k in (m, n)]
    solved = solve_matrix(mixed[0] @ A @ mixed[1].T)
    return _completed(A, np.array(solved.row), np.array(solved.column), gamma)


def _averaged(A: Floats, gamma: float, iterations: int) -> Floats:
    """Return the averages of regret matching on expected payoffs, as a first guess."""
    regrets = [np.zeros(k) for k in A.shape]
    sums = [np.zeros(k) for k in A.shape]
    for _ in range(iterations):
        own = [np.maximum(part, 0.0) if part.max() > 0 else np.ones(len(part)) for part in regrets]
        own = [part / part.sum() for part in own]
        x, y = (gamma / len(part) + (1 - gamma) * part for part in own)
        earned = x @ A @ y
        regrets[0] += A @ y - earned
        regrets[1] += earned - x @ A
        for total, part in zip(sums, own, strict=True):
            total += part
    p, q = (total / total.sum() for total in sums)
    return _completed(A, p, q, gamma)


def _completed(A: Floats, p: Floats, q: Floats, gamma: float) -> Floats:
    """Return the unknowns (p, q, both payoffs, both κ) that two strategies before exploration imply."""
    x, y = (gamma / len(part) + (1 - gamma) * part for part in (p, q))
    earned = float(x @ A @ y)
    costs = gamma * (earned - (A @ y).mean()), gamma * ((x @ A).mean() - earned)
    left = max(1 - gamma, 1e-12)
    return np.array([*p, *q, earned, -earned, costs[0] / (left * (p @ p)), costs[1] / (left * (q @ q))])


def _solved(A: Floats, guess: Floats, gamma: float) -> Floats | None:
    """Return the solution that Newton's method finds from a guess, by steps that reduce the residual; else None."""
    for _ in range(STEPS):
        residual, slope = _system(A, guess, gamma)
        norm = float(residual @ residual)
        if norm <= CLOSE**2:
            return guess
        step = np.linalg.lstsq(slope, -residual, rcond=None)[0]
        for halving in range(HALVINGS):
            share = 0.5**halving
            trial, _ = _system(A, guess + share * step, gamma)
            if float(trial @ trial) < (1 - 1e-4 * share) * norm:
                break
        else:
            return None
        guess = guess + share * step
    return None


def _system(A: Floats, z: Floats, gamma: float) -> tuple[Floats, Any]:
    """Return the residual of the equations and its slope.

    p_i ≥ 0 and f_i = c + κ p_i − (Ay)_i ≥ 0, one of them 0, is written as p_i + f_i = √(p_i² + f_i²).
    """
    m, n = A.shape
    both, keep = m + n, 1 - gamma
    w, (c1, c2, k1, k2) = z[:both], z[both:]
    p, q = w[:m], w[m:]
    gains = A @ (gamma / n + keep * q), -((gamma / m + keep * p) @ A)
    f = np.concatenate([c1 + k1 * p - gains[0], c2 + k2 * q - gains[1]])
    root = np.hypot(w, f)
    costs = gamma * (c1 - gains[0].mean()), gamma * (c2 - gains[1].mean())
    residual = np.array(
        [*(w + f - root), p.sum() - 1, q.sum() - 1, k1 * keep * (p @ p) - costs[0], k2 * keep * (q @ q) - costs[1]]
    )
    inner = np.zeros((both, both + 4))
    inner[:m, m:both], inner[m:, :m] = -keep * A, keep * A.T
    inner[range(both), range(both)] += np.repeat([k1, k2], [m, n])
    inner[:m, both], inner[m:, both + 1] = 1.0, 1.0
    inner[:m, both + 2], inner[m:, both + 3] = p, q
    safe = np.where(root > 0, root, 1.0)
    of_w, of_f = (1 - np.where(root > 0, part / safe, np.sqrt(0.5)) for part in (w, f))
    slope = np.zeros((both + 4, both + 4))
    slope[:both] = of_f[:, None] * inner
    slope[range(both), range(both)] += of_w
    slope[both, :m], slope[both + 1, m:both] = 1.0, 1.0
    slope[both + 2, :m], slope[both + 2, m:both] = 2 * k1 * keep * p, gamma * keep * A.mean(axis=0)
    slope[both + 3, m:both], slope[both + 3, :m] = 2 * k2 * keep * q, -gamma * keep * A.mean(axis=1)
    slope[both + 2, both], slope[both + 2, both + 2] = -gamma, keep * (p @ p)
    slope[both + 3, both + 1], slope[both + 3, both + 3] = -gamma, keep * (q @ q)
    return residual, slope
