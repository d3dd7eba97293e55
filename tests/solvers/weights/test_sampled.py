"""EINR on sampled gradients: unbiased over all draws, the full recursion on their sums, the promises of samplers."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats, Longs
from hannan.errors import ParameterError, UnsuitableError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded
from hannan.rules.plain import CHANCE, END, movers
from hannan.solvers.sampling.tables import first_cells, part_cells
from hannan.solvers.weights.sampled import TUNED
from tests import loaded
from tests.averages import current_of
from tests.delegating import Delegating
from tests.games.plain import Kuhn
from tests.solvers.sampling.sampled import Reference, Scripted, Seeded, enumerated, tables_of
from tests.solvers.sampling.samplers import built, same

GAMES = (
    "kuhn_poker",
    "random_game(seed=2,depth=2,chance=2,hidden=true,payoffs=general_sum)",
    "random_game(seed=6,depth=2,utilities=edges,chance=2,hidden=true)",
    "random_game(seed=4,depth=1,players=3,chance=2,branching=3)",
)
SAMPLED: dict[str, tuple[Any, dict[str, Any]]] = {
    "outcome": (hn.methods.OutcomeEINR, {"epsilon": 0.3}),
    "outcome, from 2": (hn.methods.OutcomeEINR, {"shift": 2.0, "schedule": "constant"}),
    "external": (hn.methods.ExternalEINR, {"rate": 3.0}),
}


def exact(game: ExpandedGame, reference: Reference, shift: float) -> dict[int, float]:
    """The gradient of what each player earns less the shift, by the cell of the sequence, over every history."""
    gradient: dict[int, float] = defaultdict(float)

    def visit(state: Any, last: list[int], odds: list[float]) -> None:
        turn, rules = reference.rules.turn(state), reference.rules
        for player, gain in enumerate(rules.gains(state)):
            gradient[last[player]] += odds[player] * (float(gain) - (shift if turn == END else 0.0))
        if turn == END:
            return
        if turn == CHANCE:
            for outcome, probability in rules.chance(state):
                visit(rules.after(state, outcome), last, [each * float(probability) for each in odds])
            return
        who = movers(turn)
        menus = [rules.actions(state, player) for player in who]
        firsts = [reference.first[last[p], int(rules.observe(state, p))] for p in who]  # type: ignore[call-overload]
        for places in np.ndindex(*(len(menu) for menu in menus)):
            after, weights = list(last), list(odds)
            for player, first, menu, k in zip(who, firsts, menus, places, strict=True):
                after[player] = first + 2 * len(menu) + k
                for other in range(len(odds)):
                    weights[other] *= 1.0 if other == player else float(reference.tables.learnt[first + k])
            move = tuple(menu[k] for menu, k in zip(menus, places, strict=True))
            visit(rules.after(state, move if isinstance(turn, tuple) else move[0]), after, weights)

    visit(reference.rules.start(), [int(cell) for cell in reference.tables.empty], [1.0] * game.players)
    return gradient


def cells(game: ExpandedGame) -> list[Longs]:
    """The cells by which each player's sequences are known, the empty one left out."""
    pairs = zip(first_cells(game.tree), game.tree.treeplexes, strict=True)
    return [part_cells(first, plex.sizes.astype(np.int64), 2) for first, plex in pairs]


def estimates(walker: Reference) -> dict[int, float]:
    """The estimated gradient of one walk: the value of each own action, less what the sets that follow are worth."""
    found: dict[int, float] = defaultdict(float)
    for touch in walker.touched:
        count = len(touch.values)
        plays = walker.tables.learnt[touch.first : touch.first + count]
        for a, value in enumerate(touch.values):
            found[touch.first + 2 * count + a] += touch.weight * value
        found[touch.own] -= touch.weight * float(np.dot(plays, touch.values))
    return found


