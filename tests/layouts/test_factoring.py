"""Factors multiply out to the payoffs, are far fewer numbers where they are taken, and change no answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.forms.sequence import SequenceForm
from hannan.games.matrix import matrix_game
from hannan.kernels.fullwidth.factors import (
    F_CELL_AT,
    F_COLUMN_AT,
    F_COLUMNS,
    F_CORNER_AT,
    F_ROW_AT,
    F_ROWS,
    gradient_factors,
)
from hannan.layouts import factoring, threaded
from hannan.layouts.factoring import Factors, factor
from hannan.layouts.layout import tiled_of

ROUNDING = 1e-12
"""Relative to the largest payoff: numbers that differ by 1e-13 of it are one, and up to some hundred are added up."""

POKER = "leduc_poker(ranks=9)"
"""Small enough for tests, large enough for factors."""


def multiplied_out(factors: Factors, form: SequenceForm) -> csr_array:
    """Return the payoffs as a matrix, from the definition of the factors and the entries that stayed."""
    left = slice(None) if factors.left is None else factors.left
    rows, columns, values = [form.sequences[0][left]], [form.sequences[1][left]], [form.payoffs[0][left]]
    f = factors.factored
    for b in range(len(f.block) - 1):
        here, following = f.block[b], f.block[b + 1]
        m, n = here[F_ROWS], here[F_COLUMNS]
        mine, other = slice(here[F_ROW_AT], following[F_ROW_AT]), slice(here[F_COLUMN_AT], following[F_COLUMN_AT])
        corners, cells = slice(here[F_CORNER_AT], following[F_CORNER_AT]), slice(here[F_CELL_AT], following[F_CELL_AT])
        inner, odd = np.zeros((m, n)), np.zeros((m, n))
        inner[f.corner_row[corners], f.corner_column[corners]] = f.corner[corners]
        odd[f.cell_row[cells], f.cell_column[cells]] = f.cell[cells]
        adds = [np.tril(np.ones((size, size))) for size in (m, n)]
        block = f.row_weight[mine, None] * (adds[0] @ inner @ adds[1].T) * f.column_weight[other] + odd
        rows.append(np.repeat(f.row[mine], n))
        columns.append(np.tile(f.column[other], m))
        values.append(block.ravel())
    where = (np.concatenate(rows), np.concatenate(columns))
    return csr_array((np.concatenate(values), where), shape=tuple(plex.sequences for plex in form.treeplexes))


def matrix(form: SequenceForm) -> csr_array:
    shape = tuple(plex.sequences for plex in form.treeplexes)
    return csr_array((form.payoffs[0], tuple(form.sequences)), shape=shape)


def check(form: SequenceForm) -> Factors:
    factors = factor(form)
    difference = multiplied_out(factors, form) - matrix(form)
    assert np.abs(difference.data).max(initial=0.0) <= ROUNDING * np.abs(form.payoffs).max()
    return factors


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take factors wherever they can be made, however many numbers they have."""
    for name in ("PAYS", "PAYS_DENSE"):
        monkeypatch.setattr(factoring, name, 1e-6)
    for name in ("FULLEST", "SHARE"):
        monkeypatch.setattr(factoring, name, 0.0)


@pytest.mark.parametrize(("address", "least"), [(POKER, 5.0), ("leduc_poker(ranks=13)", 9.0)])
def test_showdowns_are_few_numbers(address: str, least: float) -> None:
    form = load_expanded(address).form
    factors = check(form)
    assert form.entries / factors.numbers > least


def test_counts_are_few_numbers() -> None:
    """Fifteen hands against fifteen, as in liar's dice with two dice of five faces: enough of them show a face, or not.

    The hands have odds of 1 and 2 of 25, which become weights."""
    hands = [(a, b) for a in range(5) for b in range(a, 5)]
    fitting = np.array([sum(die in (2, 4) for die in hand) for hand in hands])
    odds = np.array([(1 + (a != b)) / 25 for a, b in hands])
    payoffs = np.where(fitting[:, None] + fitting >= 2, 1.0, -1.0) * odds[:, None] * odds
    assert check(load_expanded(matrix_game(payoffs.tolist())).form).numbers < 225 / 5


