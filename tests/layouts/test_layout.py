"""Layouts and threads change the speed of full-width methods, and not what they compute."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hannan as hn
from hannan.forms import sequence
from hannan.forms.loader import load_expanded
from hannan.kernels.fullwidth import tiled as kernels
from hannan.layouts.blocks import unit_of
from hannan.layouts.layout import TINY, choose, tiled_of
from tests.averages import average_of, current_of
from tests.methods import FULL_WIDTH, UPDATES, solver_for

TOLERANCE = 1e-9
"""Layouts add the same numbers in another order: differences of 1e-16, which the predictive methods and Hedge multiply
by up to 5 an iteration, stay below this for 10 iterations."""

GAMES = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker(ranks=2)",
    "leduc_poker",
    "goofspiel(cards=3)",
    "liars_dice(faces=3)",
    "battleship(ship_sizes=[1],shots=2)",
    "sheriff(max_items=2,max_bribe=2,rounds=2)",
    "chicken",
    "single_player",
]


def _same(first: hn.Solver, second: hn.Solver) -> None:
    for one, other in zip(average_of(first).strategies, average_of(second).strategies, strict=True):
        assert np.abs(one - other).max() < TOLERANCE
    for one, other in zip(current_of(first).strategies, current_of(second).strategies, strict=True):
        assert np.abs(one - other).max() < TOLERANCE


@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("method", FULL_WIDTH)
@pytest.mark.parametrize("game", GAMES)
def test_layouts_agree(game: str, method: str, updates: str) -> None:
    plain = solver_for(method, game, updates=updates, layout="plain")
    tiled = solver_for(method, game, updates=updates, layout="tiled")
    for solver in (plain, tiled):
        solver.run(10)
    _same(plain, tiled)
    one, other = plain.correlated(), tiled.correlated()
    assert one is not None
    assert other is not None
    assert np.allclose(one.values, other.values, atol=TOLERANCE)
    if one.gradient is not None:
        assert other.gradient is not None
        assert np.allclose(one.gradient, other.gradient, atol=TOLERANCE)


@given(
    seed=st.integers(0, 10_000),
    depth=st.integers(1, 3),
    branching=st.integers(1, 3),
    players=st.integers(2, 3),
    chance=st.integers(0, 2),
    hidden=st.booleans(),
    moves=st.sampled_from(["joint", "turns"]),
    utilities=st.sampled_from(["uniform", "edges"]),
)
def test_layouts_agree_on_random_games(
    seed: int, depth: int, branching: int, players: int, chance: int, hidden: bool, moves: str, utilities: str
) -> None:
    address = (
        f"random_game(seed={seed},depth={depth},branching={branching},players={players},chance={chance},"
        f"hidden={hidden},moves={moves},utilities={utilities})"
    )
    game = load_expanded(address)
    plain, tiled = hn.CFR(game, layout="plain"), hn.CFR(game, layout="tiled")
    for solver in (plain, tiled):
        solver.run(10)
    _same(plain, tiled)


def test_sums_in_blocks_are_those_of_the_entries() -> None:
    """The gradient of a tiled layout is the payoff matrix times the other's reach (NumPy, dense)."""
    for address in ("leduc_poker", "liars_dice(faces=3)", "sheriff(max_items=2,max_bribe=2,rounds=2)"):
        form = load_expanded(address).form
        layout = tiled_of(form)
        sizes = [plex.sequences for plex in form.treeplexes]
        draw = np.random.default_rng(1).random(sum(sizes))
        reach, worth = layout.inward(draw), np.zeros(layout.places)
        for player in (0, 1):
            kernels.gradient(layout.arrays, player, reach, worth)
        matrices = [np.zeros(sizes), np.zeros(sizes)]
        for player in (0, 1):
            np.add.at(matrices[player], (form.sequences[0], form.sequences[1]), form.payoff(player))
        expected = np.concatenate((matrices[0] @ draw[sizes[0] :], matrices[1].T @ draw[: sizes[0]]))
        assert np.abs(layout.outward(worth) - expected).max() < 1e-12
        assert layout.arrays.block.size > 0


