"""Correlated equilibria of every kind: known values, two ways of computing them, and deviations by brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.solvers.exact.normalform import UNREACHED
from hannan.solvers.general import triggers
from hannan.solvers.general.correlated import advice_gains, correlated_equilibrium
from tests.solvers.general.smalltrees import game
from tests.solvers.general.test_refinements import random_tree

TREE_KINDS = ("efce", "efcce", "nfcce")


def signalling() -> Any:
    """von Stengel and Forges (2008), figure 1: a student of type G or B sends a free signal, a professor answers."""

    def answer(signal: str, good: bool) -> Any:
        hired = (4, 10) if good else (6, 0)
        return ("node", 1, signal, {"l": hired, "r": (0, 6)})

    def student(kind: str) -> Any:
        return ("node", 0, kind, {signal: answer(signal, kind == "G") for signal in "XY"})

    half = Fraction(1, 2)
    return game(("chance", {kind: (half, student(kind)) for kind in "GB"}), name="signalling")


def test_advice_in_steps_pays_more() -> None:
    """No plan-level advice helps: the professor refuses, (0, 6). Advice step by step can pay (3.5, 6.5).

    By hand: the mediator draws the good type's signal, and the bad type's independently; the professor hires whoever
    sends the good one's. Then G earns 4, B 6 half of the time, and the professor 10 or 6 or 0: 2 + 1.5 and 5 + 1.5.
    The sum is 10, and no play has more: 14 with a good type that is hired, 6 in all other cases.
    """
    of = signalling()
    assert correlated_equilibrium(of, 0, "ce").values == pytest.approx((0, 6), abs=1e-9)
    found = correlated_equilibrium(of, "welfare", "efce")
    assert sum(found.values) == pytest.approx(10, abs=1e-9)
    assert found.values[0] > 3
    assert correlated_equilibrium(of, 1, "efce").values[1] >= 6.5 - 1e-9
    assert max(found.gains) < 1e-12


def test_chicken() -> None:
    """Aumann's chicken with 6,6 / 2,7 / 7,2 / 0,0: welfare 10.5, by 1/2, 1/4 and 1/4. One move: efce is ce."""
    for kind in ("ce", "efce"):
        found = correlated_equilibrium("chicken", "welfare", kind)
        assert found.values == pytest.approx((5.25, 5.25), abs=1e-9)


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 6, 7])
@pytest.mark.parametrize("objective", ["welfare", 0, "egalitarian"])
def test_pairs_of_sequences_against_plans(seed: int, objective: Any, monkeypatch: Any) -> None:
    """Without chance, the polytope of von Stengel and Forges gives the optimum of a mediator that draws plans."""
    of = hn.load(random_tree(seed)).expanded()

    def score(values: Any) -> float:
        return sum(values) if objective == "welfare" else min(values) if objective == "egalitarian" else values[0]

    small = {kind: correlated_equilibrium(of, objective, kind) for kind in TREE_KINDS}  # type: ignore[arg-type]
    assert all(one.distribution is None for one in small.values())
    monkeypatch.setattr(triggers, "plays_without_chance", lambda _: False)
    scores = []
    for kind, one in small.items():
        drawn = correlated_equilibrium(of, objective, kind)  # type: ignore[arg-type]
        assert drawn.distribution is not None
        assert score(drawn.values) == pytest.approx(score(one.values), abs=1e-8)
        assert max(*one.gains, *drawn.gains) < 1e-9
        scores.append(score(one.values))
    ce, cce = (score(correlated_equilibrium(of, objective, kind).values) for kind in ("ce", "cce"))
    assert cce == pytest.approx(scores[2], abs=1e-8)  # the nfcce by another program
    assert ce - 1e-8 <= scores[0] <= scores[1] + 1e-8 <= scores[2] + 2e-8  # every kind is coarser than the one before


