"""Learning a response by sampling: one player learns while the others' play is fixed.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling (2009), Monte Carlo sampling for regret minimization in extensive games:
a walk takes every action of the player (external sampling) or one (outcome sampling), or everybody's moves (chance
sampling). Where it takes every action, play stays what it was while regrets are added up, and a best response to what
was sampled is read off them at once; where it takes one, regret matching says which. The player knows its sets by its
full memory, or forgets all but its last observation and the number of its actions: that is a strategy too, so what it
gains is a bound, and in a large game it is the one that can be learnt.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from hannan.arrays import Floats
from hannan.forms.guessing import walk_size
from hannan.kernels.sampling.backing import back_up_best, take_best
from hannan.kernels.sampling.records import ALL, MATCHING, MATCHING_PLUS, ONE, SETS, STILL, WALKS, Tables
from hannan.measures.rollouts import SLICE, Plays, Stop, plan_of, playing_plan
from hannan.memory import available
from hannan.solvers.sampling.gathering import gathered
from hannan.solvers.sampling.growing import RulesStream
from hannan.solvers.sampling.tables import planted, rules_tables
from hannan.strategies.policy import Policy

LONGEST_WALK, LONGEST_FULL_WALK = 1000, 100_000
"""Histories in a walk up to which it takes every action of the player, and up to which it takes everybody's."""
LEAST_WALKS = 10
"""Made in any case, however late it is."""
LEAST_MEMORY = 2**26
"""A learner that has filled its share of the free memory, and no less than this, ends there; what it learnt counts."""


@dataclass(frozen=True)
class Recipe:
    """One way to learn a response."""

    name: str
    forgets: bool
    own: int = ONE
    others: bool = False
    """Whether a walk takes all moves of the other players: chance alone is drawn."""
    epsilon: float = 0.0
    """How often a walk that takes one action takes any."""
    level: bool = False
    """Whether every visit of a set counts alike: a smaller spread, where weights of full memory grow with depth."""
    learner: int = MATCHING_PLUS


EVERY_MOVE = Recipe("full memory, everybody's moves", False, ALL, others=True, learner=STILL)
EVERY_ACTION = Recipe("full memory, every action", False, ALL, learner=STILL)
ONE_ACTION = Recipe("full memory, one action", False, epsilon=0.2)
FORGETTING_EVERY = Recipe("forgetting, every action", True, ALL, learner=MATCHING)
EXPLORING = Recipe("forgetting, one action, exploring", True, epsilon=0.2, level=True, learner=MATCHING)
ON_POLICY = Recipe("forgetting, one action, on policy", True, epsilon=0.05, level=True, learner=MATCHING)


def learned_recipes(policy: Policy, player: int) -> list[Recipe]:
    """Return the ways to learn a response in a game: more moves are taken where such walks are short."""
    rules = policy.game.played().rules
    if walk_size(rules, player, ALL, False) > LONGEST_WALK:
        return [EXPLORING, ON_POLICY, ONE_ACTION]
    if walk_size(rules, player, ALL, True) > LONGEST_FULL_WALK:
        return [EVERY_ACTION, FORGETTING_EVERY, ONE_ACTION]
    return [EVERY_MOVE, EVERY_ACTION, FORGETTING_EVERY]


def searching_helps(policy: Policy, player: int) -> bool:
    """Return whether a search on top of what was learnt may be worth its time: where walks do not take every action."""
    return walk_size(policy.game.played().rules, player, ALL, False) > LONGEST_WALK


class Field:
    """A policy laid out for walks once, from which every learner takes a copy."""

    def __init__(self, policy: Policy, player: int) -> None:
        self.policy, self.player = policy, player
        self._tables: dict[bool, tuple[Policy, Tables]] = {}

    def planted(self, forgets: bool) -> tuple[Policy, Tables]:
        """Return the policy and its tables; without the player's sets where it forgets."""
        if forgets not in self._tables:
            policy = self.policy.without(self.player) if forgets else self.policy
            first = rules_tables(policy.game.players, 0, False)
            self._tables[forgets] = policy, planted(first, policy, "learnt")
        return self._tables[forgets]


class Learner:
    """A response in the making."""

    def __init__(self, field: Field, recipe: Recipe, random: int, share: int) -> None:
        """share: how many learners share the free memory."""
        policy, player = field.policy, field.player
        self.recipe, self.player, self.seconds = recipe, player, 0.0
        others = ((1 << policy.game.players) - 1) ^ (1 << player)
        forgets = recipe.forgets or player in policy.forgets
        plan = plan_of(policy, measuring=0, only=player, strange=others)
        plan = plan._replace(
            own=recipe.own, others=int(recipe.others), epsilon=recipe.epsilon, level=int(recipe.level),
            learner=recipe.learner, power=1.0, forgets=plan.forgets | (1 << player if forgets else 0),
        )  # fmt: skip
        if forgets and recipe.learner == STILL:
            plan = plan._replace(learner=MATCHING)  # what is best below a set is not known where the way is forgotten
        self._still = plan.learner == STILL
        self._stream = RulesStream(policy.game.played(), plan, random, max(available() // (2 * share), LEAST_MEMORY))
        self._stream.plant(*field.planted(recipe.forgets))
        self._size = 1

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
        began, least = perf_counter(), self.walks + LEAST_WALKS
        while self.walks < until and not self.full and not (self.walks >= least and stop()):
            before, size = perf_counter(), min(self._size, until - self.walks)
            self._stream.walk(self.walks + size)
            self._size = max(1, min(2 * size, int(size * SLICE / max(perf_counter() - before, 1e-9))))
        self.seconds += perf_counter() - began

    def plays(self, random: int) -> Plays:
        """Return plays of the response so far; no policy is made of it."""
        stream = self._stream
        return Plays.of(stream.playing(playing_plan(stream.plan, self.player), random, self._best()), self.player)

    def response(self) -> Policy:
        """Return the action that was learnt to be the best at each of the player's sets; else given play."""
        stream = self._stream
        facts = {"method": "response", "player": self.player, "learnt": self.recipe.name, "walks": self.walks}
        return gathered(stream.game, [stream], [self._best()], 0, facts)

    def _best(self) -> Floats:
        """Return a copy of what was learnt, with the response in the cells of strategies."""
        tables = self._stream.tables
        sets = int(tables.counts[SETS])
        learnt = tables.learnt.copy() if self._still else self._stream.totals()
        if self._still:
            back_up_best(sets, tables.set_row, learnt)
        take_best(sets, tables.set_row, learnt)
        return learnt
