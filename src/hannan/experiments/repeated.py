"""Many searches of small compiled games, each with its own seed, measured after several numbers of iterations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hannan.arrays import Floats, Longs
from hannan.errors import HannanError
from hannan.kernels.mcts import records
from hannan.kernels.statuses import DONE, MORE_NODES
from hannan.rules.compiled import CompiledRules
from hannan.treesearch.growth import Growth, empty_tree
from hannan.treesearch.matrix import scratch
from hannan.treesearch.selection import RULES, plan_of, walk_error


@dataclass(frozen=True)
class Repeated:
    """The results of searches of several games. Everything is scaled: the range of gains has length 1."""

    values: Floats  # [games]  to player 0, from 0 to 1
    floors: Floats  # [games]  player 0's shortfall in the equilibrium with at least gamma / K for every action
    shortfalls: Floats  # [games, searches, points]  of player 0's frequencies


@dataclass(frozen=True)
class Kind:
    """Games of one kind: compiled rules that differ only in their table, and limits of their trees."""

    rules: CompiledRules
    nodes: int
    low: float
    """The least that player 0 can gain."""
    high: float


def repeated(
    kind: Kind,
    tables: Longs,
    rule: str,
    *,
    gamma: float,
    points: ArrayLike,
    seeds: Any,
    unvisited: str = "zero",
    first_visits: str = "counted",
) -> Repeated:
    """Search the games of `tables` [games, words] once with each of `seeds` [games, searches], up to the last point.

    Points count iterations. The results equal, bit for bit, those of a `Searcher` with the same seed. Kernels let other
    threads run.
    """
    from hannan.kernels.mcts.batch import Desk, searcher_of_many
    from hannan.kernels.mcts.walk import no_advice
    from hannan.rules.source import stand_in

    rules, width = kind.rules, max(kind.rules.width, 2)
    plan = plan_of(
        RULES[rule], gamma=gamma, returns=None, explore="own", unvisited=unvisited, c=2.0, margin=0.01,
        judge=records.RANDOM_PLAY, apart=records.NOT_APART, low=kind.low, high=kind.high,
        first_visits=first_visits,
    )  # fmt: skip
    if unvisited == "zero":
        plan = plan._replace(unvisited=0.0)  # the smallest payoff, as in the authors' code
    room = (kind.nodes, kind.nodes + width * width, 2 * records.KEPT * width * kind.nodes + 6 * width)
    walk = Growth(rules.state_size, width, 1, 0).walk
    desk = Desk(
        np.zeros(kind.nodes, np.int32), np.zeros(kind.nodes), np.zeros((width, width)), np.zeros((2, width)),
        scratch(width),
    )  # fmt: skip
    values, floors = np.zeros(len(tables)), np.zeros(len(tables))
    times = np.array(points, np.int64)
    shortfalls = np.zeros((*seeds.shape, len(times)))
    status = searcher_of_many(plan.rule)(
        *rules.compiled(), no_advice(), stand_in("position"), np.array(tables, np.int64),
        np.array(seeds, np.uint64), times, empty_tree(*room), empty_tree(*room),
        walk, plan, desk, values, floors, shortfalls,
    )  # fmt: skip
    if status == MORE_NODES:
        raise HannanError(f"a tree of {rules.name} has more than {kind.nodes:,} nodes")
    if status != DONE:
        raise walk_error(int(status), plan, walk, rules, f"a game of {rules.name}", tuple(walk.state[1].tolist()))
    return Repeated((values - kind.low) * plan.scale, floors * plan.scale, shortfalls * plan.scale)
