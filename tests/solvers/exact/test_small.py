"""The linear program of small games: HiGHS finds the same values, and fractions find no gain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded
from hannan.rules.plain import CHANCE, END, Rules
from hannan.solvers.exact import lp, small
from hannan.solvers.exact.linear import LinearProgram

EXACT = 1e-13
"""A gap beyond this, in units of the range of payoffs, is not rounding. The solver takes a gap of 1e-14 at most, as it
measures it."""


def span(game: ExpandedGame) -> float:
    low, high = (float(ends[0]) for ends in game.payoff_range)
    return high - low


def same(game: ExpandedGame) -> bool:
    """Compare a small game's solution with HiGHS's interior-point method and with fractions.

    Return whether pivots gave it.
    """
    assert small.is_small(game.form.treeplexes)
    solver, other = hn.methods.SequenceFormLP(game), hn.methods.SequenceFormLP(game, algorithm="ipm")
    solver.run(1)
    other.run(1)
    proof, near = solver.proof(), 1e-9 * max(1.0, span(game))
    assert solver.ending == "exact"
    assert proof.value == pytest.approx(other.proof().value, abs=near)
    assert proof.lower <= other.proof().upper + near
    assert float(hn.exact_gap(solver.average()).nash_conv) <= EXACT * span(game) + 1e-14
    return solver._program is None


def random_tree(random: np.random.Generator) -> ExpandedGame:
    """Draw a game of up to 100 by 100 sequences; most have tied payoffs."""
    branching = int(random.integers(1, 4))
    words = {
        "seed": random.integers(10**6), "branching": branching, "depth": random.integers(1, 4 if branching < 3 else 3),
        "chance": random.integers(3), "hidden": random.choice(["true", "false"]),
        "moves": random.choice(["joint", "turns"]), "utilities": random.choice(["ternary", "edges", "uniform"]),
    }  # fmt: skip
    return load_expanded(f"random_game({','.join(f'{name}={word}' for name, word in words.items())})")


def random_matrix(random: np.random.Generator) -> ExpandedGame:
    """Draw a matrix of few different numbers, some with equal rows and columns, of any scale."""
    rows, columns, most = random.integers(1, [9, 9, 6])
    matrix = random.integers(-most, most + 1, (rows, columns)).astype(float)
    if random.random() < 0.5:
        matrix = np.vstack((matrix, matrix))
    if random.random() < 0.3:
        matrix = np.hstack((matrix, matrix[:, :1] + 1))
    return load_expanded(hn.matrix_game(matrix * 10.0 ** random.integers(-6, 7)))


@pytest.mark.parametrize("draw", [random_tree, random_matrix])
@pytest.mark.parametrize("count", [40, pytest.param(500, marks=pytest.mark.slow)])
def test_random_games(draw: Any, count: int) -> None:
    random, pivoted, sought = np.random.default_rng(count), 0, 0
    while sought < count:
        game = draw(random)
        if small.is_small(game.form.treeplexes) and span(game) > 0:
            pivoted, sought = pivoted + same(game), sought + 1
    assert pivoted > 0.95 * count  # the others lose digits, and HiGHS solves them


class Alone(Rules):
    """Chance deals a colour. One player, who sees it, or nobody then chooses among three numbers, two of them equal."""

    mover: int | None = 0

    def start(self) -> tuple[int, ...]:
        return ()

    def turn(self, state: tuple[int, ...]) -> int:
        return CHANCE if not state else END if len(state) == 2 or self.mover is None else self.mover

    def chance(self, state: tuple[int, ...]) -> Sequence[tuple[int, float]]:
        return [(0, 0.25), (1, 0.75)]

    def actions(self, state: tuple[int, ...], player: int) -> Sequence[int]:
        return [0, 1, 2]

    def after(self, state: tuple[int, ...], move: Any) -> tuple[int, ...]:
        return (*state, int(move))

    def observe(self, state: tuple[int, ...], player: int) -> int:
        return state[0]

    def gains(self, state: tuple[int, ...]) -> Sequence[float]:
        if self.turn(state) != END:
            return 0.0, 0.0
        worth = [[3.0, -1.0, 3.0], [2.0, 6.0, 2.0]][state[0]][state[1] if len(state) == 2 else 0]
        return worth, -worth


@pytest.mark.parametrize(
    ("mover", "value"),
    [(0, 0.25 * 3 + 0.75 * 6), (1, 0.25 * -1 + 0.75 * 2), (None, 0.25 * 3 + 0.75 * 2)],
    ids=["player 0", "player 1", "nobody"],
)
def test_players_who_never_move(mover: int | None, value: float) -> None:
    rules = Alone()
    rules.mover = mover
    game = load_expanded(rules)
    assert same(game)
    solver = hn.methods.SequenceFormLP(game)
    solver.run(1)
    assert solver.proof().value == pytest.approx(value, abs=1e-15)


def test_plans_of_kuhn_poker() -> None:
    """Kuhn (1950): the value is -1/18. Plans are realization plans: actions sum to what leads to their set."""
    game = load_expanded("kuhn_poker")
    payoffs = np.zeros((13, 13))
    payoffs[tuple(game.form.sequences)] = game.form.payoff(0)
    x, y, value = small.small_plans(payoffs, game.form.treeplexes)
    assert value == pytest.approx(-1 / 18, abs=1e-15)
    assert x @ payoffs @ y == pytest.approx(-1 / 18, abs=1e-15)
    for plan, plex in zip((x, y), game.form.treeplexes, strict=True):
        assert np.add.reduceat(plan, plex.begin[:-1]) == pytest.approx(plan[plex.parent], abs=1e-15)
        assert plan[0] == 1.0


def test_highs_solves_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    built = []
    begin = LinearProgram.__init__

    def noted(self: LinearProgram, *given: Any, **options: Any) -> None:
        built.append(self)
        begin(self, *given, **options)

    monkeypatch.setattr(LinearProgram, "__init__", noted)
    for address, parameters, many in (
        ("kuhn_poker", {}, 0),
        ("kuhn_poker", {"algorithm": "ipm"}, 1),
        ("kuhn_poker", {"perturbation": 0.1}, 1),
        ("leduc_poker", {}, 1),
    ):
        built.clear()
        hn.methods.SequenceFormLP(address, **parameters).run(1)
        assert len(built) == many, (address, parameters)


def test_highs_solves_a_game_whose_pivots_went_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(payoffs: Any, plexes: Any) -> Any:
        x, y, value = small.small_plans(payoffs, plexes)
        return np.roll(x, 1), y, value + 1

    monkeypatch.setattr(lp, "small_plans", wrong)
    solver = hn.methods.SequenceFormLP("kuhn_poker")
    solver.run(1)
    assert solver._program is not None
    assert solver.proof().value == pytest.approx(-1 / 18, abs=1e-12)
    assert solver.proof().gap == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("rows", "columns"), [(5000, 1), (1, 5000), (3000, 2)])
def test_games_whose_pivots_need_much_room_are_not_small(rows: int, columns: int) -> None:
    """Their tableau has few cells, but the plans of a player with 5,000 actions need a row for each."""
    game = load_expanded(hn.matrix_game(np.zeros((rows, columns)).tolist()))
    assert not small.is_small(game.form.treeplexes)
