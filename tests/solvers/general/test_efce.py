"""Trigger regret: the gap against brute force over recorded play, convergence, checkpoints and the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.treeplex import reaches
from hannan.solvers.general.correlated import correlated_equilibrium
from hannan.solvers.general.efce import EFCE
from hannan.solvers.general.forest import forest
from hannan.solvers.general.triggers import triggers
from tests.solvers.general.smalltrees import Nested
from tests.solvers.general.test_correlated import brute_gain, signalling
from tests.solvers.general.test_refinements import random_tree

THREE = "random_game(depth=2,branching=2,players=3,moves=turns,payoffs=general_sum,hidden=true)"


def recorded(solver: EFCE, iterations: int) -> list[Any]:
    """Return the profiles that are played, one by one."""
    played = []
    for _ in range(iterations):
        played.append(solver.current())
        solver.run(1)
    return played


@pytest.mark.parametrize("seed", range(4))
def test_gap_by_brute_force(seed: int) -> None:
    """The gap is the best gain of any trigger and any plan after it, over the mixture of the recorded profiles."""
    form = hn.normal_form(Nested(random_tree(seed).tree))
    solver = EFCE(form.game)
    played = recorded(solver, 7)
    distribution = sum(np.multiply.outer(*form.mixed(profile)) for profile in played) / len(played)
    expected = [brute_gain(form, distribution, player, "efce") for player in range(2)]
    assert solver.trigger_gains() == pytest.approx(expected, abs=1e-12)
    advice = solver.advice()
    assert advice is not None
    assert advice.values == pytest.approx([float((form.payoffs[p] * distribution).sum()) for p in range(2)], abs=1e-12)
    assert solver.leaving_gains() == pytest.approx(advice.gains, abs=1e-12)  # the latter from the table of advice
    assert all(single - 1e-12 <= gain for single, gain in zip(expected, advice.gains, strict=True))


@pytest.mark.parametrize("address", ["kuhn_poker", THREE])
def test_plans_are_fixed_points(address: str) -> None:
    """Every plan is one: it flows, and the mixture of triggers maps it to itself, by the definition of the map."""
    solver = EFCE(hn.load(address))
    for _ in range(20):
        solver.run(1)
        for player, trees in enumerate(solver._forests):
            plex, plan = trees.plex, solver._plans[player]
            assert plan == pytest.approx(reaches(plex, solver.current().strategies[player]), abs=1e-9)
            choice = solver._state["choice"][player][1:]
            shares = np.append(0, choice / choice.sum() if choice.sum() > 0 else np.full(len(choice), 1 / len(choice)))
            after = trees.reach(trees.matched(solver._state["regret"][player]))
            image = np.zeros(plex.sequences)
            for one in triggers(plex, "efce"):
                mapped = plan.copy()
                mapped[list(one.followed)] = 0
                for place in np.flatnonzero(trees.trigger == one.sequence):
                    mapped[trees.sequence[place]] += plan[one.sequence] * after[place]
                image += shares[one.sequence] * mapped
            assert image == pytest.approx(plan, abs=1e-9)


def test_forest_has_one_copy_for_each_trigger() -> None:
    """The places of a trigger are the sequences from its set on."""
    plex = hn.load("kuhn_poker").expanded().form.treeplexes[0]
    trees = forest(plex)
    for k in range(1, plex.sequences):
        j = int(plex.set_of[k])
        mine = set(range(int(plex.begin[j]), int(plex.begin[j + 1])))
        for later in range(j + 1, plex.sets):
            if int(plex.parent[later]) in mine:
                mine.update(range(int(plex.begin[later]), int(plex.begin[later + 1])))
        assert set(trees.sequence[trees.trigger == k].tolist()) == mine


@pytest.mark.parametrize(
    "address",
    [
        "chicken",
        THREE,
        "sheriff(max_items=2,max_bribe=2,rounds=1)",
        "battleship(height=1,width=3,ship_sizes=[1],shots=2,loss_multiplier=2)",
    ],
)
def test_gap_shrinks(address: str) -> None:
    """Regrets grow as √T, so nine times the iterations leave a third of the gap; half of it is the bar."""
    solver = EFCE(hn.load(address))
    solver.run(60)
    early = max(solver.trigger_gains())
    solver.run(480)
    name, late = solver.own_gap() or ("", 1.0)
    assert name == "EFCE gap"
    assert 0 <= late < early / 2


def test_advice_is_within_what_is_possible() -> None:
    """Average play is an approximate EFCE, so its welfare is at most the best one's and a little more."""
    of = signalling()
    solver = EFCE(of)
    solver.run(400)
    best = correlated_equilibrium(of, "welfare", "efce")
    advice = solver.advice()
    assert advice is not None
    assert sum(advice.values) <= sum(best.values) + 0.2
    assert max(advice.gains) < 0.2


def test_run_and_checkpoint(tmp_path: Path) -> None:
    """`solve` stops on the EFCE gap and tells it; a resumed solver goes on to the same bits."""
    result = hn.solve("chicken", "efce", gap=0.01, progress=False)
    assert (result.stop, result.gap_name) == ("gap", "EFCE gap")
    assert result.record()["efce_gap"] == result.gap <= 0.01
    assert result.cce_gap <= max(result.record()["efce_gains"]) + 1e-12  # a coarse deviation leaves at every action
    whole, half = EFCE("kuhn_poker"), EFCE("kuhn_poker")
    whole.run(30)
    half.run(12)
    half.save(tmp_path / "x.checkpoint")
    again = hn.resume(tmp_path / "x.checkpoint")
    again.run(18)
    for name, array in whole.state().items():
        assert np.array_equal(array, again.state()[name]), name
