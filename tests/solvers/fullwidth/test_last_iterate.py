"""Full-width methods that answer with their last iterate: no average is kept, and nothing else changes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats
from hannan.forms.loader import load_expanded
from hannan.layouts import threaded
from hannan.layouts.backends import BACKENDS
from hannan.layouts.cuda.backend import Cuda
from hannan.measures.evaluation import gaps
from hannan.solvers import method_class
from tests.averages import average_of, current_of
from tests.layouts.hostcard import COMPILER, HostCard
from tests.layouts.obvious import Obvious
from tests.methods import UPDATES

THREE = "random_game(seed=5,depth=3,players=3,hidden=true,chance=2)"
"""Three players: the correlated play is a second array that an average needs."""

LAST: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "cfr+": ({"averaging": "last"}, {"averaging": "linear"}),
    "einr": ({"output": "last"}, {"output": "average"}),
    "komwu": ({"output": "last"}, {"output": "average"}),
}
"""Of each method the parameters without an average, and with one."""

PLAYED = ("strategy", "reach", "regret")


def _pair(method: str, game: Any, **more: Any) -> tuple[hn.Solver, hn.Solver]:
    make: Any = method_class(method)
    last, averaged = LAST[method]
    return make(game, **last, **more), make(game, **averaged, **more)


def _size(solver: hn.Solver) -> int:
    return sum(array.nbytes for array in solver.state().values())


@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("layout", ["plain", "tiled", "obvious"])
@pytest.mark.parametrize("method", LAST)
@pytest.mark.parametrize("address", ["kuhn_poker", "kuhn_poker(players=3)"])
def test_the_iterates_are_those_of_the_method_with_an_average(
    address: str, method: str, layout: str, updates: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the bit: the average is never read while iterating."""
    monkeypatch.setitem(BACKENDS, "obvious", Obvious)
    last, averaged = _pair(method, load_expanded(address), layout=layout, updates=updates)
    for _ in range(3):
        last.run(5)
        averaged.run(5)
        for name in PLAYED:
            assert np.array_equal(last.state()[name], averaged.state()[name]), name
        for ours, theirs in zip(average_of(last).strategies, current_of(averaged).strategies, strict=True):
            assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("method", LAST)
@pytest.mark.parametrize(("address", "saved"), [("leduc_poker", 1), (THREE, 2)])
def test_the_average_takes_no_memory(address: str, saved: int, method: str) -> None:
    """An average is one number a sequence; the correlated play of a game that is not zero-sum another one."""
    game = load_expanded(address)
    last, averaged = _pair(method, game)
    sequences = sum(plex.sequences for plex in game.form.treeplexes)
    assert _size(averaged) - _size(last) == 8 * saved * sequences == game.sizes.average_bytes
    assert last.state()["total"].size == last.state()["played"].size == 0


def test_a_method_of_ones_own_may_keep_no_average() -> None:
    class Latest(hn.methods.FullWidth):
        method = "latest"

        @property
        def averaged(self) -> bool:
            return False

        def step(self, t: Floats) -> hn.methods.Step:
            return hn.methods.Step()

    solver, cfr = Latest("kuhn_poker"), hn.CFR("kuhn_poker")
    for one in (solver, cfr):
        one.run(20)
    for ours, theirs in zip(average_of(solver).strategies, current_of(cfr).strategies, strict=True):
        assert np.array_equal(ours, theirs)


def test_inspect_says_what_the_average_takes() -> None:
    found = hn.inspect("leduc_poker")
    last, averaged = _pair("cfr+", "leduc_poker")
    assert found.memory is not None
    assert found.memory["average"] == _size(averaged) - _size(last)


@pytest.mark.parametrize("address", ["leduc_poker", THREE])
def test_threads_do_not_change_a_bit(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threaded, "WORTHWHILE", 0)
    game = load_expanded(address)
    states = []
    for threads in (1, 2, 3):
        solver, _ = _pair("cfr+", game, layout="tiled", threads=threads)
        solver.prepare()
        solver.run(8)
        states.append(solver.state())
    for state in states[1:]:
        for name, array in states[0].items():
            assert np.array_equal(state[name], array), name


