"""Best responses that forget, against integer programming and enumeration; gaps against the reference's recursion."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.coarsening import forget
from hannan.forms.game import ExpandedGame
from hannan.forms.ties import TiedGame
from hannan.measures.evaluation import gradient_of
from hannan.measures.forgetful import forgetful_response
from hannan.strategies.profile import reaches
from tests import loaded
from tests.forgetting import betting, scrambled, suits
from tests.matching import grown, plan_of
from tests.reference import best_value, values

BELOW_TEN_THOUSAND = (
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "random_game(seed=3,depth=3,moves=turns,hidden=true)",
    "random_game(seed=2,depth=2,chance=2,hidden=true,payoffs=general_sum)",
    "random_game(seed=5,depth=2,players=3,hidden=true,moves=turns)",
    pytest.param("goofspiel(cards=3)", marks=pytest.mark.slow),
)
"""Games of up to 10,000 histories; Leduc poker, which has 9,457, has tests of its own."""


def _integer_program(game: TiedGame, player: int, gradient: Any) -> float:
    """Return the most that pure play alike at tied sets earns: realisation plans below one choice an abstract set."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    plex, numbers = game.form.treeplexes[player], game.ties.number[player].tolist()
    first: dict[int, int] = {}
    for j, number in enumerate(numbers):
        first.setdefault(number, j)
    plans = plex.sequences  # variables: realisation plan, then (only leaders' are used) a choice for each sequence
    rows, low, high = [], [], []
    for j, number in enumerate(numbers):
        row = np.zeros(2 * plans)
        row[plex.begin[j] : plex.begin[j + 1]] = 1.0
        row[plex.parent[j]] -= 1.0
        rows.append(row)
        low.append(0.0)
        high.append(0.0)
        for k in range(int(plex.sizes[j])):
            row = np.zeros(2 * plans)
            row[int(plex.begin[j]) + k], row[plans + int(plex.begin[first[number]]) + k] = 1.0, -1.0
            rows.append(row)
            low.append(-np.inf)
            high.append(0.0)
    for j in first.values():
        row = np.zeros(2 * plans)
        row[plans + plex.begin[j] : plans + plex.begin[j + 1]] = 1.0
        rows.append(row)
        low.append(1.0)
        high.append(1.0)
    least = np.zeros(2 * plans)
    least[0] = 1.0
    kinds = np.concatenate((np.zeros(plans), np.ones(plans)))
    found = milp(
        -np.concatenate((gradient, np.zeros(plans))), integrality=kinds, bounds=Bounds(least, np.ones(2 * plans)),
        constraints=LinearConstraint(np.array(rows), low, high), options={"mip_rel_gap": 0.0},
    )  # fmt: skip
    assert found.success
    return -float(found.fun)


def _parts(game: TiedGame, profile: hn.Profile) -> list[tuple[int, Any, float]]:
    """Return for each player the gradient of its sequences, and what it earns."""
    reach, begin, parts = reaches(game, profile), 0, []
    for player, plex in enumerate(game.form.treeplexes):
        gradient, earned = gradient_of(game, player, reach)
        parts.append((player, gradient[begin : begin + plex.sequences], earned))
        begin += plex.sequences
    return parts


@pytest.mark.parametrize("address", BELOW_TEN_THOUSAND)
def test_gaps_are_those_of_brute_force(address: str) -> None:
    """NashConv in the full game by recursion over histories; the abstract one by integer programming."""
    game = loaded.game(address)
    forgetful = forget(game, scrambled(game, 3))
    result = hn.solve(forgetful, "cfr", iterations=30, gap=0.0)
    tree, plan = grown(game), plan_of(result.profile)
    known = [best_value(tree, player, [(1.0, plan)]) - value for player, value in enumerate(values(tree, plan))]
    assert result.gains == pytest.approx(known, abs=1e-10)
    record = result.record()
    for player, gradient, earned in _parts(forgetful.tied, result.profile):
        best = _integer_program(forgetful.tied, player, gradient)
        assert record["abstract_gains"][player] == pytest.approx(max(best - earned, 0.0), abs=1e-7)
        assert record["abstract_gains"][player] <= known[player] + 1e-10
    assert record["abstract_nash_conv"] == pytest.approx(sum(record["abstract_gains"]), abs=1e-12)


