"""The logit branch, against fixed points found by bisection and against the definition at every stand."""

from __future__ import annotations

from itertools import pairwise
from math import exp

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.branch import Stand, branch
from hannan.solvers.general.choices import AgentChoices, PlanChoices
from tests.loaded import game
from tests.solvers.general.mixed import pays, random_form


def followed(form: NormalForm, rate: float) -> list[Stand]:
    """Return the branch of a normal form up to λ."""
    choices = PlanChoices(form)
    return list(branch(choices, 3000, rate * choices.spread))


def bisected(row: float, column: float, own: float, theirs: float, rate: float) -> tuple[float, float]:
    """Return the quantal response equilibrium of a 2×2 game whose response curves cross once.

    The first row pays row + own·q more than the second if the first column has probability q; so for columns.
    """

    def logit(difference: float) -> float:
        return 1 / (1 + exp(-rate * difference))

    low, high = 0.0, 1.0
    for _ in range(200):
        p = (low + high) / 2
        low, high = (p, high) if logit(row + own * logit(column + theirs * p)) > p else (low, p)
    return p, logit(column + theirs * p)


@pytest.mark.parametrize("rate", [0.1, 1.0, 3.0, 20.0])
@pytest.mark.parametrize(
    "payoffs",
    [
        [[[9, 0], [0, 1]], [[0, 1], [1, 0]]],  # matching pennies with one large payoff (Ochs 1995)
        [[[3, 0], [5, 1]], [[3, 5], [0, 1]]],  # the prisoner's dilemma
        [[[2, 1], [3, 0]], [[1, 4], [2, 1]]],
    ],
)
def test_games_of_two_actions_by_bisection(payoffs: list[list[list[float]]], rate: float) -> None:
    """These games have one equilibrium at each λ: the curves fall and rise, or do not depend on the other player."""
    a, b = np.array(payoffs, float)
    p, q = bisected(
        a[0, 1] - a[1, 1], b[1, 0] - b[1, 1], a[0, 0] - a[1, 0] - a[0, 1] + a[1, 1],
        b[0, 0] - b[0, 1] - b[1, 0] + b[1, 1], rate,
    )  # fmt: skip
    last = followed(hn.normal_form(hn.matrix_game(payoffs)), rate)[-1]
    np.testing.assert_allclose(np.exp(last.logs), [p, 1 - p, q, 1 - q], atol=1e-9)


def logit_of(values: Floats, rate: float) -> Floats:
    weights = np.exp(rate * (values - values.max()))
    shares: Floats = weights / weights.sum()
    return shares


@pytest.mark.parametrize("shape", [(3, 3), (3, 3, 3), (5, 4, 5), (2, 2, 2, 2)])
@pytest.mark.parametrize("seed", range(3))
def test_every_stand_is_a_quantal_response_equilibrium(shape: tuple[int, ...], seed: int) -> None:
    form = random_form(shape, seed)
    choices = PlanChoices(form)
    for stand in branch(choices, 400, 1000.0):  # beyond, rounding of payoffs times λ is more than the tolerance
        mixed = choices.parted(np.exp(stand.logs))
        for mine, values in zip(mixed, pays(form.payoffs, mixed), strict=True):
            np.testing.assert_allclose(mine, logit_of(values, stand.rate / choices.spread), atol=1e-7)


def test_turning_points_are_seen() -> None:
    """λ falls after a maximum and grows after a minimum: the flags say so, and this branch has both."""
    choices = PlanChoices(random_form((12, 12, 12), 4))
    stands = list(branch(choices, 200, 200.0))
    rates = np.diff([stand.rate for stand in stands])
    assert (rates < 0).any()
    turned = [stand.turned for stand in stands[1:-1]]
    backward = [stand.tangent[-1] < 0 for stand in stands[:-1]]
    assert [one != other for one, other in pairwise(backward)] == turned
    assert sum(turned) % 2 == 0  # it goes forward in the end


def test_the_branch_starts_at_even_strategies() -> None:
    for choices in (PlanChoices(random_form((3, 2, 4), 0)), AgentChoices(game("kuhn_poker(players=3)"))):
        (stand,) = branch(choices, 100, 0.0)
        sizes = np.diff(choices.begin)
        np.testing.assert_allclose(np.exp(stand.logs), np.repeat(1 / sizes, sizes), rtol=1e-15)


@pytest.mark.parametrize("actions", [2, 3])
def test_a_pitchfork(actions: int) -> None:
    """Both players want to do the same: even strategies are an equilibrium at every λ.

    The derivative of a response is λ over the number of actions. At λ = actions the even equilibrium is not stable any
    more, and branches leave it: one through it for two actions. Strategies do not leave the principal branch there.
    """
    payoffs = np.stack([np.eye(actions)] * 2)
    stands = followed(hn.normal_form(hn.matrix_game(payoffs)), 50.0)
    np.testing.assert_allclose(np.exp(stands[-1].logs), 1 / actions, atol=1e-9)
    if actions == 2:
        crossed = [stand.rate for stand in stands if stand.bifurcated]
        assert len(crossed) == 1
        assert abs(crossed[0] - 2) < 0.01


def test_the_stag_hunt_goes_to_the_safe_equilibrium() -> None:
    """By symmetry p = logit(λ(4p - 3)); from 1/2 at λ = 0 the solution falls to 0: hares are risk dominant."""
    stands = followed(hn.normal_form(hn.matrix_game([[[4, 0], [3, 3]], [[4, 3], [0, 3]]])), 5.0)
    low, high = 0.0, 0.5
    for _ in range(100):
        p = (low + high) / 2
        low, high = (p, high) if 1 / (1 + exp(-5.0 * (4 * p - 3))) > p else (low, p)
    np.testing.assert_allclose(np.exp(stands[-1].logs), [p, 1 - p, p, 1 - p], atol=1e-9)


def test_battle_of_the_sexes_stays_symmetric() -> None:
    """The game does not change if players and actions are exchanged, so the principal branch has p = 1 - q."""
    for stand in followed(hn.normal_form(hn.matrix_game([[[2, 0], [0, 1]], [[1, 0], [0, 2]]])), 20.0):
        first, _, _, last = np.exp(stand.logs)
        assert abs(first - last) < 1e-8


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 2)])
def test_agent_form_and_normal_form_are_one_if_players_move_once(shape: tuple[int, ...]) -> None:
    form = random_form(shape, 7)
    mixed = []
    for choices in (PlanChoices(form), AgentChoices(form.game)):
        mixed.append(np.exp(list(branch(choices, 1000, 5.0 * choices.spread))[-1].logs))
    np.testing.assert_allclose(mixed[0], mixed[1], atol=1e-9)
