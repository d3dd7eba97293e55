"""Plays abreast: how many are made at a time shows nowhere, and thresholds draw what probabilities draw."""

from __future__ import annotations

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats, Longs
from hannan.forms.game import PlayedGame
from hannan.kernels.lanes import NEVER, add_up
from hannan.measures import plays
from hannan.measures.players import playing
from hannan.measures.plays import Batch, Draws, PlayTable
from hannan.measures.values import worth_under
from hannan.rules.compiled import CompiledRules, Rulebook
from hannan.rules.plain import CHANCE, END
from hannan.runs.match_pieces import game_streams
from hannan.solvers.sampling.outcome_sampling import OutcomeSampling
from hannan.strategies.policy import Policy


def batch(address: str, corrected: bool) -> Batch:
    """Return 37 rows between a sampler's policy, which does not know all sets, and uniform play."""
    game = hn.load(address).played()
    solver = OutcomeSampling(game, over="rules", seed=1)
    solver.run(200)
    worth = worth_under(hn.random_profile(game.expanded(), seed=1)) if corrected else None
    players = [playing(game, "one", solver.policy()), playing(game, "two", Policy.uniform(game))]
    table = PlayTable(game, players, np.array([[0, 1], [1, 0]]), worth)
    assert table.fast
    return table.batch(*game_streams(3, 5, 37, 2, True), tracing=9)


@pytest.mark.parametrize("corrected", [False, True])
@pytest.mark.parametrize("address", ["leduc_poker", "goofspiel(cards=4)", "liars_dice"])
def test_how_many_plays_are_abreast_shows_nowhere(
    address: str, corrected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = []
    for abreast in (1, 2, 7, 32, 100):
        monkeypatch.setattr(plays, "ABREAST", abreast)
        batches.append(batch(address, corrected))
    for other in batches[1:]:
        for name in ("earned", "corrected", "trail"):
            np.testing.assert_array_equal(getattr(batches[0], name), getattr(other, name))


def test_thresholds_draw_what_probabilities_draw() -> None:
    """At every number where a draw could change, just below it and at it: 500 sets, with and without zeros."""
    random = np.random.default_rng(1)
    for _ in range(500):
        count = int(random.integers(2, 12))
        weights = random.random(count) * (random.random(count) < 0.6)
        weights[random.integers(count)] += 0.1
        weights /= weights.sum()
        row, threshold = np.array([[0, 0, 0, count]]), np.empty(count)
        add_up(row, weights, threshold)
        assert threshold[-1] == NEVER
        sums = np.cumsum(weights)
        for u in {0.0, np.nextafter(1.0, 0.0), *sums.tolist(), *np.nextafter(sums, 0.0).tolist()}:
            if 0.0 <= u < 1.0:
                assert np.count_nonzero(u >= threshold[:-1]) == _picked(u, weights.tolist())


def _picked(u: float, weights: list[float]) -> int:
    draws = Draws(0)
    draws.next = lambda: u  # type: ignore[method-assign]
    return draws.draw(weights, False)


def start(table: Longs, state: Longs) -> None:
    """Nothing has happened."""


def turn(table: Longs, state: Longs) -> int:
    if state[0] == 0:
        return CHANCE
    return END if state[0] == 2 else 1


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    out[0] = 0
    return 0 if state[1] == table[0] else 1


def chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    for k in range(50):
        out[k] = k
        probabilities[k] = 0.02
    return 50


def move(table: Longs, state: Longs, choice: Longs) -> None:
    state[0] += 1
    if state[0] == 1:
        state[1] = choice[0]


def observe(table: Longs, state: Longs, player: int) -> int:
    return 0


def gains(table: Longs, state: Longs, out: Floats) -> None:
    if state[0] == 2:
        out[0] = state[1]


def test_plays_before_one_that_fails_count() -> None:
    """After one outcome in 50 the player has no action: rows up to the first such play are there, and no others."""
    book = Rulebook(start, turn, actions, chance, move, observe, gains)
    batches = []
    for bad in (7, -1):
        rules = CompiledRules("stuck", 1, book, np.array([bad]), state_size=2, width=50)
        game = PlayedGame(rules)
        table = PlayTable(game, [playing(game, "one", Policy.uniform(game))], np.array([[0], [0]]))
        batches.append(table.batch(*game_streams(2, 0, 200, 2, False)))
    failed, whole = batches
    assert whole.failure is None
    first = int(np.flatnonzero((whole.earned[:, :, 0] == 7.0).any(axis=1))[0])
    assert first > 3
    assert len(failed.earned) == first
    np.testing.assert_array_equal(failed.earned, whole.earned[:first])
    assert "has no action" in str(failed.failure)