@pytest.mark.parametrize("address", ["kuhn_poker", "random_game(seed=3,depth=3,moves=turns,hidden=true)"])
def test_responses_are_those_of_enumeration(address: str) -> None:
    game = loaded.game(address)
    tied = forget(game, scrambled(game, 4)).tied
    profile = hn.random_profile(game, seed=5)
    for player, gradient, _ in _parts(tied, profile):
        found = forgetful_response(tied, player, gradient)
        assert found.exact
        best = max(_worth(game, player, gradient, plan) for plan in _plans(tied, player))
        assert found.low == pytest.approx(best, abs=1e-12)


def _plans(game: TiedGame, player: int) -> Any:
    """Yield the choice at each set of every pure strategy that plays alike at tied sets."""
    sizes = {int(n): int(s) for n, s in zip(game.ties.number[player], game.form.treeplexes[player].sizes, strict=True)}
    for choice in product(*(range(sizes[number]) for number in sorted(sizes))):
        yield [choice[number] for number in game.ties.number[player].tolist()]


def _worth(game: ExpandedGame, player: int, gradient: Any, plan: list[int]) -> float:
    plex, reach = game.form.treeplexes[player], np.zeros(len(gradient))
    reach[0] = 1.0
    for j, choice in enumerate(plan):
        reach[int(plex.begin[j]) + choice] = reach[plex.parent[j]]
    return float(reach @ gradient)


@pytest.mark.slow
@pytest.mark.parametrize(("map", "iterations"), [(suits, 50), (betting, 50)])
def test_leduc_poker(map: Callable[[int, str], str], iterations: int) -> None:
    """9,457 histories: what the page on imperfect recall says is measured the slow way, too."""
    game = loaded.game("leduc_poker")
    forgetful = forget(game, map)
    result = hn.solve(forgetful, "cfr", iterations=iterations, gap=0.0)
    tree, plan = grown(game), plan_of(result.profile)
    known = [best_value(tree, player, [(1.0, plan)]) - value for player, value in enumerate(values(tree, plan))]
    assert result.gains == pytest.approx(known, abs=1e-9)
    for player, gradient, earned in _parts(forgetful.tied, result.profile):
        best = _integer_program(forgetful.tied, player, gradient)
        assert result.record()["abstract_gains"][player] == pytest.approx(max(best - earned, 0.0), abs=1e-6)


def test_a_search_that_is_cut_short_brackets_the_answer() -> None:
    tied = forget("leduc_poker", betting).tied
    profile = hn.random_profile("leduc_poker", seed=1)
    for player, gradient, _ in _parts(tied, profile):
        whole = forgetful_response(tied, player, gradient)
        brief = forgetful_response(tied, player, gradient, most_nodes=3)
        assert whole.exact
        assert brief.low - 1e-9 <= whole.low <= brief.high + 1e-9


def test_regrets_are_what_could_be_gained_against_the_play() -> None:
    """With simultaneous updates the correlated average play is kept by hand, and the reference responds to it."""
    game = loaded.game("kuhn_poker")
    forgetful = forget(game, scrambled(game, 6))
    result = hn.solve(forgetful, "cfr", iterations=25, gap=0.0, updates="simultaneous")
    solver, plays = hn.CFR(forgetful, updates="simultaneous"), []
    for _ in range(25):
        plays.append((1 / 25, plan_of(solver.current())))
        solver.run(1)
    tree = grown(game)
    earned = np.sum([np.array(values(tree, plan)) * weight for weight, plan in plays], axis=0)
    known = [max(best_value(tree, player, plays) - earned[player], 0.0) for player in range(2)]
    assert result.record()["regrets"] == pytest.approx(known, abs=1e-12)
    assert result.cce_gap == pytest.approx(max(known), abs=1e-12)
