"""One equilibrium by the logit branch, measured by sums over cells and by the evaluator of strategies."""

from __future__ import annotations

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats
from hannan.forms.game import ExpandedGame
from hannan.solvers.general import logit as module
from hannan.solvers.general.branch import Stand
from hannan.solvers.general.choices import PlanChoices
from hannan.solvers.general.logit import agent_logit, logit
from hannan.solvers.general.point import Point, finished
from hannan.strategies.profile import Profile, normalised
from tests.loaded import game
from tests.solvers.general.mixed import CASES, gains, random_form


@pytest.mark.parametrize(("shape", "seed", "top"), CASES)
def test_the_limit_is_an_equilibrium(shape: tuple[int, ...], seed: int, top: int | None) -> None:
    form = random_form(shape, seed, top)
    (point,), ending = finished(logit(form))
    assert max(gains(form, point)) <= 1e-12 * max(1, top or 1)
    assert point.regret == pytest.approx(max(0.0, *gains(form, point)), abs=1e-14)
    assert not ending.complete


def test_large_games() -> None:
    """Twelve actions for each of three players, three for each of six."""
    for shape in ((12, 12, 12), (3,) * 6):
        form = random_form(shape, 1)
        (point,), _ = finished(logit(form))
        assert max(gains(form, point)) <= 1e-13


def behaviour(tree: ExpandedGame, point: Point) -> Profile:
    assert point.space == "sequences"
    parts = [normalised(tree, player, part) for player, part in enumerate(point.strategies)]
    return Profile(tree, tuple(parts))


@pytest.mark.parametrize(
    ("address", "value"), [("kuhn_poker", -1 / 18), ("kuhn_poker(players=3)", None), ("goofspiel(cards=3)", 0.0)]
)
def test_trees(address: str, value: float | None) -> None:
    """The gains are measured by best responses over the whole game; the value of Kuhn poker is -1/18 (Kuhn 1950)."""
    tree = game(address)
    (point,), _ = finished(agent_logit(tree))
    measured = hn.evaluate(behaviour(tree, point))
    assert max(measured.gains) <= 1e-12
    if value is not None:
        assert measured.values[0] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("unit", "constant"), [((1e12,) * 3, 0.0), ((1e-12,) * 3, 0.0), ((1.0,) * 3, 1e7), ((1.0, 1e6, 1e-3), 0.0)]
)
def test_units_of_payoffs_do_not_matter(unit: tuple[float, ...], constant: float) -> None:
    """Large and small units, a large constant, and players with different units; each gain in the player's own unit.

    A constant of 1e7 leaves 9 digits of the payoffs themselves.
    """
    base = np.random.default_rng(22).random((3, 3, 3, 3))
    form = hn.normal_form(hn.matrix_game(base * np.reshape(unit, (3, 1, 1, 1)) + constant))
    for points in (logit(form), agent_logit(form.game)):
        (point,), _ = finished(points)
        mixed = Point(tuple(part[-3:] for part in point.strategies))  # a tree has the empty sequence before
        for gain, scale in zip(gains(form, mixed), unit, strict=True):
            assert gain <= (1e-12 + 1e-15 * constant) * scale


def test_the_same_bits_each_time() -> None:
    runs = [finished(agent_logit(game("kuhn_poker(players=3)")))[0][0].strategies for _ in range(2)]
    assert all(np.array_equal(one, other) for one, other in zip(*runs, strict=True))


def test_a_branch_that_is_lost_is_no_equilibrium(monkeypatch: pytest.MonkeyPatch) -> None:
    """If steps fail at λ = 0.5, nothing is yielded. The ending names the λ and says that there is no equilibrium."""
    form = random_form((3, 3), 0)

    def lost(choices: object, steps: int) -> object:
        logs: Floats = np.full(6, np.log(1 / 3))
        yield Stand(0.0, logs, np.zeros(7))
        yield Stand(0.5 * PlanChoices(form, level=True).spread, logs, np.zeros(7), settled=False)

    monkeypatch.setattr(module, "branch", lost)
    points, ending = finished(logit(form))
    assert points == []
    assert "lost at λ = 0.5" in ending.why
    assert "no equilibrium" in ending.why


def test_the_budget_is_counted() -> None:
    points, ending = finished(logit(random_form((4, 4, 4), 1), steps=3))
    assert points == []
    assert "steps were used up" in ending.why
