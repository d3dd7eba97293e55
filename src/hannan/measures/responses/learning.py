"""Learning a response by sampling: one player learns while the others' play is fixed.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling (2009), Monte Carlo sampling for regret minimization in extensive games:
a walk takes every action of the player (external sampling) or one (outcome sampling). The player knows its sets by its
full memory, or forgets all but its last observation and the number of its actions: that is a strategy too, so what it
gains is a bound, and in a large game it is the one that can be learnt.

V. Lisý, M. Bowling (2017), Equilibrium approximation quality of current no-limit poker bots: a local response looks one
step ahead and goes on as by default. Here what an action is worth by the default is learnt by sampling too, set by set,
so that it serves any game; the default is the given strategy or, where the player forgets, uniform play.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from hannan.arrays import Floats
from hannan.forms.guessing import walk_size
from hannan.kernels.sampling.records import ALL, MATCHING, MATCHING_PLUS, ONE, SETS, STILL, STRANGE, WALKS
from hannan.measures.rollouts import SLICE, Stop, plan_of
from hannan.memory import available
from hannan.solvers.sampling.gathering import gathered
from hannan.solvers.sampling.growing import RulesStream
from hannan.solvers.sampling.tables import part_cells
from hannan.strategies.policy import Policy

LONGEST_WALK = 1000
"""Histories in a walk up to which it takes every action of the player."""
LEAST_MEMORY = 2**26
"""A learner that has filled its share of the free memory, and no less than this, ends there; what it learnt counts."""
REGRETS, SUMS = 1, 2
"""Parts of a set's cells; see `Tables`."""


@dataclass(frozen=True)
class Recipe:
    """One way to learn a response."""

    name: str
    forgets: bool
    own: int = ONE
    epsilon: float = 0.0
    """How often a walk that takes one action takes any."""
    level: bool = False
    """Whether every visit of a set counts alike: a smaller spread, where weights of full memory grow with depth."""
    learner: int = MATCHING_PLUS


EVERY_ACTION = Recipe("full memory, every action", False, ALL)
ONE_ACTION = Recipe("full memory, one action", False, ONE, 0.2)
FORGETTING_EVERY = Recipe("forgetting, every action", True, ALL, learner=MATCHING)
EXPLORING = Recipe("forgetting, one action, exploring", True, ONE, 0.2, True, MATCHING)
ON_POLICY = Recipe("forgetting, one action, on policy", True, ONE, 0.05, True, MATCHING)
AHEAD = Recipe("one step ahead", False, ONE, 0.2, True, STILL)
AHEAD_FORGETTING = Recipe("one step ahead, forgetting", True, ONE, 0.2, True, STILL)


def learned_recipes(policy: Policy, player: int) -> list[Recipe]:
    """Return the ways to learn a response in a game; every action is taken where such walks are short."""
    if walk_size(policy.game.played().rules, player, ALL, False) <= LONGEST_WALK:
        return [EVERY_ACTION, FORGETTING_EVERY, ONE_ACTION]
    return [EXPLORING, ON_POLICY, ONE_ACTION]


def local_recipes() -> list[Recipe]:
    """Return the ways to look one step ahead."""
    return [AHEAD, AHEAD_FORGETTING]


class Learner:
    """A response in the making."""

    def __init__(self, policy: Policy, player: int, recipe: Recipe, random: int, share: int) -> None:
        """share: how many learners share the free memory."""
        self.recipe, self.player, self.seconds = recipe, player, 0.0
        others = ((1 << policy.game.players) - 1) ^ (1 << player)
        forgets = recipe.forgets or player in policy.forgets
        plan = plan_of(policy, measuring=0, only=player, strange=others)
        plan = plan._replace(
            own=recipe.own, epsilon=recipe.epsilon, level=int(recipe.level), learner=recipe.learner, power=1.0,
            forgets=plan.forgets | (1 << player if forgets else 0),
        )  # fmt: skip
        self._stream = RulesStream(policy.game.played(), plan, random, max(available() // (2 * share), LEAST_MEMORY))
        self._stream.plant(policy.without(player) if recipe.forgets else policy)
        self._size = 100

    @property
    def walks(self) -> int:
        """How many walks were made."""
        return int(self._stream.tables.counts[WALKS])

    @property
    def full(self) -> bool:
        """Whether there is no memory left to learn more."""
        return bool(self._stream.full)

    def learn(self, until: int, stop: Stop) -> None:
        """Make walks until there were so many, or `stop` says true, which it is asked about every tenth of a second."""
        began = perf_counter()
        while self.walks < until and not self.full and not stop():
            before, size = perf_counter(), min(self._size, until - self.walks)
            self._stream.walk(self.walks + size)
            self._size = max(1, min(2 * size, int(size * SLICE / max(perf_counter() - before, 1e-9))))
        self.seconds += perf_counter() - began

    def response(self) -> Policy:
        """Return the action that was learnt to be the best at each of the player's sets; else given play."""
        stream, player = self._stream, self.player
        totals, tables = stream.totals(), stream.tables
        facts = {"method": "response", "player": player, "learnt": self.recipe.name, "walks": self.walks}
        policy = gathered(stream.game, [stream], [tables.learnt], 0, facts)
        known = tables.set_observation[: int(tables.counts[SETS])] != STRANGE
        first = tables.set_base[: len(known)][known]
        part = REGRETS if self.recipe.learner == STILL else SUMS
        return _preferring(policy, player, totals[part_cells(first, policy.size, part)])


def _preferring(policy: Policy, player: int, worth: Floats) -> Policy:
    """Let a player take, at each of its sets where anything is known of it, the action of most worth, [actions]."""
    if not policy.sets:
        return policy
    probability, size, players = policy.probability.copy(), policy.size, policy.game.players
    begin = policy.base - players
    peak = np.maximum.reduceat(worth, begin)
    at = np.arange(players, len(probability))
    best = np.minimum.reduceat(np.where(worth == np.repeat(peak, size), at, len(probability)), begin)
    chosen = (policy.owner == player) & np.logical_or.reduceat(worth != 0.0, begin)
    probability[at[np.repeat(chosen, size)]] = 0.0
    probability[best[chosen]] = 1.0
    return replace(policy, probability=probability)
