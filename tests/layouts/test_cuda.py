"""The program of the card, on the host's compiler: every method, the same numbers as the plain loops."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Longs
from hannan.forms.loader import load_expanded
from hannan.forms.treeplex import reaches
from hannan.kernels.fullwidth.slices import PACK, WIDTH
from hannan.layouts.backend import Setup, Step
from hannan.layouts.backends import BACKENDS
from hannan.layouts.cuda import program, slices
from hannan.layouts.cuda.backend import Cuda
from hannan.layouts.cuda.contraction import contract
from hannan.layouts.cuda.slices import Slices, slices_of
from hannan.layouts.layout import flat_of
from hannan.measures.evaluation import gaps
from tests.layouts.hostcard import COMPILER, HostCard
from tests.layouts.test_backend import METHODS, SMALL, _solver, _states, _uniform
from tests.methods import UPDATES

GAMES = (*SMALL, "leduc_poker", "random_game(seed=5,depth=3,players=3,hidden=true,chance=2)", "liars_dice(faces=4)")

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler on this machine")


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BACKENDS, "host", partial(Cuda, card=HostCard))
    monkeypatch.setitem(BACKENDS, "backwards", partial(Cuda, card=partial(HostCard, backwards=True)))


@pytest.mark.slow
@needs_compiler
@pytest.mark.usefixtures("host")
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("case", METHODS)
@pytest.mark.parametrize("game", GAMES)
def test_every_method_agrees_with_the_plain_loops(game: str, case: str, updates: str) -> None:
    """Sums in another order: 1e-16, which predictive methods and Hedge multiply by up to 5 an iteration."""
    plain, host, backwards = (_solver(case, game, updates=updates, layout=n) for n in ("plain", "host", "backwards"))
    first, second, third = _states([plain, host, backwards], 10)
    for name, array in first.items():
        np.testing.assert_allclose(second[name], array, rtol=1e-9, atol=1e-9, err_msg=name)
        assert np.array_equal(second[name], third[name]), f"{name} depends on the order of items within a phase"


@needs_compiler
@pytest.mark.usefixtures("host")
@pytest.mark.parametrize("updates", UPDATES)
def test_bands_of_levels_change_rounding_alone(updates: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = _solver("dcfr", "liars_dice(faces=4)", updates=updates, layout="host")
    monkeypatch.setattr(program, "CLIMB", 1)
    cut = _solver("dcfr", "liars_dice(faces=4)", updates=updates, layout="host")
    sliced = slices_of(load_expanded("liars_dice(faces=4)").form)
    assert program.plan_of(sliced)[program.FACTS - 2] == len(sliced.level_end[0]) > 1  # each level is a band
    first, second = _states([whole, cut], 10)
    for name, array in first.items():
        np.testing.assert_allclose(second[name], array, rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.slow
@needs_compiler
@pytest.mark.usefixtures("host")
@pytest.mark.parametrize("case", ["cfr", "pdcfr+", "einr", "komwu"])
@pytest.mark.parametrize("game", GAMES)
def test_the_gap_measured_there_is_the_gap(game: str, case: str) -> None:
    """1e-11: sums of the same numbers in another order."""
    there, plain = (_solver(case, game, layout=layout) for layout in ("host", "plain"))
    for solver in (there, plain):
        solver.run(7)
    one, two = gaps(there), gaps(plain)
    assert one.name == two.name
    np.testing.assert_allclose(one.evaluation.values, two.evaluation.values, rtol=0, atol=1e-11)
    np.testing.assert_allclose(one.evaluation.best_values, two.evaluation.best_values, rtol=0, atol=1e-11)
    assert one.gap == pytest.approx(two.gap, abs=1e-11)
    before = there.state()
    there.measured()
    for name, array in there.state().items():
        assert np.array_equal(array, before[name]), name
    for solver in (there, plain):
        solver.run(3)  # what measuring left behind does not disturb the next iteration
    for name, array in there.state().items():
        np.testing.assert_allclose(array, plain.state()[name], rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.slow
@needs_compiler
@pytest.mark.usefixtures("host")
def test_before_the_first_iteration_and_with_rounded_payoffs_the_plain_layout_measures() -> None:
    assert _solver("cfr", "kuhn_poker", layout="host").measured() is None
    rounded = _solver("cfr", "leduc_poker", layout="host", payoffs="float32")
    rounded.run(5)
    assert rounded.measured() is None
    exact = _solver("cfr", "leduc_poker", layout="host")
    exact.run(5)
    assert gaps(rounded).gap == pytest.approx(gaps(exact).gap, abs=1e-4)  # payoffs have 7 digits


@pytest.mark.slow
@needs_compiler
@pytest.mark.usefixtures("host")
@pytest.mark.parametrize("longest", [1, 2, 64])
@pytest.mark.parametrize("learner", [0, 1, 2])
def test_rows_of_several_parts(longest: int, learner: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "LONGEST", longest)
    setup = Setup(load_expanded("leduc_poker(ranks=4)").form, learner)
    one, two = BACKENDS["host"](setup), BACKENDS["plain"](setup)
    for backend in (one, two):
        _uniform(backend)
        backend.run(Step(rate=0.01, decay=0.9).rows(5) if learner else Step(decay=0.9).rows(5))
    for name in setup.sizes:
        np.testing.assert_allclose(one.read(name), two.read(name), rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "game", [*GAMES, "matrix_game(payoffs=[[3.1,-1.2,0.7],[-2.3,4.5,0.4]])", "leduc_poker(ranks=12)"]
)
def test_slices_hold_the_form(game: str) -> None:
    form = load_expanded(game).form
    sliced, flat = slices_of(form), flat_of(form)
    assert len(np.unique(sliced.place)) == len(sliced.place)
    for p, plex in enumerate(form.treeplexes):
        assert (np.diff(sliced.level_begin[p]) % WIDTH == 0).all()
        for low, high in zip(sliced.level_begin[p], sliced.level_end[p], strict=False):
            assert (sliced.slot[low:high, 1] % slices.WIDEST > 0).all()
        mine = sliced.slot[sliced.level_begin[p][0] : sliced.level_begin[p][-1], 1]
        assert sum(mine % slices.WIDEST) == plex.sequences - 1
    assert _entries(sliced) == {
        (int(sliced.place[s]), *(int(sliced.place[o]) for o in flat.other[:, k])): flat.payoff[k]
        for s in range(len(sliced.place))
        for k in range(flat.row_begin[s], flat.row_begin[s + 1])
    }


@pytest.mark.parametrize("game", ["liars_dice(faces=4)", "liars_dice(faces=2,dice=2)", "kuhn_poker(players=3)"])
def test_a_contracted_form_is_the_same_game_without_sets_of_one_action(game: str) -> None:
    form = load_expanded(game).form
    contraction = contract(form)
    smaller, begin, first = contraction.form, 0, 0
    assert all((plex.sizes > 1).all() for plex in smaller.treeplexes)
    random, names = np.random.default_rng(3), list[Longs]()
    for plex, other in zip(form.treeplexes, smaller.treeplexes, strict=True):
        names.append(contraction.sequence[begin : begin + plex.sequences] - first)
        chosen = random.random(plex.sequences)
        chosen[plex.begin[:-1][plex.sizes == 1]] = 1
        mine = np.ones(other.sequences)
        forced = np.isin(np.arange(plex.sequences), plex.begin[:-1][plex.sizes == 1])
        mine[names[-1][~forced]] = chosen[~forced]
        np.testing.assert_allclose(reaches(other, mine)[names[-1]], reaches(plex, chosen), rtol=1e-15)
        begin, first = begin + plex.sequences, first + other.sequences
    assert len(contraction.forced) == begin - first
    sums = [dict[tuple[int, ...], float](), dict[tuple[int, ...], float]()]
    for found, one, name in ((sums[0], form, names), (sums[1], smaller, None)):
        for k, key in enumerate(one.sequences.T.tolist()):
            place = tuple(int(name[p][s]) for p, s in enumerate(key)) if name else tuple(key)
            found[place] = found.get(place, 0.0) + float(one.payoffs[0, k])
    assert sums[0] == sums[1]


@needs_compiler
@pytest.mark.usefixtures("host")
@pytest.mark.parametrize("case", ["cfr", "dcfr", "pcfr+"])
def test_idle_sets_are_left_out_and_read_as_if_they_were_not(case: str) -> None:
    """A warm start plays unevenly where nothing is at stake: these sets no longer rest."""
    plain, host = (_solver(case, "battleship", layout=layout) for layout in ("plain", "host"))
    first, second = _states([plain, host], 6)
    for name, array in first.items():
        np.testing.assert_allclose(second[name], array, rtol=1e-9, atol=1e-9, err_msg=name)
    profile = hn.random_profile(load_expanded("battleship"), seed=3)
    plain, host = (_solver(case, "battleship", layout=layout) for layout in ("plain", "host"))
    for solver in (plain, host):
        solver.warm_start(profile, 10)
    first, second = _states([plain, host], 6)
    for name, array in first.items():
        np.testing.assert_allclose(second[name], array, rtol=1e-9, atol=1e-9, err_msg=name)


@needs_compiler
@pytest.mark.usefixtures("host")
def test_what_rests_on_a_card_is_found_out_again_after_every_write() -> None:
    host = BACKENDS["host"](Setup(load_expanded("battleship").form))
    assert isinstance(host, Cuda)
    _uniform(host)
    host.run(Step().rows(2))
    assert host._resting
    first = int(host._slices.idle[0, 0])
    total = host.read("total")
    changed = total.copy()
    changed[first] += 0.25
    host.write("total", changed)
    assert np.array_equal(host.read("total"), changed)
    host.run(Step().rows(0))
    assert not host._resting
    host.write("total", total)
    host.run(Step().rows(0))
    assert host._resting


def _entries(sliced: Slices) -> dict[tuple[int, ...], float]:
    """Read the entries back: the place of a row and those of the others, and the payoff."""
    row_of = {}
    for r, place in enumerate(sliced.row):
        for piece in range(sliced.piece_begin[r], sliced.piece_begin[r + 1]):
            row_of[-1 - piece] = int(place)
    found = {}
    for part, target in enumerate(sliced.target.tolist()):
        cells, indexes, shift, longest = sliced.group[part // WIDTH].tolist()
        for step in range(longest):
            pack, at = divmod(step, PACK)
            cell = ((cells + pack) * WIDTH + part % WIDTH) * PACK + at
            place = (indexes + pack * (WIDTH >> shift) + (part % WIDTH >> shift)) * PACK + at
            payoff = sliced.table[sliced.payoff[cell]] if len(sliced.table) else sliced.payoff[cell]
            if payoff != 0:
                key = (row_of.get(target, target), *(int(other) for other in sliced.other[:, place]))
                assert key not in found
                found[key] = float(payoff)
    return found


@needs_compiler
@pytest.mark.usefixtures("host")
@pytest.mark.parametrize("case", ["dcfr", "cfr-hedge", "einr"])
def test_a_checkpoint_of_one_goes_on_at_the_other(case: str, tmp_path: Path) -> None:
    """The state is the same arrays in the same order, whichever place it comes from."""
    plain, there = (_solver(case, "leduc_poker", layout=layout) for layout in ("plain", "host"))
    for solver in (plain, there):
        solver.run(6)
    moved, back = (_solver(case, "leduc_poker", layout=layout) for layout in ("host", "plain"))
    moved.restore(6, plain.state())
    back.restore(6, there.state())
    for name, array in moved.state().items():
        assert np.array_equal(array, plain.state()[name]), name
    for solver in (plain, moved, back):
        solver.run(4)
    for name, array in plain.state().items():
        np.testing.assert_allclose(moved.state()[name], array, rtol=1e-9, atol=1e-9, err_msg=name)
        np.testing.assert_allclose(back.state()[name], array, rtol=1e-9, atol=1e-9, err_msg=name)