def brute_gain(form: Any, distribution: Any, player: int, kind: str) -> float:
    """Return the best single-trigger gain, by following and leaving plan by plan through the normal form."""
    plex, plans = form.game.form.treeplexes[player], form.plans[player].tolist()
    payoff = np.moveaxis(form.payoffs[player], player, 0).reshape(len(plans), -1)
    weights = np.moveaxis(distribution, player, 0).reshape(len(plans), -1)
    number = {tuple(plan): k for k, plan in enumerate(plans)}

    def ancestors(j: int) -> set[int]:
        found = set()
        while plex.parent[j]:
            j = int(plex.set_of[plex.parent[j]])
            found.add(j)
        return found

    def left(plan: list[int], j: int, other: list[int]) -> int:
        """Follow a plan above set j, and another one from there on; sets beside j stay as advised."""
        inside = {k for k in range(plex.sets) if k == j or j in ancestors(k)}
        mixed = [other[k] if k in inside else plan[k] for k in range(plex.sets)]
        return number[tuple(mixed)]

    best = 0.0
    for j, other in product(range(plex.sets), plans):
        if other[j] == UNREACHED:
            continue
        gains: dict[Any, float] = {}
        for k, plan in enumerate(plans):
            if plan[j] != UNREACHED:
                trigger = plan[j] if kind == "efce" else None
                new = left(plan, j, other)
                gains[trigger] = gains.get(trigger, 0.0) + float((payoff[new] - payoff[k]) @ weights[k])
        best = max(best, *gains.values())
    return best


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["efce", "efcce"])
def test_gains_against_brute_force(seed: int, kind: Any) -> None:
    """Of a random distribution the measured gain is 0 only if no trigger pays, and at least the best single one."""
    form = hn.normal_form(hn.load(random_tree(seed)))
    draw = np.random.default_rng(seed)
    distribution = draw.dirichlet(np.full(form.payoffs[0].size, 0.05)).reshape(form.payoffs.shape[1:])
    measured = advice_gains(form.game, triggers.advice_of(form, distribution), kind)
    for player in range(2):
        single = brute_gain(form, distribution, player, kind)
        assert single - 1e-12 <= measured[player]
        assert (measured[player] > 1e-12) == (single > 1e-12)
        if form.game.form.treeplexes[player].sets == 1 and kind == "efcce":  # there is only one trigger
            assert measured[player] == pytest.approx(single, abs=1e-12)
    best = correlated_equilibrium(form, 0, kind)
    assert max(best.gains) < 1e-9


def test_three_players() -> None:
    """More players have a mediator that draws plans; one shot, so efce is ce."""
    address = "random_game(depth=1,branching=2,players=3,payoffs=general_sum,seed=4)"
    pairs = [correlated_equilibrium(address, "welfare", kind) for kind in ("ce", "efce")]
    assert sum(pairs[0].values) == pytest.approx(sum(pairs[1].values), abs=1e-9)
    assert pairs[1].record()["advice"]


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_listed_advice_is_all_there_is(seed: int) -> None:
    """Without chance, the ends of play that are advised have probabilities that sum to 1."""
    of = hn.load(random_tree(seed)).expanded()
    found = correlated_equilibrium(of, "welfare", "efce")
    listed = found.advice()
    assert sum(line["probability"] for line in listed) == pytest.approx(1, abs=1e-8)
    assert all(line["sequences"][0].startswith(("start", "again")) for line in listed)


@pytest.mark.parametrize("kind", TREE_KINDS)
@pytest.mark.parametrize("objective", ["welfare", "egalitarian", 0])
def test_payoffs_with_a_large_constant(kind: Any, objective: Any) -> None:
    """Chicken with 1e9 and 1e6 added: what is best stays so; the poorer player decides what is fair."""
    plain, more = hn.normal_form("chicken").payoffs, np.array([1e9, 1e6])
    shifted = correlated_equilibrium(list(plain + more[:, None, None]), objective, kind)
    before = correlated_equilibrium(list(plain), 1 if objective == "egalitarian" else objective, kind)
    assert max(shifted.gains) < 1e-6
    gained, usual = np.subtract(shifted.values, more), np.array(before.values)
    if objective == "welfare":
        assert gained.sum() == pytest.approx(usual.sum(), abs=1e-5)
    else:
        player = 1 if objective == "egalitarian" else 0
        assert gained[player] == pytest.approx(usual[player], abs=1e-5)


def test_refusals() -> None:
    with pytest.raises(hn.errors.ParameterError, match="kind="):
        correlated_equilibrium("chicken", "welfare", "nash")  # type: ignore[arg-type]
    with pytest.raises(hn.errors.SizeError, match="normal form"):
        correlated_equilibrium("leduc_poker", "welfare", "efce")
