"""Which children of a node are visited: here, and only here, the samplers differ.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling (2009), Monte Carlo sampling for regret minimization in extensive games:
outcome, external and chance sampling. H. Li, K. Hu, Z. Ge, T. Jiang, Y. Qi, L. Song (2018), Double neural
counterfactual regret minimization, section 4: robust sampling.
"""

from __future__ import annotations

from typing import NamedTuple

from hannan.kernels import inlined
from hannan.kernels.sampling.draws import draw_exploring, uniform
from hannan.kernels.sampling.moves import answered
from hannan.kernels.sampling.others import Moved
from hannan.kernels.sampling.records import ONE, SamplingPlan, Scratch, Tables


class Choice(NamedTuple):
    """The children to visit, as in `FRAME`: `picks` of them from `base` on, or listed."""

    picks: int
    base: int
    action: int
    listed: bool
    xi: float  # the probability with which each own action among them was drawn


@inlined
def take_drawn(moved: Moved) -> Choice:
    """Where the traverser does not move: the child that was drawn."""
    return Choice(1, moved.offset, 0, False, 1.0)


@inlined
def take_own(moved: Moved, depth: int, plan: SamplingPlan, tables: Tables, scratch: Scratch) -> Choice:
    """Where the traverser moves: one of its actions, all of them, or some."""
    if plan.own == ONE:
        return _take_one(moved, plan, tables)
    if plan.own >= moved.size:
        return _take_all(moved)
    return _take_some(moved, depth, plan.own, tables, scratch)


@inlined
def _take_one(moved: Moved, plan: SamplingPlan, tables: Tables) -> Choice:
    """Outcome sampling: one action, drawn uniformly with probability ε, else as the guide plays."""
    even, keep = plan.epsilon / moved.size, 1.0 - plan.epsilon
    action = draw_exploring(tables.random, tables.guide, moved.first, moved.size, even, keep)
    xi = even + keep * tables.guide[moved.first + action]
    return Choice(1, moved.offset + action * moved.stride, action, False, xi)


@inlined
def _take_all(moved: Moved) -> Choice:
    """External sampling: every action."""
    return Choice(moved.size, moved.offset, 0, False, 1.0)


@inlined
def _take_some(moved: Moved, depth: int, wanted: int, tables: Tables, scratch: Scratch) -> Choice:
    """Robust sampling: list `wanted` actions, each subset with equal probability."""
    taken, size = 0, moved.size
    for a in range(size):
        if taken == wanted:
            break
        if size - a > wanted - taken and uniform(tables.random) * (size - a) >= wanted - taken:
            continue
        scratch.pick[depth, taken, 0], scratch.pick[depth, taken, 1] = moved.offset + a * moved.stride, a
        scratch.ratio[depth, taken] = moved.rho
        taken += 1
    return Choice(wanted, moved.offset, 0, True, wanted / size)


@inlined
def take_everything(count: int, movers: int, i: int, depth: int, tables: Tables, scratch: Scratch) -> Choice:
    """Chance sampling: list every joint move, unless the others never play it; it counts what they play it with."""
    picks = 0
    for c in range(count):
        action, played = answered(c, i, scratch.mover[depth], movers, tables.learnt)
        if played > 0.0:
            scratch.pick[depth, picks, 0], scratch.pick[depth, picks, 1] = c, action
            scratch.ratio[depth, picks] = played
            picks += 1
    return Choice(picks, 0, 0, True, 1.0)