@pytest.mark.parametrize("kind", SAMPLED)
@pytest.mark.parametrize("address", GAMES)
def test_the_mean_estimate_over_all_walks_is_the_gradient(address: str, kind: str) -> None:
    """Every draw is enumerated. 1e-10: both sides add products of order 1, weights of order 100."""
    make, parameters = SAMPLED[kind]
    game, solver = load_expanded(address), built(make, address, parameters)
    tables = tables_of(game, solver.plan, hn.random_profile(game, seed=1))
    tables.terms[0] = 0.5
    walker = Scripted(game, solver.plan, tables)
    gradient = exact(game, walker, 0.5)
    for player, mine in enumerate(cells(game)):
        mean: dict[int, float] = defaultdict(float)
        whole = 0.0
        for probability, made in enumerated(walker, player):
            whole += probability
            for cell, estimate in estimates(made).items():
                mean[cell] += probability * estimate
        assert whole == pytest.approx(1.0, abs=1e-12)
        assert any(gradient[cell] for cell in mine) or not len(mine)
        for cell in mine:
            assert mean[cell] == pytest.approx(gradient[cell], abs=1e-10)


def softmaxes(game: ExpandedGame, player: int, total: dict[int, float], learnt: Floats) -> None:
    """Write the strategy of Hedge over all plans with these sums of gradients, by the recursion over all sets."""
    plex, firsts = game.tree.treeplexes[player], first_cells(game.tree)[player]
    sequence = np.concatenate(([player], cells(game)[player]))
    log = {int(cell): total[int(cell)] for cell in sequence}
    for j in reversed(range(plex.sets)):
        mine = sequence[plex.begin[j] : plex.begin[j + 1]]
        terms = np.array([log[int(cell)] for cell in mine])
        weights = np.exp(terms - terms.max())
        log[int(sequence[plex.parent[j]])] += terms.max() + math.log(weights.mean())
        learnt[firsts[j] : firsts[j] + len(mine)] = weights / weights.sum()


@pytest.mark.parametrize("over", ["tree", "rules"])
@pytest.mark.parametrize("kind", SAMPLED)
@pytest.mark.parametrize("address", GAMES)
def test_strategies_are_hedge_over_plans_on_the_sums_of_the_estimates(address: str, kind: str, over: str) -> None:
    """The same random numbers in plain Python, and all strategies anew from all sums after each walk."""
    make, parameters = SAMPLED[kind]
    solver = built(make, address, parameters, over=over, seed=5)
    game, stream = load_expanded(address), solver._streams[0]
    reference = Seeded(game, solver.plan, tables_of(game, solver.plan, hn.uniform(game)))
    reference.random = int(stream.tables.random[0])
    reference.tables.terms[:] = stream.tables.terms
    schedule = parameters.get("schedule", "sqrt")
    total: dict[int, float] = defaultdict(float)
    for walk in range(40 * game.players):
        player, t = walk % game.players, walk // game.players + 1
        reference.walk(player)
        step = stream.tables.terms[1, player] * (1.0 if schedule == "constant" else t**-0.5)
        for cell, estimate in estimates(reference).items():
            total[cell] += step * estimate
        softmaxes(game, player, total, reference.tables.learnt)
        if t % 8 == 0 and player == game.players - 1:
            solver.run(8)
            assert int(stream.tables.random[0]) == reference.random
            current = np.concatenate([s[1:] for s in current_of(solver).strategies])
            place = np.concatenate(cells(game)) - 2 * np.concatenate(
                [p.sizes[p.set_of[1:]] for p in game.tree.treeplexes]
            )
            np.testing.assert_allclose(current, reference.tables.learnt[place], atol=1e-9)


@pytest.mark.parametrize("kind", SAMPLED)
def test_tree_rules_and_plain_rules_give_the_same_bits(kind: str) -> None:
    make, parameters = SAMPLED[kind]
    for address in ("kuhn_poker(players=3)", "goofspiel(cards=3)"):
        tree, rules = (built(make, address, parameters, over=over, seed=4) for over in ("tree", "rules"))
        plain = built(make, ExpandedGame(Delegating(loaded.game(address).rules)), parameters, over="rules", seed=4)
        for solver in (tree, rules, plain):
            solver.run(50)
        assert same(tree, rules)
        assert same(tree, plain)


