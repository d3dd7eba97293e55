"""Searching information sets: for games in which more than the current joint move is hidden.

A walk is one play of the game for one player, the traverser. The traverser explores, the others play their current
strategies, and regrets are matched at the traverser's sets. Tables hold the sets that walks have visited; elsewhere
play is uniform.

is-oos: regrets weigh the others' reach over the probability of the draw. V. Lisý, M. Lanctot, M. Bowling (2015),
Online Monte Carlo counterfactual regret minimization for search in imperfect information games, without targeting:
outcome sampling, whose average converges to an equilibrium of a two-player zero-sum game with perfect recall.

is-rm: every visit of a set counts alike, as in Monte Carlo tree search over information sets. V. Lisý (2014),
Alternative selection functions for information set Monte Carlo tree search. Nothing is proven.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Unpack

import numpy as np

from hannan.arguments import declared, number, settled, shown
from hannan.arrays import Floats
from hannan.errors import MismatchError, ParameterError, UnsuitableError
from hannan.exclusion import exclusive
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load
from hannan.kernels.sampling.records import ONE
from hannan.rules.plain import CHANCE, END, movers
from hannan.solvers.sampling.sampler import Sampling
from hannan.solvers.sampling.tables import held
from hannan.solvers.sampling.ways import Walks
from hannan.strategies.strategy import Strategy
from hannan.treesearch.options import SearcherOptions
from hannan.treesearch.searcher import Named


class SetRule(NamedTuple):
    """How much a rule explores by default, and whether every visit counts alike."""

    gamma: float
    level: bool


SET_RULES = {"is-oos": SetRule(0.6, level=False), "is-rm": SetRule(0.1, level=True)}

TAKEN = ("gamma", "seed")
"""The options of a search of information sets."""


class _SetWalks(Sampling):
    """The walks of one rule."""

    method = "search"

    def __init__(self, game: Loadable, *, gamma: float, level: bool, seed: int) -> None:
        walks = Walks(ONE, epsilon=gamma, level=level)
        super().__init__(game, walks, seed=seed, over="rules")


class SetSearcher:
    """A search of information sets from the start of play, which keeps its tables."""

    path, position = "", ()
    """The search always stands at the start, because a player cannot know a later position."""
    averages = True
    """The result is the average strategy."""
    value: float | None = None
    """Always None: the value of a strategy is measured, not estimated from walks."""

    def __init__(self, game: Loadable, rule: str, **options: Unpack[SearcherOptions]) -> None:
        """Begin a search."""
        chosen: Mapping[str, Any] = dict(settled("search", SearcherOptions, options, "rule"))
        for name, option in declared(SearcherOptions).items():
            if name not in TAKEN and chosen[name] not in (None, option.default):
                raise ParameterError(
                    f"{name}={shown(chosen[name])} is for a search of positions, and rule={rule} searches information "
                    f"sets: it takes {' and '.join(TAKEN)}"
                )
        self.rule, self.seed = rule, int(chosen["seed"])
        self.game = load(game).played()
        if self.game.players != 2:
            raise UnsuitableError(
                f"search is for two-player zero-sum games, and {self.game.address} has {self.game.players} players; "
                "take cfr, or mccfr-es if the game is too large to expand"
            )
        lowest = SET_RULES[rule].gamma if chosen["gamma"] is None else number("gamma", chosen["gamma"], 0.0, 1.0)
        if lowest == 0.0:
            raise ParameterError(f"gamma=0 explores nothing; rule={rule} needs more, at most 1")
        self.parameters: dict[str, Any] = {"gamma": lowest, "seed": self.seed}
        self.walks = _SetWalks(self.game, gamma=lowest, level=SET_RULES[rule].level, seed=self.seed)

    def __repr__(self) -> str:
        return f"SetSearcher({self.game.address} by {self.rule}, {self.iterations:,} iterations, {self.nodes:,} sets)"

    @property
    def iterations(self) -> int:
        """How many iterations were made; each is one walk per player."""
        return self.walks.iterations

    @property
    def nodes(self) -> int:
        """How many information sets were met."""
        return self.walks.sets

    @property
    def bytes(self) -> int:
        """Bytes of the tables."""
        return held(self.walks._streams[0].tables)

    @property
    def full(self) -> bool:
        """Whether memory for more sets has run out."""
        return bool(self.walks.stopped)

    @exclusive
    def prepare(self) -> None:
        """Compile the walk."""
        self.walks.prepare()

    @exclusive
    def run(self, iterations: int) -> None:
        """Make `iterations` more iterations."""
        self.walks.run(iterations)

    def whole(self, *, expand: bool) -> Strategy:
        """Return the average strategy: with `expand` a profile if the game is small enough, else a policy."""
        return self.walks.average() if expand and isinstance(self.game, ExpandedGame) else self.walks.policy()

    def strategy(self, *, averages: bool | None = None, exploration: bool = True) -> Named:
        """Return both players' average strategies at the start; empty with averages=False, as no counts are kept."""
        named: Named = ({}, {})
        rules = self.game.rules
        state = rules.start()
        turn = rules.turn(state)
        if turn in (END, CHANCE) or averages is False:
            return named
        policy = self.walks.policy()
        for player in movers(turn):
            menu = list(rules.actions(state, player))
            plays = policy.plays(policy.find(player, rules.observe(state, player)), len(menu))
            named[player].update(
                {rules.action_text(player, a): float(share) for a, share in zip(menu, plays, strict=True)}
            )
        return named

    def move(self) -> tuple[str | None, str | None]:
        """Draw the action that each player should take at the start; None for a player that does not move."""
        draw = np.random.default_rng([self.seed % 2**64, self.iterations])
        chosen = [
            list(plays)[draw.choice(len(plays), p=_shares(plays))] if plays else None for plays in self.strategy()
        ]
        return chosen[0], chosen[1]

    def state(self) -> dict[str, Any]:
        """Return copies of the arrays that a saved search needs to go on to the same bits."""
        return {**self.walks.state(), "iterations": np.array([self.iterations])}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the arrays of a saved search."""
        arrays = dict(state)
        made = arrays.pop("iterations")
        if made.shape != (1,) or made.dtype != np.int64:
            raise MismatchError("the state does not say how many iterations were made")
        self.walks.restore(int(made[0]), arrays)


def _shares(plays: Mapping[str, float]) -> Floats:
    shares = np.array(list(plays.values()))
    result: Floats = shares / shares.sum()
    return result