@pytest.mark.parametrize(
    "address", ["kuhn_poker", "leduc_poker", "liars_dice(faces=3)", "goofspiel(cards=3)", "battleship(shots=2)"]
)
@pytest.mark.usefixtures("eager")
def test_any_block_multiplies_out(address: str) -> None:
    assert len(check(load_expanded(address).form).factored.row) > 0


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(2, 40),
    columns=st.integers(2, 40),
    kind=st.sampled_from(["staircase", "weights", "constant", "noise", "spots"]),
)
def test_matrices_multiply_out(seed: int, rows: int, columns: int, kind: str) -> None:
    """Whatever is made of them; those with structure are smaller, and noise stays as it is."""
    draw = np.random.default_rng(seed)
    strength, other = draw.integers(0, 9, rows), draw.integers(0, 9, columns)
    payoffs = np.sign(strength[:, None] - other + 0.5)
    if kind == "weights":
        payoffs *= draw.integers(1, 5, rows)[:, None] * draw.integers(1, 5, columns) / 7.0
    elif kind == "constant":
        payoffs[:] = 1 / 3
        payoffs[np.arange(min(rows, columns)), np.arange(min(rows, columns))] = 0.0
    elif kind == "noise":
        payoffs = draw.normal(size=(rows, columns))
    elif kind == "spots":
        payoffs[draw.random((rows, columns)) < 0.1] = 0.25
    form = load_expanded(matrix_game(payoffs.tolist())).form
    factors = check(form)
    if kind == "noise":
        assert factors.left is None
    if kind in ("staircase", "weights") and min(rows, columns) > 32:
        assert factors.numbers < form.entries / 4


def test_gradients_are_those_of_the_payoffs() -> None:
    form = load_expanded(POKER).form
    factors, payoffs = factor(form), matrix(form)
    assert factors.left is not None
    assert len(factors.left) == 0
    draw = np.random.default_rng(3)
    blocks = len(factors.factored.block) - 1
    for player in (0, 1):
        reach, worth = draw.random(payoffs.shape[1 - player]), np.zeros(payoffs.shape[player])
        gradient_factors(factors.factored, player, 0, blocks, reach, worth, np.zeros((3, 4096)))
        expected = payoffs @ reach if player == 0 else -(payoffs.T @ reach)
        np.testing.assert_allclose(worth, expected, rtol=0.0, atol=ROUNDING * np.abs(expected).max())


@pytest.mark.parametrize("method", ["cfr", "pcfr+", "komwu"])
def test_layouts_with_factors_agree_with_plain_loops(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After ten iterations, to the tolerance of `test_layout`; threads do not change a bit."""
    monkeypatch.setattr(threaded, "WORTHWHILE", 0)
    game = load_expanded(POKER)
    assert len(tiled_of(game.form).arrays.factored.row) > 0
    assert len(tiled_of(game.form).arrays.payoff) == 0
    results = [
        hn.solve(game, method, iterations=10, **options).profile.strategies
        for options in ({"layout": "plain"}, {"layout": "tiled"}, {"layout": "tiled", "threads": 2})
    ]
    for plain, tiled, shared in zip(*results, strict=True):
        np.testing.assert_allclose(tiled, plain, rtol=0.0, atol=1e-9)
        assert tiled.tobytes() == shared.tobytes()


def test_other_games_keep_their_entries() -> None:
    for address in ("kuhn_poker(players=3)", "chicken", "single_player", "leduc_poker"):
        factors = factor(load_expanded(address).form)
        assert factors.left is None
        assert factors.numbers == factors.entries


@pytest.mark.parametrize("threads", [1, 2])
def test_factors_beside_blocks_and_rows(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some blocks become factors, the others stay: together they say what plain loops say."""
    monkeypatch.setattr(threaded, "WORTHWHILE", 0)
    for name, number in (("PAYS", 3.0), ("PAYS_DENSE", 3.0), ("SHARE", 0.0)):
        monkeypatch.setattr(factoring, name, number)
    game = load_expanded("leduc_poker(ranks=5)")
    left = check(game.form).left
    assert left is not None
    assert 0 < len(left) < game.form.entries
    plain = hn.solve(game, "cfr", iterations=10, layout="plain").profile.strategies
    tiled = hn.solve(game, "cfr", iterations=10, layout="tiled", threads=threads).profile.strategies
    for one, other in zip(plain, tiled, strict=True):
        np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-9)
