"""One matrix game, played again and again: a selection rule against an opponent, or against itself.

Payoffs lie in [0, 1] and are player 0's. They may be off by a bounded error that depends on what was played before, as
in Definition 4.8 of V. Lisý, V. Kovařík, M. Lanctot, B. Bošanský (2013).
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from numba import types

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined, signed
from hannan.kernels.lent import borrowed
from hannan.kernels.mcts import records as rec
from hannan.kernels.mcts.records import Played, SearchPlan, SearchTree, SearchWalk, ground_of
from hannan.kernels.mcts.selection import select, update
from hannan.kernels.sampling.draws import draw
from hannan.kernels.signatures import FLOATS, LONG, LONGS

# opponents: themselves; a fixed strategy; a best response to the frequencies so far; pure columns in turn, each for
# twice as long as the one before
ITSELF, STOCHASTIC, RESPONDING, SWITCHING = range(4)


class Records(NamedTuple):
    """What is written down at some times of the play."""

    regret: Floats  # [points, 2]
    frequency: Floats  # [points, 2, side]
    average: Floats  # [points, 2, side]
    payoff: Floats  # [points]
    together: Floats  # [points, rows, columns]


class Sums(NamedTuple):
    """What is kept of the play."""

    played: Floats  # [2, side]  how often each action was played
    forgone: Floats  # [2, side]  what each action would have earned so far, errors included
    earned: Floats  # [2]
    fixed: Floats  # [side]  the stochastic opponent's strategy


@inlined
def _off(sums: Sums, row: int, rows: int, times: float, error: float) -> float:
    """Return the error of a payoff: it favours whichever row was played less than its share."""
    return error if sums.played[0, row] * rows < times else -error


@inlined
def _paid(A: Floats, sums: Sums, row: int, column: int, times: float, error: float) -> float:
    """Return the payoff of a cell now."""
    return min(max(A[row, column] + _off(sums, row, A.shape[0], times, error), 0.0), 1.0)


@inlined
def _answer(random: Any, A: Floats, sums: Sums, opponent: int, time: int) -> int:
    """Return the column of an opponent that is not the rule itself."""
    columns = A.shape[1]
    if opponent == STOCHASTIC:
        return draw(random, sums.fixed, 0, columns)
    if opponent == SWITCHING:
        stage, past = 0, 1
        while past <= time:
            past += 2 << stage
            stage += 1
        return stage % columns
    best, least = 0, 0.0
    for column in range(columns):
        worth = 0.0
        for row in range(A.shape[0]):
            worth += sums.played[0, row] * A[row, column]
        if column == 0 or worth < least:
            best, least = column, worth
    return best


@cache
def repeater(rule: int) -> Any:
    """Return the compiled play of a rule."""

    def repeat(
        A: Floats, opponent: int, error: float, tree: SearchTree, walk: SearchWalk, plan: SearchPlan, sums: Sums,
        points: Longs, records: Records,
    ) -> Any:  # fmt: skip
        tree, walk = borrowed(tree), borrowed(walk)
        ground = ground_of(tree, walk)
        rows, columns = A.shape
        second, time = rec.KEPT * rows, 0
        for k in range(points.size):
            while time < points[k]:
                visits = tree.number[0, rec.VISITS]
                row, first_p = select(rule, ground.random, ground.stat, 0, rows, visits, plan, plan.gamma)
                column, second_p = 0, 1.0
                if opponent == ITSELF:
                    column, second_p = select(
                        rule, ground.random, ground.stat, second, columns, visits, plan, plan.gamma
                    )
                else:
                    column = _answer(walk.random, A, sums, opponent, time)
                u = _paid(A, sums, row, column, float(time), error)
                for r in range(rows):
                    sums.forgone[0, r] += _paid(A, sums, r, column, float(time), error)
                for c in range(columns):
                    sums.forgone[1, c] += 1.0 - _paid(A, sums, row, c, float(time), error)
                sums.earned[0] += u
                sums.earned[1] += 1.0 - u
                sums.played[0, row] += 1.0
                sums.played[1, column] += 1.0
                time += 1
                tree.number[0, rec.VISITS] = float(time)
                child = tree.cell[row * columns + column]
                tree.number[child, rec.VISITS] += 1.0
                tree.number[child, rec.SUM] += u
                tree.mean[row * columns + column] = tree.number[child, rec.SUM] / tree.number[child, rec.VISITS]
                tree.stat[rows + row] += 1.0
                tree.stat[second + columns + column] += 1.0
                if first_p > 0.0:
                    update(
                        rule, ground, plan,
                        Played(0, rows, row, column, columns, False, u, u, first_p, float(time)),
                    )  # fmt: skip
                if opponent == ITSELF and second_p > 0.0:
                    update(
                        rule, ground, plan,
                        Played(
                            second, columns, column, row * columns, 1, True, u, 1.0 - u, second_p, float(time)
                        ),
                    )  # fmt: skip
            for p in range(2):
                size = rows if p == 0 else columns
                most = sums.forgone[p, 0]
                for a in range(1, size):
                    most = max(most, sums.forgone[p, a])
                records.regret[k, p] = (most - sums.earned[p]) / time
                first = 0 if p == 0 else second
                for a in range(size):
                    records.frequency[k, p, a] = sums.played[p, a] / time
                    records.average[k, p, a] = tree.stat[first + 2 * size + a] / time
            records.payoff[k] = sums.earned[0] / time
            for r in range(rows):
                for c in range(columns):
                    records.together[k, r, c] = tree.number[tree.cell[r * columns + c], rec.VISITS]
        return time

    floats2 = types.Array(types.float64, 2, "C")
    kept = types.NamedTuple((floats2, floats2, FLOATS, FLOATS), Sums)
    floats3 = types.Array(types.float64, 3, "C")
    records = types.NamedTuple((floats2, floats3, floats3, FLOATS, floats3), Records)
    return signed(repeat, LONG(floats2, LONG, types.float64, rec.TREE, rec.WALK, rec.PLAN, kept, LONGS, records))
