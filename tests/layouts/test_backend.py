"""The seam: every back end runs every method of both families, to the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats
from hannan.forms.loader import load_expanded
from hannan.kernels.fullwidth.records import COLUMNS, FACTORS, REGRETS, WEIGHTS
from hannan.layouts import threaded, tiles
from hannan.layouts.backend import Backend, Plain, Setup, Step, Tiles, Verbs
from hannan.layouts.backends import BACKENDS, start
from hannan.layouts.layout import _KEPT, flat_of, plain_of, tiled_of
from hannan.layouts.threaded import Threaded, visited
from tests.averages import average_of
from tests.layouts.obvious import Obvious
from tests.methods import FULL_WIDTH, UPDATES, solver_for

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    **{method: (method, {}) for method in FULL_WIDTH},
    "einr": ("einr", {}),
    "einr(rate)": ("einr", {"rate": 2.0, "optimistic": True}),
    "einr(linear)": ("einr", {"rule": "linear", "rate": 0.02}),
    "komwu": ("komwu", {}),
}
"""Both families: regrets at every set, and weights of whole plans."""

SMALL = ("kuhn_poker", "kuhn_poker(players=3)", "random_game(seed=2,depth=2,chance=2,hidden=true,payoffs=general_sum)")
"""Two and three players; values alone or gradients tracked."""

LARGER = ("leduc_poker", "random_game(seed=5,depth=3,players=3,hidden=true,chance=2)", "liars_dice(faces=4)")
"""Several levels."""


def _share_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let threads share small games, and cut these into many chunks and tiles."""
    for name, number in (("CHUNK", 16), ("FEW", 2)):
        monkeypatch.setattr(tiles, name, number)
    monkeypatch.setattr(threaded, "WORTHWHILE", 0)


def _solver(case: str, game: str, **parameters: Any) -> hn.Solver:
    method, own = METHODS[case]
    return solver_for(method, game, **own, **parameters)


def _states(solvers: list[hn.Solver], iterations: int) -> list[dict[str, Floats]]:
    for solver in solvers:
        solver.run(iterations)
    return [solver.state() for solver in solvers]


