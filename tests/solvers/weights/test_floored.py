"""EINR with a floor: the exponential rule without one, a plain reference with one, and what it does not go with."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats
from hannan.errors import ParameterError
from hannan.forms.loader import load_expanded
from hannan.layouts.backend import Step
from hannan.solvers.weights.einr import EINR

GAMES = (
    "kuhn_poker",
    "random_game(depth=2,chance=2,hidden=true,payoffs=general_sum,seed=2)",
    "random_game(depth=2,players=3,hidden=true,seed=1)",
    "random_game(depth=2,utilities=edges,payoffs=identical,seed=3)",
)


def reference(game: Any, rate: float, iterations: int, floor: float) -> list[Floats]:
    """All players' strategies after simultaneous updates, by the definition, one set after another."""
    plexes = game.form.treeplexes
    strategies = list(hn.uniform(game).strategies)
    weights = [np.zeros(plex.sequences) for plex in plexes]

    def gradient(player: int) -> Floats:
        reach = []
        for plex, plays in zip(plexes, strategies, strict=True):
            spread = np.ones(plex.sequences)
            for j in range(plex.sets):
                mine = slice(int(plex.begin[j]), int(plex.begin[j + 1]))
                spread[mine] = spread[plex.parent[j]] * plays[mine]
            reach.append(spread)
        worth = np.zeros(plexes[player].sequences)
        for k in range(game.form.entries):
            others = math.prod(reach[p][game.form.sequences[p][k]] for p in range(game.players) if p != player)
            worth[game.form.sequences[player][k]] += others * game.form.payoff(player)[k]
        return worth

    for _ in range(iterations):
        gradients = [gradient(player) for player in range(game.players)]
        for player, plex in enumerate(plexes):
            more = rate * gradients[player]
            for j in reversed(range(plex.sets)):
                mine = slice(int(plex.begin[j]), int(plex.begin[j + 1]))
                plays, before = strategies[player][mine], np.log(np.exp(weights[player][mine]).mean())
                mean = float(plays @ more[mine])
                weights[player][mine] = np.maximum(weights[player][mine] + more[mine] - mean, floor)
                grown = np.exp(weights[player][mine])
                strategies[player] = strategies[player].copy()
                strategies[player][mine] = grown / grown.sum()
                more[plex.parent[j]] += mean + np.log(grown.mean()) - before
    return strategies


@pytest.mark.parametrize("address", GAMES)
def test_floored_weights_follow_their_definition(address: str) -> None:
    game = load_expanded(address)
    solver = hn.methods.EINR(game, rule="floored", rate=2.0)
    solver.run(12)
    for ours, theirs in zip(solver.current().strategies, reference(game, 2.0, 12, 0.0), strict=True):
        np.testing.assert_allclose(ours[1:], theirs[1:], atol=1e-9)


class Unfloored(EINR):
    """The same loops with the floor far below."""

    def rows(self, first: int, count: int) -> Floats:
        step = Step(floor=-math.inf, rate=self.rates(np.arange(first, first + count, dtype=np.float64)))
        return step.rows(count, self.game.players)


@pytest.mark.parametrize("updates", ["simultaneous", "alternating"])
@pytest.mark.parametrize("address", GAMES)
def test_without_the_floor_it_is_the_exponential_rule(address: str, updates: Any) -> None:
    game = load_expanded(address)
    loose = Unfloored(game, rule="floored", rate=3.0, updates=updates)
    known = hn.methods.EINR(game, rate=3.0, updates=updates)
    for solver in (loose, known):
        solver.run(30)
    for ours, theirs in zip(loose.current().strategies, known.current().strategies, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    floored = hn.methods.EINR(game, rule="floored", rate=3.0, updates=updates)
    floored.run(30)
    pairs = zip(floored.current().strategies, known.current().strategies, strict=True)
    assert max(np.abs(ours - theirs).max() for ours, theirs in pairs) > 1e-3


def test_a_prior_counts_and_a_run_is_resumed_to_the_same_bits(tmp_path: Path) -> None:
    game = load_expanded("leduc_poker")
    whole, cut = (hn.methods.EINR(game, rule="floored", rate=5.0, prior="reduced") for _ in range(2))
    uniform = hn.methods.EINR(game, rule="floored", rate=5.0)
    for solver in (whole, uniform):
        solver.run(50)
    cut.run(20)
    cut.save(tmp_path / "cut")
    again: Any = hn.resume(tmp_path / "cut")
    again.run(30)
    for ours, theirs in zip(whole.average().strategies, again.average().strategies, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert any(
        np.abs(a - b).max() > 1e-3
        for a, b in zip(whole.average().strategies, uniform.average().strategies, strict=True)
    )


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"schedule": "sqrt"}, "rule=floored goes with schedule=constant"),
        ({"optimistic": True}, "rule=floored goes with schedule=constant, and not with optimistic"),
        ({"epsilon": 0.2}, "epsilon goes neither with rule=linear or floored"),
        ({"device": "cuda"}, "rule=floored runs on the CPU"),
    ],
)
def test_what_it_does_not_go_with(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        hn.methods.EINR("kuhn_poker", rule="floored", **parameters)


def test_nothing_is_promised_of_its_regret() -> None:
    solver = hn.methods.EINR("kuhn_poker", rule="floored", rate=1.0)
    solver.run(5)
    assert solver.regret_bound() is None