def test_every_entry_is_in_a_block_or_in_a_row_once() -> None:
    for address in GAMES:
        form = load_expanded(address).form
        arrays = tiled_of(form).arrays
        in_rows = len(arrays.payoff) // form.players
        in_blocks = 0
        for m, n, count, _, _, at, turned in arrays.piece.tolist():
            copies = [(at, m * n)]
            if turned >= 0:  # rows or columns are filled up to panels
                copies = [(at, -(-m // 8) * 8 * n), (turned, -(-n // 8) * 8 * m)]
            cells = [np.abs(arrays.block[:, begin : begin + count * size]).sum(axis=0) for begin, size in copies]
            assert len({np.count_nonzero(copy) for copy in cells}) == 1
            in_blocks += int(np.count_nonzero(cells[0]))
        assert in_rows + in_blocks == form.entries


def test_the_choice_is_explained_and_can_be_forced() -> None:
    assert choose(TINY - 1)[0] == "plain"
    kind, why = choose(TINY)
    assert kind == "tiled"
    assert str(TINY) in why
    with pytest.raises(hn.errors.ParameterError, match="layout='tilde' is not known; did you mean 'tiled'"):
        hn.CFR("kuhn_poker", layout="tilde")  # type: ignore[arg-type]
    with pytest.raises(hn.errors.ParameterError, match="threads=0 is out of range"):
        hn.CFR("kuhn_poker", threads=0)


@pytest.mark.slow
def test_payoffs_in_single_precision() -> None:
    """Rounding payoffs to 24 bits moves a gap by about 1e-7 of their size; gaps are measured with exact payoffs."""
    exact = hn.solve("leduc_poker", "cfr+", iterations=500, layout="plain")
    rounded = hn.solve("leduc_poker", "cfr+", iterations=500, layout="plain", payoffs="float32")
    assert rounded.gap != exact.gap
    assert abs(rounded.gap - exact.gap) < 0.2 * exact.gap
    assert rounded.values == pytest.approx(exact.values, abs=1e-4)


BOUNDS = """
import hannan as hn
for address in ("kuhn_poker", "leduc_poker(ranks=2)", "goofspiel(cards=3)", "kuhn_poker(players=3)"):
    game = hn.load(address)
    for layout in ("plain", "tiled"):
        for solver in (hn.PCFRPlus(game, layout=layout), hn.methods.KOMWU(game, layout=layout)):
            solver.run(3)
        hn.evaluate(game, solver.average())
        hn.summary(game, solver.average())
print("inside")
"""


@pytest.mark.slow
def test_no_kernel_reads_or_writes_outside_its_arrays(tmp_path: object) -> None:
    """Numba's own bounds checks, in a process of their own; they raise an IndexError. Unoptimised, to save time."""
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0", "NUMBA_CACHE_DIR": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", BOUNDS], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == "inside"


@pytest.mark.parametrize("layout", ["plain", "tiled"])
def test_an_equilibrium_that_was_met_is_kept(layout: str) -> None:
    """DCFR+ meets an equilibrium of battleship 2 by 2; with reciprocals in place of divisions it ended at 3.5e-3."""
    assert hn.solve("battleship", "dcfr+", iterations=300, layout=layout).nash_conv < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("battleship(shots=2)", np.int8),  # whole numbers, without chance
        ("matrix_game(payoffs=[[0.5,-1.25,3],[1.75,0.5,-200]])", np.float32),
        ("kuhn_poker", np.float64),  # sixths are not exact
        ("kuhn_poker(players=3)", np.float64),
        ("random_game(seed=3,depth=2)", np.float64),
    ],
)
def test_payoffs_of_large_forms_take_as_little_as_holds_them(
    address: str, kind: type[np.generic], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same payoffs, and the same bits of a solver, from less memory."""
    wide = load_expanded(address)
    wide_solver = hn.CFR(wide, layout="tiled")
    monkeypatch.setattr(sequence, "LARGE", 1)
    narrow = load_expanded(address)
    narrow_solver = hn.CFR(narrow, layout="tiled")
    assert wide.form.numbers.dtype == np.float64
    assert narrow.form.numbers.dtype == kind
    arrays = tiled_of(narrow.form).arrays
    assert arrays.payoff.dtype == (np.int8 if unit_of(narrow.form) is not None else kind)
    assert narrow.form.payoffs.dtype == np.float64
    assert narrow.form.payoffs.tobytes() == wide.form.payoffs.tobytes()
    assert narrow.form.hash == wide.form.hash
    for player in range(wide.players):
        assert narrow.form.payoff(player).tobytes() == wide.form.payoff(player).tobytes()
    for solver in (wide_solver, narrow_solver):
        solver.run(20)
    for name, array in wide_solver.state().items():
        assert array.tobytes() == narrow_solver.state()[name].tobytes()


@pytest.mark.parametrize(
    ("payoffs", "kind"),
    [([127.0, -127.0], np.int8), ([128.0], np.float32), ([0.5, 1.0], np.float32), ([0.0, -0.0], np.float32),
     ([1e300], np.float64), ([0.1], np.float64), ([2.0**25 + 1], np.float64), ([], np.int8)],
)  # fmt: skip
def test_the_narrowest_type_loses_nothing(payoffs: list[float], kind: type[np.generic]) -> None:
    wide = np.array([payoffs])
    assert sequence.narrowest(wide) == kind
    assert wide.astype(kind).astype(np.float64).tobytes() == wide.tobytes()


def test_payoffs_widen_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequence, "LARGE", 1)
    numbering = sequence.Numbering(2, 6)
    for part, kind in (
        ([[1], [-7]], np.int8),
        ([[0.5, 3], [2, 1]], np.float32),
        ([[0.1, 2, 1], [5, 6, 7]], np.float64),
    ):
        numbering.add(np.array(part, np.float64))
        assert numbering.numbers.dtype == kind
    assert numbering.numbers.tolist() == [[1, 0.5, 3, 0.1, 2, 1], [-7, 2, 1, 5, 6, 7]]