@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("case", METHODS)
@pytest.mark.parametrize("game", SMALL)
def test_a_back_end_from_outside_fits(game: str, case: str, updates: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """1e-12: a few iterations add the same numbers in another order, and payoffs are a few units."""
    monkeypatch.setitem(BACKENDS, "obvious", Obvious)
    obvious = _solver(case, game, updates=updates, layout="obvious")
    others = [_solver(case, game, updates=updates, layout=layout) for layout in ("plain", "tiled")]
    first, *states = _states([obvious, *others], 6)
    for state in states:
        assert list(state) == list(first)
        for name, array in first.items():
            np.testing.assert_allclose(state[name], array, rtol=1e-12, atol=1e-12, err_msg=name)
    for other in others:
        for one, two in zip(average_of(obvious).strategies, average_of(other).strategies, strict=True):
            np.testing.assert_allclose(one, two, rtol=0, atol=1e-12)
        play, same = obvious.correlated(), other.correlated()
        assert play is not None
        assert same is not None
        np.testing.assert_allclose(play.values, same.values, rtol=0, atol=1e-12)


@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("case", METHODS)
@pytest.mark.parametrize("game", LARGER)
def test_plain_and_tiled_agree_and_threads_do_not_change_a_bit(
    game: str, case: str, updates: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tiles add in another order: 1e-16, which predictive methods and Hedge multiply by up to 5 an iteration."""
    _share_all(monkeypatch)
    loops = _solver(case, game, updates=updates, layout="plain")
    tiled, *threaded = (_solver(case, game, updates=updates, layout="tiled", threads=n) for n in (1, 2, 3))
    plain, one, *many = _states([loops, tiled, *threaded], 10)
    for name, array in one.items():
        np.testing.assert_allclose(array, plain[name], rtol=1e-9, atol=1e-9, err_msg=name)
        for other in many:
            assert np.array_equal(other[name], array), name


@pytest.mark.parametrize("learner", [REGRETS, WEIGHTS, FACTORS])
@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("game", SMALL)
def test_the_compiled_loops_are_the_loop_over_the_verbs(game: str, simultaneous: bool, learner: int) -> None:
    """To the bit: `Verbs.run` calls, from Python, what the compiled loops call."""
    setup = Setup(load_expanded(game).form, learner, simultaneous)
    schedule = Step(positive=0.9, predict=0.5, rate=0.01, decay=0.8, weight=0.7).rows(7)
    for kind in (Plain, Tiles):
        if kind is Tiles and learner == FACTORS:
            continue
        compiled, verbs = kind(setup), kind(setup)
        for backend in (compiled, verbs):
            _uniform(backend)
        compiled.run(schedule)
        Verbs.run(verbs, schedule)
        for name in setup.sizes:
            assert np.array_equal(compiled.read(name), verbs.read(name)), name


def _uniform(backend: Backend) -> None:
    for name in ("strategy", "reach"):
        backend.write(name, np.concatenate([_even(plex, name) for plex in backend.setup.form.treeplexes]))


def _even(plex: hn.views.Treeplex, name: str) -> Floats:
    array = np.ones(plex.sequences)
    for j in range(plex.sets):
        above = array[plex.parent[j]] if name == "reach" else 1.0
        array[plex.begin[j] : plex.begin[j + 1]] = above / plex.sizes[j]
    return array


def test_the_choice_among_back_ends() -> None:
    small, middle = load_expanded("kuhn_poker").form, load_expanded("leduc_poker").form
    assert type(start(Setup(small))) is Plain
    assert type(start(Setup(middle))) is Tiles
    assert type(start(Setup(small, threads=2))) is Plain
    assert type(start(Setup(middle, FACTORS), "tiled")) is Plain


def test_threads_are_used_where_they_are_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    form = load_expanded("leduc_poker").form
    numbers = visited(tiled_of(form))
    assert numbers > sum(plex.sequences for plex in form.treeplexes)
    for worthwhile, kind in ((numbers, Threaded), (numbers + 1, Tiles)):
        monkeypatch.setattr(threaded, "WORTHWHILE", worthwhile)
        assert type(start(Setup(form, threads=2))) is kind
        assert type(start(Setup(form, threads=1))) is Tiles


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", ["cfr+", "komwu"])
def test_preparing_changes_no_number(case: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _share_all(monkeypatch)
    solvers = [_solver(case, "leduc_poker", layout="tiled", threads=threads) for _ in range(2)]
    solvers[0].prepare()
    prepared, other = _states(solvers, 3)
    for name, array in other.items():
        assert np.array_equal(prepared[name], array), name


def test_rows_of_a_schedule_have_the_columns_that_the_kernels_read() -> None:
    assert Step().rows(0).shape == (0, 1, COLUMNS)
    t = np.arange(1.0, 4.0)
    rows = Step(decay=t, rate=np.outer(t, [1.0, 10.0]), weight=np.array([[5.0, 6.0]])).rows(3, 2)
    assert rows.shape == (3, 2, COLUMNS)
    again = Step(*rows[2, 1].tolist())
    assert again == Step(decay=3.0, rate=30.0, weight=6.0)


def test_layouts_are_made_once_and_live_as_long_as_the_form() -> None:
    game = load_expanded("kuhn_poker")
    form, number = game.form, id(game.form)
    assert flat_of(form) is flat_of(form)
    assert plain_of(form).arrays is flat_of(form)
    assert tiled_of(form) is tiled_of(form)
    assert tiled_of(form, "float32") is not tiled_of(form)
    assert number in _KEPT
    del game, form
    assert number not in _KEPT


def test_solvers_that_share_a_layout_do_not_disturb_each_other() -> None:
    game = load_expanded("leduc_poker")
    alone = hn.CFR(game, layout="tiled")
    alone.run(6)
    first, second = hn.CFR(game, layout="tiled"), hn.methods.EINR(game, layout="tiled")
    for _ in range(6):
        first.run(1)
        second.run(1)
    for name, array in alone.state().items():
        assert np.array_equal(first.state()[name], array), name
