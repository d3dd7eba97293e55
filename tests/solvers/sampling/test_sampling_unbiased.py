"""Sampled counterfactual values against the exact ones: every draw enumerated, on small games."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded
from hannan.kernels.sampling.baselines import back_up
from hannan.kernels.sampling.records import (
    ALL,
    FIXED,
    HISTORY,
    INFORMATION_SET,
    LAZY,
    LEARNING,
    MATCHING,
    NO_BASELINE,
    ONE,
    WEIGHTED,
    SamplingPlan,
)
from hannan.rules.compiled import bits
from hannan.solvers.sampling.tables import cells_of, first_cells, pack
from hannan.strategies.profile import Profile
from tests.matching import grown, keys_of, plan_of
from tests.reference import counterfactual
from tests.solvers.sampling.sampled import Scripted, Seeded, enumerated, expected, tables_of
from tests.solvers.sampling.samplers import GAMES as SAMPLED_GAMES
from tests.solvers.sampling.samplers import VARIANTS, built

GAMES = (
    "kuhn_poker",
    "random_game(seed=2,depth=2,chance=2,hidden=true,payoffs=general_sum)",
    "random_game(seed=6,depth=2,utilities=edges,chance=2,hidden=true)",
    "random_game(seed=5,depth=1,players=3,hidden=true,moves=turns)",
    "random_game(seed=4,depth=1,players=3,chance=2,branching=3)",
)

SAMPLERS: dict[str, dict[str, Any]] = {
    "outcome": {"own": ONE, "epsilon": 0.6},
    "outcome, uniform": {"own": ONE, "epsilon": 1.0},
    "outcome, all explore": {"own": ONE, "epsilon": 0.4, "explore": 1},
    "external": {"own": ALL},
    "robust, 1": {"own": 1},
    "robust, 2": {"own": 2},
    "chance": {"own": ALL, "others": 1},
}

BASELINES = {"none": (NO_BASELINE, HISTORY), "histories": (FIXED, HISTORY), "sets": (FIXED, INFORMATION_SET)}

TOLERANCE = 1e-10
"""Both sides add the same products in another order; values are of order 1, weights of order 100."""


def plan_for(game: ExpandedGame, sampler: str, baseline: str = "none") -> SamplingPlan:
    kind, key = BASELINES[baseline]
    plan = SamplingPlan(
        game.players, ALL, 0, LAZY, MATCHING, kind, key, 0, LEARNING, -1, 0, 0, 0, 1.0, 1.5, 0.0, 0.0, 1.0
    )
    return plan._replace(**SAMPLERS[sampler])


@cache
def game_of(address: str) -> ExpandedGame:
    return load_expanded(address)


@cache
def exact(address: str) -> Floats:
    """The counterfactual value of each sequence, players end to end, from the plain reference."""
    game = game_of(address)
    plan, tree = plan_of(hn.random_profile(game, seed=1)), grown(game)
    values: list[float] = []
    for player in range(game.players):
        worth = counterfactual(tree, plan, player)
        values.append(0.0)
        for key in keys_of(game, player):
            values.extend(worth[key].values())
    return np.array(values)


@pytest.mark.parametrize("baseline", BASELINES)
@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("address", GAMES)
def test_the_mean_over_all_draws_is_exact(address: str, sampler: str, baseline: str) -> None:
    game = game_of(address)
    plan = plan_for(game, sampler, baseline)
    entries = game.tree.nodes if plan.key == HISTORY else 4 * len(exact(address))
    guesses = np.random.default_rng(7).normal(size=(game.players, entries))  # any baseline is unbiased
    tables = tables_of(game, plan, hn.random_profile(game, seed=1), guesses)
    cells = cells_of(game.tree)
    mean = np.zeros(len(tables.learnt))
    for player in range(game.players):
        sampled, whole = expected(Scripted(game, plan, tables), player)
        assert whole == pytest.approx(1.0, abs=1e-12)
        mean += sampled
    np.testing.assert_allclose(mean[cells[cells >= 0]], exact(address)[cells >= 0], atol=TOLERANCE)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("address", GAMES)
def test_with_true_values_as_baseline_nothing_varies_given_the_visit(address: str, sampler: str) -> None:
    game = game_of(address)
    plan = plan_for(game, sampler, "histories")
    tables = tables_of(game, plan, hn.random_profile(game, seed=1), np.zeros((game.players, game.tree.nodes)))
    board = pack(game.tree)
    for node in range(game.tree.nodes - 1, -1, -1):
        back_up(board, tables, game.players, node)
    for player in range(game.players):
        seen: dict[int, list[float]] = {}
        for _, made in enumerated(Scripted(game, plan, tables), player):
            for touch in made.touched:
                np.testing.assert_allclose(touch.values, seen.setdefault(touch.child, touch.values), atol=TOLERANCE)
        assert seen or not game.tree.treeplexes[player].sets


def with_zeros(game: ExpandedGame) -> Profile:
    """A random profile that never takes the first of several actions."""
    profile = hn.random_profile(game, seed=1)
    strategies = []
    for plex, plays in zip(game.tree.treeplexes, profile.strategies, strict=True):
        plays = plays.copy()
        for j in range(plex.sets):
            mine = slice(int(plex.begin[j]), int(plex.begin[j + 1]))
            if plex.sizes[j] > 1:
                plays[plex.begin[j]] = 0.0
            plays[mine] /= plays[mine].sum()
        strategies.append(plays)
    return Profile(game, tuple(strategies), {})


WEIGHTED_CASES = [
    *((address, sampler) for address in GAMES[:3] for sampler in SAMPLERS),
    *((address, "outcome, all explore") for address in GAMES[3:]),  # of more than two players, all must explore
    ("single_player", "outcome"),
    ("single_player", "external"),
]


@pytest.mark.parametrize(("address", "sampler"), WEIGHTED_CASES)
def test_the_weighted_average_has_the_right_mean(address: str, sampler: str) -> None:
    """At each set: the player's own reach times the number of histories there, though some moves are never played."""
    game = game_of(address)
    profile, tree = with_zeros(game), game.tree
    plan = plan_for(game, sampler)._replace(averaging=WEIGHTED)
    tables = tables_of(game, plan, profile)
    mean = np.zeros(len(tables.learnt))
    for player in range(game.players):
        for probability, made in enumerated(Scripted(game, plan, tables), player):
            for first, counted in made.shown:
                mean[first] += probability * counted
    for player, (plex, plays, cells) in enumerate(
        zip(tree.treeplexes, profile.strategies, first_cells(tree), strict=True)
    ):
        histories = np.zeros(plex.sets)
        for node in range(tree.nodes):
            movers = bits(int(tree.turn[node]))
            if player in movers:
                histories[tree.slots[tree.slot_begin[node] + movers.index(player)]] += 1
        reach = np.ones(plex.sequences)
        for j in range(plex.sets):
            mine = slice(int(plex.begin[j]), int(plex.begin[j + 1]))
            reach[mine] = reach[plex.parent[j]] * plays[mine]
        np.testing.assert_allclose(mean[cells], reach[plex.parent] * histories, atol=TOLERANCE)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("address", SAMPLED_GAMES)
