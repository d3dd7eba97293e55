"""Public trees on a card, whose program runs on the host's compiler here: every method, the same numbers as the CPU."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.layouts import backends
from hannan.layouts.cuda.public_program import lines_of, plan_of
from tests.layouts.fakecupy import FakeCupy
from tests.layouts.hostcard import COMPILER
from tests.layouts.hostkernels import HostKernels
from tests.layouts.test_public import game_of
from tests.methods import FULL_WIDTH, UPDATES, solver_for

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler on this machine")
NAMES = ["kuhn", "dice", "river raked", "turn raked", "turn gone", "flop", "three cards"]


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "CupyKernels", HostKernels)


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> FakeCupy:
    fake = FakeCupy()
    monkeypatch.setitem(sys.modules, "cupy", fake)
    return fake


def compare(one: Any, two: Any, tolerance: float) -> None:
    """Compare all numbers of two solvers; regrets of another size are compared in their own."""
    first, second = one.state(), two.state()
    for name, array in first.items():
        np.testing.assert_allclose(second[name], array, rtol=0, atol=tolerance * (1 + np.abs(array).max(initial=0)))
    here, there = one.measured(), two.measured()
    np.testing.assert_allclose(there.values, here.values, rtol=0, atol=tolerance)
    np.testing.assert_allclose(there.best_values, here.best_values, rtol=0, atol=tolerance)


@pytest.mark.slow
@pytest.mark.usefixtures("host")
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("method", FULL_WIDTH)
@pytest.mark.parametrize("name", NAMES)
def test_every_method_agrees_with_the_cpu(name: str, method: str, updates: str) -> None:
    """1e-9: sums in another order, 1e-16 apart, which predictive methods multiply by up to 5 per iteration."""
    here, there = (
        solver_for(method, game_of(name), updates=updates, precision="float64", device=device)
        for device in ("cpu", "cuda")
    )
    for solver in (here, there):
        solver.prepare()
        solver.run(4)
        solver.run(3)
    compare(here, there, 1e-9)


@pytest.mark.parametrize("name", ["kuhn", "turn raked", "flop"])
def test_the_order_of_items_changes_no_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for backwards in (False, True):
        monkeypatch.setattr(backends, "CupyKernels", partial(HostKernels, backwards=backwards))
        solver = solver_for("dcfr", game_of(name), device="cuda")
        solver.run(6)
        found.append((solver.state(), solver.measured()))
    (one, first), (two, second) = found
    assert first == second
    for key, array in one.items():
        assert np.array_equal(array, two[key]), f"{key} depends on the order of the items of a kernel"


@pytest.mark.parametrize("name", ["turn raked", "flop"])
def test_a_small_card_takes_the_deals_in_groups(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three groups at least; a sum over the deals goes on from group to group, so no bit changes."""
    form = game_of(name).form
    before = lines_of(form)["before"]
    whole = plan_of(form, before, measures=False, most=1 << 40)
    parted = plan_of(form, before, measures=False, most=whole.size // 3)
    assert len(whole.groups) == 1
    assert len(parted.groups) >= 3
    assert parted.size <= max(whole.size // 3, plan_of(form, before, measures=False, most=0).size)
    assert sorted(parted.list.tolist()) == list(range(len(form.deals)))
    states = []
    for free in (1 << 30, 0):
        monkeypatch.setattr(backends, "CupyKernels", partial(HostKernels, free=free))
        monkeypatch.setattr(HostKernels, "require", lambda self, size, instead: None)
        solver = solver_for("pcfr+", game_of(name), device="cuda")
        solver.run(5)
        states.append((solver.state(), solver.measured()))
    assert states[0][1] == states[1][1]
    assert all(np.array_equal(states[0][0][key], states[1][0][key]) for key in states[0][0])


def test_a_solve_there_is_a_solve_and_resumes_here(cupy: FakeCupy, tmp_path: Path) -> None:
    """The last lines of evidence are measured by the CPU: the strategy, evaluated afresh."""
    game, file = game_of("turn raked"), tmp_path / "turn.checkpoint"
    there = hn.solve(game, "dcfr", iterations=40, precision="float64", device="cuda", checkpoint=file)
    here = hn.solve(game, "dcfr", iterations=40, precision="float64")
    assert there.gap == pytest.approx(here.gap, abs=1e-9)
    assert hn.evaluate(there.strategy).nash_conv == pytest.approx(there.nash_conv, abs=1e-9)
    assert {"down", "finish", "up", "leave", "settle"} <= {name for name, _, _ in cupy.launches}
    moved = hn.solve(game, resume=file, iterations=60, device="cpu")
    assert moved.gap == pytest.approx(hn.solve(game, "dcfr", iterations=60, precision="float64").gap, abs=1e-9)


@pytest.mark.usefixtures("cupy")
def test_locks_and_warm_starts_hold_there() -> None:
    game = game_of("river")
    locks: Any = {0: {"* ": {"x": 1.0}}}
    start = hn.solve(game, "dcfr", iterations=20, precision="float64").strategy
    for options in ({"locks": locks}, {"start": start}):
        there, here = (
            hn.solve(game, "dcfr", iterations=25, precision="float64", device=device, **options)
            for device in ("cuda", "cpu")
        )
        assert there.gap == pytest.approx(here.gap, abs=1e-9), options
        assert there.values == pytest.approx(here.values, abs=1e-9), options


def test_what_the_card_does_not_do_is_refused(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(hn.errors.UnsuitableError, match="float32 or float64; precision=int16 is for device=cpu"):
        hn.DCFR(game_of("river"), precision="int16", device="cuda")
    with pytest.raises(hn.errors.ParameterError, match="no threads"):
        hn.DCFR(game_of("river"), threads=2, device="cuda")
    monkeypatch.setitem(sys.modules, "cupy", FakeCupy(free=1 << 20))
    with pytest.raises(hn.errors.SizeError, match=r"1\.0 MiB of free memory, and 6\d\.\d MiB are needed"):
        hn.DCFR(game_of("river"), device="cuda")


def test_a_driver_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", FakeCupy(fails_at=7))
    with pytest.raises(hn.errors.DeviceError, match=r"failed while walking \(cudaErrorLaunchFailure"):
        hn.DCFR(game_of("turn raked"), device="cuda").run(5)
