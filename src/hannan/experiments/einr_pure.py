"""How often learners end in a pure equilibrium of a potential game: a question of the EINR paper's outlook.

D. Monderer, L. Shapley (1996), Potential games; R. Rosenthal (1973): congestion games have a potential. G. Palaiopanos,
I. Panageas, G. Piliouras (2017): Hedge with a constant rate need not converge there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Floats
from hannan.experiments.claims import Claim, Panel, Report, Say, silent
from hannan.experiments.selfplay import PAPER, likeliest
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded
from hannan.measures.evaluation import evaluation_of
from hannan.rules.plain import END, Rules
from hannan.solvers.base import FormSolver
from hannan.solvers.fullwidth.cfr import CFR
from hannan.solvers.fullwidth.hedge_cfr import HedgeCFR
from hannan.solvers.weights.einr import EINR
from hannan.solvers.weights.komwu import KOMWU

PLAYERS, RESOURCES, PATHS = 3, 4, 3
SURE = 0.999
"""Play is pure if one terminal node has at least this probability."""

SETTLED = 1e-3
"""Pure play is an equilibrium if NashConv is at most this."""

RATES = (0.1, 1.0, 10.0, 100.0)


class Size(NamedTuple):
    """The amount of work."""

    games: int
    iterations: int


FULL, QUICK = Size(100, 2000), Size(4, 60)


class Congestion(Rules):
    """A random congestion game: each player takes one of its own random pairs of resources, all at once.

    A resource costs more if more players take it. Utilities are 1 minus the cost, scaled to [0, 1]. Pairs differ from
    player to player, so that play from uniform strategies is not symmetric.
    """

    players = PLAYERS

    def __init__(self, seed: int) -> None:
        draw = np.random.default_rng(seed)
        pairs = list(combinations(range(RESOURCES), 2))
        self.paths = [[pairs[k] for k in draw.permutation(len(pairs))[:PATHS]] for _ in range(PLAYERS)]
        self.cost = np.cumsum(draw.random((RESOURCES, PLAYERS)), axis=1)
        self.cost /= 2 * self.cost.max()
        self.name = f"congestion {seed}"

    def start(self) -> Any:
        return ()

    def turn(self, state: Any) -> Any:
        return END if state else tuple(range(PLAYERS))

    def actions(self, state: Any, player: int) -> Sequence[int]:
        return range(PATHS)

    def after(self, state: Any, move: Any) -> Any:
        return tuple(move)

    def observe(self, state: Any, player: int) -> int:
        return 0

    def gains(self, state: Any) -> Sequence[float]:
        if not state:
            return [0.0] * PLAYERS
        taken = [self.paths[player][k] for player, k in enumerate(state)]
        load = np.bincount([resource for path in taken for resource in path], minlength=RESOURCES)
        return [1.0 - sum(float(self.cost[r, load[r] - 1]) for r in path) for path in taken]


def unit(address: str) -> Callable[[int], ExpandedGame]:
    """Return a family of built-in random games, as a function of the seed."""
    return lambda seed: load_expanded(f"random_game({address},seed={seed})")


FAMILIES: dict[str, Callable[[int], ExpandedGame]] = {
    "congestion games, three players": lambda seed: ExpandedGame(Congestion(seed)),
    "identical interests, one joint move of five actions": unit("depth=1,branching=5,payoffs=identical"),
    "identical interests, three joint moves": unit("depth=3,branching=2,payoffs=identical"),
}


def learners(rate: float) -> dict[str, Callable[[ExpandedGame], FormSolver]]:
    """Return the learners with a constant rate."""
    return {
        "einr": lambda game: EINR(game, rate=rate),
        "komwu": lambda game: KOMWU(game, rate=rate),
        "cfr-hedge": lambda game: HedgeCFR(game, rate=rate, updates="simultaneous"),
    }


def report(quick: bool = False, say: Say = silent) -> Report:
    """Run all learners on all families, and count pure equilibria."""
    size = QUICK if quick else FULL
    panels, claims = [], []
    for family, make in FAMILIES.items():
        say(family)
        games = [make(seed) for seed in range(size.games)]
        found = {"cfr": [share(games, lambda game: CFR(game, updates="simultaneous"), size)] * len(RATES)}
        for rate in RATES:
            for name, learner in learners(rate).items():
                found.setdefault(name, []).append(share(games, learner, size))
        lines = {name: list(zip(RATES, shares, strict=True)) for name, shares in found.items()}
        panels.append(Panel(family, "rate", "share that ends in a pure equilibrium", lines))
        for name, shares in found.items():
            told = RATES[:1] if name == "cfr" else RATES
            words = "; ".join(
                f"{said(part, size.games)}{'' if name == 'cfr' else f' with rate {rate:g}'}"
                for rate, part in zip(told, shares, strict=False)
            )
            claims.append(Claim(f"{family}: {name} ends in a pure equilibrium", "asked, not answered", words, None))
    notes = (
        f"{size.games} random games per family, {size.iterations:,} iterations, simultaneous updates, current "
        "strategies, from uniform play. ± is a standard error. Not judged: the paper names no number.",
        f"Play is pure if one terminal node has probability {SURE} at least, and an equilibrium if NashConv is at most "
        f"{SETTLED:g}. So play at unreached sets does not count, but gains by deviating to them do.",
        "Rates are constant. Payoffs lie in [0, 1] in congestion games, in [-1, 1] elsewhere. Congestion games: "
        f"{PLAYERS} players, {RESOURCES} resources, {PATHS} pairs of resources for each player, costs that grow with "
        "the load. CFR has no rate.",
        "Nothing is proven here: for Hedge with a constant rate, cycles and chaos are known in congestion games. In "
        "games of one joint move einr and cfr-hedge are the same method, and differ by rounding only.",
    )
    return Report("einr_pure", f"{PAPER}, section 6: pure equilibria", tuple(panels), tuple(claims), notes)


def is_pure(solver: FormSolver) -> bool:
    """Return whether the current strategies end in one terminal node, and are an equilibrium."""
    profile = solver.current()
    game = solver.game.expanded()
    return likeliest(profile) >= SURE and evaluation_of(game, profile).nash_conv <= SETTLED


def share(games: Sequence[ExpandedGame], learner: Callable[[ExpandedGame], FormSolver], size: Size) -> float:
    """Return the share of the games in which a learner ends in a pure equilibrium."""
    ended: Floats = np.zeros(len(games))
    for k, game in enumerate(games):
        solver = learner(game)
        solver.run(size.iterations)
        ended[k] = is_pure(solver)
    return float(ended.mean())


def said(part: float, games: int) -> str:
    """Return a share with its standard error."""
    return f"{part:.2f} ± {math.sqrt(part * (1 - part) / games):.2f}"