def test_the_compiled_walk_samples_what_the_reference_samples(address: str, variant: str) -> None:
    """The same random numbers, the same estimates: so what is exact of the one is exact of the other."""
    make, parameters = VARIANTS[variant]
    solver = built(make, address, parameters, over="tree", seed=7)
    solver.run(20)
    stream, game, walks = solver._streams[0], solver.game.expanded(), 5
    measured = stream.measured(walks)
    reference = Seeded(game, solver.plan, stream.tables)
    reference.random = int(stream.tables.random[0]) ^ 0x5DEECE66D  # where a measurement begins
    sums, squares = np.zeros_like(measured.tables.measure)
    given = np.zeros_like(measured.tables.given)
    for walk in range(walks * game.players):
        player = walk % game.players
        reference.walk(player)
        estimates = np.zeros(len(sums))
        for touch in reference.touched:
            count = len(touch.values)
            estimates[touch.first : touch.first + count] += touch.weight * np.array(touch.values)
            for a, value in enumerate(touch.values):
                given[3 * player : 3 * player + 3, touch.child + a * touch.stride] += (1.0, value, value * value)
        sums += estimates
        squares += estimates**2
    assert sums.any() or not measured.tables.measure.any()
    np.testing.assert_allclose(measured.tables.measure[0], sums, rtol=1e-9, atol=TOLERANCE)
    np.testing.assert_allclose(measured.tables.measure[1], squares, rtol=1e-9, atol=TOLERANCE)
    np.testing.assert_allclose(measured.tables.given, given, rtol=1e-9, atol=TOLERANCE)
    assert int(measured.tables.random[0]) == reference.random