@pytest.mark.parametrize("method", LAST)
@pytest.mark.parametrize("address", ["kuhn_poker", "kuhn_poker(players=3)"])
def test_resumes_to_the_same_bits(address: str, method: str, tmp_path: Path) -> None:
    solver, _ = _pair(method, address)
    solver.run(7)
    solver.save(tmp_path / "half")
    solver.run(5)
    again = hn.resume(tmp_path / "half")
    again.run(5)
    for name, array in solver.state().items():
        assert np.array_equal(array, again.state()[name]), name


@pytest.mark.parametrize("method", LAST)
def test_a_state_that_holds_an_average_is_taken_over_without_it(method: str) -> None:
    """Checkpoints of older versions hold one."""
    game = load_expanded("kuhn_poker(players=3)")
    last, averaged = _pair(method, game)
    averaged.run(7)
    old = averaged.state()
    assert old["total"].size > 0
    assert old["played"].size > 0
    assert last.accepts(old)
    last.restore(7, old)
    averaged.run(5)
    last.run(5)
    for name in PLAYED:
        assert np.array_equal(last.state()[name], averaged.state()[name]), name
    other: dict[str, Floats] = {**old, "regret": old["regret"][:-1]}
    assert not last.accepts(other)


def test_a_warm_start_begins_at_the_profile() -> None:
    """Regrets are as the profile's, so the first strategy is the profile; 1e-12: a division."""
    found = hn.solve("kuhn_poker", gap=1e-3).profile
    solver, averaged = _pair("cfr+", "kuhn_poker")
    for one in (solver, averaged):
        one.warm_start(found, weight=50)
    for ours, theirs in zip(average_of(solver).strategies, found.strategies, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
    for one in (solver, averaged):
        one.run(20)
    assert np.array_equal(solver.state()["regret"], averaged.state()["regret"])


def test_locked_sets_stay_locked() -> None:
    """One player against fixed play: its last iterate is a best response."""
    given = hn.random_profile("kuhn_poker", seed=4)
    result = hn.solve("kuhn_poker", "cfr+", averaging="last", locks={0: given}, iterations=200)
    np.testing.assert_allclose(result.profile.strategies[0], given.strategies[0], rtol=0, atol=1e-15)
    found = hn.evaluate("kuhn_poker", result.profile)
    assert found.gains is not None
    assert found.gains[1] < 1e-9


@pytest.mark.parametrize("address", ["kuhn_poker", "kuhn_poker(players=3)"])
def test_the_gap_is_the_nash_conv_of_the_last_iterate(address: str) -> None:
    solver, _ = _pair("cfr+", address)
    solver.run(30)
    found = gaps(solver)
    assert (found.name, found.cce_gap) == ("NashConv", None)
    assert found.gap == hn.evaluate(solver.game, solver.current()).nash_conv


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler on this machine")
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize(("method", "address"), [("cfr+", "leduc_poker"), ("komwu", "kuhn_poker(players=3)")])
def test_on_a_card(method: str, address: str, updates: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same iterates as on the plain layout, and the gap of the last one measured there; 1e-9: order of sums."""
    monkeypatch.setitem(BACKENDS, "host", partial(Cuda, card=HostCard))
    game = load_expanded(address)
    make: Any = method_class(method)
    plain, host = (make(game, layout=layout, updates=updates, **LAST[method][0]) for layout in ("plain", "host"))
    for _ in range(2):
        for solver in (plain, host):
            solver.run(6)
        for name, array in plain.state().items():
            np.testing.assert_allclose(host.state()[name], array, rtol=1e-9, atol=1e-9, err_msg=name)
        assert host.measured() is not None
        ours, theirs = gaps(host), gaps(plain)
        assert (ours.name, ours.cce_gap) == (theirs.name, theirs.cce_gap)
        assert ours.gap == pytest.approx(theirs.gap, abs=1e-9)