@pytest.mark.parametrize("over", ["tree", "rules"])
@pytest.mark.parametrize("kind", SAMPLED)
def test_a_run_that_is_cut_saved_and_resumed_goes_on_to_the_same_bits(kind: str, over: str, tmp_path: Path) -> None:
    make, parameters = SAMPLED[kind]
    whole, cut = (built(make, "leduc_poker", parameters, over=over, seed=4, streams=2, threads=k) for k in (1, 2))
    whole.run(60)
    cut.run(23)
    cut.save(tmp_path / "cut")
    again: Any = hn.resume(tmp_path / "cut")
    again.run(37)
    assert same(whole, again)
    assert whole.average().game.address == "leduc_poker"


@pytest.mark.slow
def test_workers_change_no_bit() -> None:
    for method, options in (("einr-os", {"over": "rules"}), ("einr-es", {})):
        here, there = (
            hn.solve("leduc_poker", method, iterations=300, streams=3, seed=2, **options, **where)
            for where in ({}, {"on": "processes", "workers": 2})
        )
        for ours, theirs in zip(here.profile.strategies, there.profile.strategies, strict=True):
            assert np.array_equal(ours, theirs)


def test_the_default_rate_and_shift_come_from_the_rules_bounds() -> None:
    played = built(hn.methods.OutcomeEINR, hn.load("goofspiel(cards=13)"), {})
    bounds = played.game.rules.bounds(played.game.rules.start())
    assert bounds is not None
    low, high = bounds[0]
    terms = played._streams[0].tables.terms
    np.testing.assert_allclose(terms, [[(low + high) / 2] * 2, [TUNED / (high - low)] * 2])
    played.run(20)
    assert played.policy().sets > 20


def test_rules_without_bounds_are_refused_by_name_unless_rate_and_shift_are_given() -> None:
    game = hn.views.PlayedGame(Kuhn())
    with pytest.raises(
        UnsuitableError, match=r"einr-os needs to know .*write bounds\(\) into the rules, or give rate and shift"
    ):
        hn.methods.OutcomeEINR(game)
    given = hn.methods.OutcomeEINR(game, rate=1.0, shift=0.0, seed=1)
    known = hn.methods.OutcomeEINR(loaded.game("kuhn_poker"), rate=1.0, shift=0.0, seed=1, over="rules")
    for solver in (given, known):
        solver.run(100)
    np.testing.assert_array_equal(sorted(given.policy().probability), sorted(known.policy().probability))


def test_long_walks_locks_and_bad_parameters_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"one walk of einr-es visits about"):
        hn.methods.ExternalEINR("goofspiel(cards=13)")
    with pytest.raises(UnsuitableError, match="do not take locks"):
        hn.solve(hn.lock("kuhn_poker", {1: {"Kb": {"b": 1}}}), "einr-os", iterations=1)
    for wrong in ({"rate": 0.0}, {"rate": math.nan}, {"shift": math.inf}, {"epsilon": 0.0}, {"schedule": "bound"}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            hn.methods.OutcomeEINR("kuhn_poker", **wrong)


def test_estimates_that_overflow_leave_finite_numbers() -> None:
    """A rate far beyond sense: log weights stay finite, and what is saved is still accepted."""
    solver = built(hn.methods.OutcomeEINR, "kuhn_poker", {"rate": 1e250, "schedule": "constant"})
    solver.run(200)
    state = solver.state()
    assert all(np.isfinite(array).all() for array in state.values() if array.dtype.kind == "f")
    built(hn.methods.OutcomeEINR, "kuhn_poker", {"rate": 1e250, "schedule": "constant"}).restore(200, state)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("method", "iterations", "most"), [("einr-es", 20_000, 0.08), ("einr-os", 200_000, 0.08)])
def test_the_average_approaches_an_equilibrium_of_kuhn_poker(
    method: str, iterations: int, most: float, seed: int
) -> None:
    """0.92 is the NashConv of uniform play. A wrong sign or weight leaves play far from equilibrium."""
    assert hn.solve("kuhn_poker", method, iterations=iterations, seed=seed).nash_conv < most
