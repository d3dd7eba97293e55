"""Every draw of a sampler, enumerated: a walker whose random choices follow a script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.forms.game import Game
from hannan.kernels.sampling.records import WALKS, Plan, Tables
from hannan.solvers.sampling.plainwalker import PlainWalker
from hannan.solvers.sampling.tables import cells_of, pack, tree_tables
from hannan.strategies.profile import Profile


class Scripted(PlainWalker):
    """Follows `script`, draw by draw, first choices beyond its end; `fan` and `odds` say what was drawn from."""

    script: list[int]
    fan: list[int]
    odds: float

    def _draw(self, probabilities: Sequence[float]) -> int:
        k = self.script[len(self.fan)] if len(self.fan) < len(self.script) else 0
        self.fan.append(len(probabilities))
        self.odds *= probabilities[k]
        return k

    def choose(self, weights: Any, first: int, count: int, epsilon: float) -> int:
        return self._draw([epsilon / count + (1 - epsilon) * float(weights[first + k]) for k in range(count)])

    def choose_evenly(self, count: int) -> int:
        return self._draw([1 / count] * count)

    def accept(self, wanted: int, left: int) -> bool:
        return self._draw([1 - wanted / left, wanted / left]) == 1


def tables_of(game: Game, plan: Plan, profile: Profile, baseline: Floats | None = None) -> Tables:
    """Return tables in which everybody plays `profile`."""
    tables = tree_tables(game.tree, 0, 0, discounted=False)
    cells = cells_of(game.tree)
    tables.learnt[cells[cells >= 0]] = np.concatenate(profile.strategies)[cells >= 0]
    return tables if baseline is None else tables._replace(baseline=baseline)


def walker_of(game: Game, plan: Plan, tables: Tables) -> Scripted:
    """Return a walker over the tables of the expanded game."""
    walker = Scripted(game.rules, plan)
    walker.board = pack(game.tree)
    seen = {int(code) for code in tables.set_observation}
    walker.codes = {code: code for code in seen}
    pairs = zip(tables.set_parent.tolist(), tables.set_observation.tolist(), strict=True)
    walker.places = {pair: place for place, pair in enumerate(pairs)}
    return walker


def enumerated(walker: Scripted, tables: Tables, player: int) -> Iterator[tuple[float, Scripted]]:
    """Make every walk of a player that the draws allow, with its probability."""
    tables.counts[WALKS] = player
    script: list[int] = []
    while True:
        walker.script, walker.fan, walker.odds = script, [], 1.0
        try:
            walker.make(walker.board, tables)
        except ZeroDivisionError:
            assert walker.odds == 0  # a move was scripted that is never drawn
        if walker.odds > 0:
            yield walker.odds, walker
        script = script[: len(walker.fan)] + [0] * (len(walker.fan) - len(script))
        while script and script[-1] + 1 == walker.fan[len(script) - 1]:
            script.pop()
        if not script:
            return
        script[-1] += 1


def expected(walker: Scripted, tables: Tables, player: int) -> tuple[Floats, float]:
    """Return the mean of the sampled counterfactual value in each strategy's cell, and the sum of all probabilities."""
    mean, whole = np.zeros(len(tables.learnt)), 0.0
    for probability, made in enumerated(walker, tables, player):
        whole += probability
        for (first, count, at, *_), (weight, *_) in zip(made.touched, made.worth, strict=True):
            mean[first : first + count] += probability * weight * np.array(made.value[at : at + count])
    return mean, whole
