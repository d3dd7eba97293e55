"""Selection rules at one node against the formulas of their papers, written in plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from hannan.arrays import Floats
from hannan.kernels import kernel
from hannan.kernels.addresses import address
from hannan.kernels.mcts import oos, selection
from hannan.kernels.mcts import records as rec
from hannan.kernels.mcts.records import Ground, Played, SearchPlan
from tests.kernels.sampling.test_draws import splitmix

SIZE, FIRST, GAMMA, CONSTANT = 4, 3, 0.2, 0.7
LEARNT, COUNT, AVERAGE = (slice(FIRST + part * SIZE, FIRST + (part + 1) * SIZE) for part in range(3))

RULES = {
    "rm": rec.RM, "rm-plus": rec.RM_PLUS, "exp3": rec.EXP3, "exp3-ix": rec.EXP3_IX, "hedge": rec.HEDGE,
    "uct": rec.UCT, "uct-random": rec.UCT_RANDOM, "oos": rec.OOS, "random": rec.RANDOM,
}  # fmt: skip


@kernel
def _select(rule: int, random: Any, stat: Floats, visits: float, plan: SearchPlan) -> tuple[int, float]:
    return selection.select(rule, address(random, 0), address(stat, 0), FIRST, SIZE, visits, plan, plan.gamma)


@kernel
def _update(rule: int, mean: Floats, stat: Floats, spare: Any, plan: SearchPlan, at: Played) -> None:
    none = address(spare, 0)
    selection.update(rule, Ground(none, none, none, address(mean, 0), address(stat, 0), none, none, none), plan, at)


@kernel
def _update_oos(stat: Floats, taken: int, weight: float, tail: float, reach: float) -> float:
    """Let online outcome sampling learn, then add what it plays to the average."""
    tail = oos.update(address(stat, 0), FIRST, SIZE, taken, weight, tail)
    oos.average(address(stat, 0), FIRST, SIZE, reach)
    return tail


def plan_of(explore: int = rec.OWN, unvisited: float = math.nan) -> SearchPlan:
    return SearchPlan(0, 0, explore, 0, 0, GAMMA, CONSTANT, 0.05, 0.0, 1.0, unvisited)


def stats(seed: int) -> Floats:
    """Return numbers of a node after some visits, with others before and after that no rule may touch."""
    random = np.random.default_rng(seed)
    stat = np.full(FIRST + 3 * SIZE + 2, 99.0)
    stat[LEARNT] = random.normal(size=SIZE) * 3
    stat[COUNT], stat[AVERAGE] = random.integers(1, 9, SIZE), random.random(SIZE)
    return stat


def matched(regrets: Sequence[float]) -> list[float]:
    positive = [max(regret, 0.0) for regret in regrets]
    return [regret / sum(positive) for regret in positive] if sum(positive) > 0 else [1 / len(regrets)] * len(regrets)


def weighed(sums: Sequence[float], eta: float) -> list[float]:
    weights = [math.exp(eta * (each - max(sums))) for each in sums]
    return [weight / sum(weights) for weight in weights]


def strategy(rule: str, learnt: list[float], visits: float) -> list[float]:
    """Return what a rule plays before exploration."""
    if rule in ("rm", "rm-plus", "oos"):
        return matched(learnt)
    rates = {
        "exp3": GAMMA / SIZE,  # Auer et al. 2002
        "exp3-ix": math.sqrt(2 * math.log(SIZE) / (SIZE * visits)),  # Neu 2015
        "hedge": math.sqrt(8 * math.log(SIZE) / visits),
    }
    return weighed(learnt, rates[rule]) if rule in rates else [1 / SIZE] * SIZE


def drawn(u: float, shares: Sequence[float]) -> int:
    """Return the action whose part of [0, 1) holds a number, parts laid end to end."""
    reached = 0.0
    for k, share in enumerate(shares):
        reached += share
        if u < reached:
            return k
    return max(k for k, share in enumerate(shares) if share > 0)


@pytest.mark.parametrize("rule", [name for name in RULES if not name.startswith("uct")])
def test_an_action_is_drawn_by_the_formula(rule: str) -> None:
    """The mixture with γ of uniform play is drawn; the average gets the strategy without it."""
    for seed in range(12):
        stat, visits = stats(seed), float(10 + seed)
        if seed == 3:
            stat[LEARNT] = -1.0  # no regret is positive
        before = stat.copy()
        own = strategy(rule, before[LEARNT].tolist(), visits)
        shares = own if rule == "random" else [GAMMA / SIZE + (1 - GAMMA) * share for share in own]
        _, u = splitmix(seed)
        taken, probability = _select(RULES[rule], np.array([seed], np.uint64), stat, visits, plan_of())
        assert taken == drawn(u, shares)
        assert probability == pytest.approx(shares[taken], rel=1e-12)
        counted = 0.0 if rule == "oos" else 1.0  # it adds to the average on the way back
        np.testing.assert_allclose(stat[AVERAGE], before[AVERAGE] + counted * np.array(own), rtol=1e-12)
        stat[AVERAGE] = before[AVERAGE]
        assert np.array_equal(stat, before)


@pytest.mark.parametrize("rule", ["uct", "uct-random"])
def test_upper_confidence_bounds(rule: str) -> None:
    """Kocsis and Szepesvári (2006): mean + C·√(ln n / n_a), an action without a visit first."""
    for seed in range(20):
        stat = stats(seed)
        stat[LEARNT] = np.round(stat[LEARNT] ** 2, 1)
        if seed % 5 == 0:
            stat[FIRST + SIZE + 2] = 0.0
        if seed % 5 == 1:  # a tie
            stat[[FIRST + 1, FIRST + SIZE + 1]] = stat[[FIRST + 3, FIRST + SIZE + 3]] = (50.0, 2.0)
        if seed % 5 == 2:  # 0.04 apart, which is within the margin
            stat[[FIRST, FIRST + SIZE]], stat[[FIRST + 2, FIRST + SIZE + 2]] = (50.0, 2.0), (50.08, 2.0)
        visits = float(stat[COUNT].sum())
        bounds = [
            total / count + CONSTANT * math.sqrt(math.log(visits) / count) if count else math.inf
            for total, count in zip(stat[LEARNT], stat[COUNT], strict=True)
        ]
        tied = [k for k, bound in enumerate(bounds) if bound >= max(bounds) - 0.05]
        _, u = splitmix(seed)
        before = stat.copy()
        taken, probability = _select(RULES[rule], np.array([seed], np.uint64), stat, visits, plan_of())
        assert taken == (bounds.index(max(bounds)) if rule == "uct" else tied[int(u * len(tied))])
        assert probability == 1.0
        before[FIRST + 2 * SIZE + taken] += 1.0
        assert np.array_equal(stat, before)


@pytest.mark.parametrize("turned", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("unvisited", [math.nan, 0.5])
@pytest.mark.parametrize("rule", [name for name in RULES if name != "oos"])
def test_what_a_rule_learns(rule: str, unvisited: float, turned: bool) -> None:
    """Rules on the estimated matrix compare the means of cells; the others learn from the reward alone."""
    mean, stat = np.array([9.0, 0.9, 9.0, 0.3, 9.0, math.nan, 9.0, 0.6]), stats(1)
    taken, returned, probability, visits = 1, 0.35, 0.4, 20.0
    own = 1 - returned if turned else returned
    at = Played(FIRST, SIZE, taken, 1, 2, turned, returned, own, probability, visits)
    before = stat.copy()
    _update(RULES[rule], mean, stat, np.zeros(1), plan_of(unvisited=unvisited), at)
    cells = [0.9, returned, returned if math.isnan(unvisited) else unvisited, 0.6]
    worth = np.array([1 - cell if turned else cell for cell in cells])
    only, learnt = np.eye(SIZE)[taken], before[LEARNT]
    expected = {
        "rm": learnt + worth - own,
        "rm-plus": np.maximum(learnt + worth - own, 0.0),
        "exp3": learnt + only * own / probability,
        "exp3-ix": learnt - only * (1 - own) / (probability + math.sqrt(2 * math.log(SIZE) / (SIZE * visits)) / 2),
        "hedge": learnt + worth,
        "uct": learnt + only * own,
        "uct-random": learnt + only * own,
        "random": learnt,
    }[rule]
    np.testing.assert_allclose(stat[LEARNT], expected, rtol=1e-12, atol=1e-15)
    stat[LEARNT] = before[LEARNT]
    assert np.array_equal(stat, before)


def test_online_outcome_sampling() -> None:
    """Lisý, Lanctot, Bowling (2015): sampled regrets are W·(tail of the taken action) less what play would bring."""
    stat, weight, tail, reach = stats(4), 1.7, 0.3, 0.25
    before = stat.copy()
    own = np.array(matched(before[LEARNT].tolist()))
    assert _update_oos(stat, 2, weight, tail, reach) == pytest.approx(tail * own[2], rel=1e-12)
    np.testing.assert_allclose(stat[LEARNT], before[LEARNT] + weight * tail * (np.eye(SIZE)[2] - own[2]), rtol=1e-12)
    played = np.array(matched(stat[LEARNT].tolist()))
    np.testing.assert_allclose(stat[AVERAGE], before[AVERAGE] + played / reach, rtol=1e-12)


def test_exploring_around_a_rule() -> None:
    """A*: with probability γ, and nothing is learnt then; A+: at visits 1, 4, 9, …; else the rule plays without γ."""
    for visits in range(1, 30):
        taken, probability = _select(rec.RM, np.array([visits], np.uint64), stats(1), float(visits), plan_of(rec.PLUS))
        if math.isqrt(visits) ** 2 == visits:
            assert probability == -1 / SIZE
        else:
            assert probability == pytest.approx(matched(stats(1)[LEARNT].tolist())[taken], rel=1e-12)
    explored = 0
    for seed in range(200):
        state, u = splitmix(seed)
        _, second = splitmix(state)
        taken, probability = _select(rec.RM, np.array([seed], np.uint64), stats(1), 5.0, plan_of(rec.STAR))
        assert (probability == -1 / SIZE) == (u < GAMMA)
        if u < GAMMA:
            explored += 1
            assert taken == int(second * SIZE)
    assert explored > 20
