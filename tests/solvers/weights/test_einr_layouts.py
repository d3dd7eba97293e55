"""EINR and KOMWU on tiles and threads: the numbers of plain loops, to rounding or to the bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.kernels.fullwidth import tiled_weights


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("parameters", [{"rate": 3.0}, {"optimistic": True, "prior": "reduced"}, {"schedule": "sqrt"}])
@pytest.mark.parametrize("address", ["leduc_poker", "random_game(depth=3,players=3,hidden=true)", "goofspiel(cards=3)"])
def test_layouts_agree(address: str, parameters: dict[str, Any], updates: Any) -> None:
    """The tiled loops add in another order, and have an exponential of their own."""
    game = hn.load(address)
    plain, tiled = (hn.methods.EINR(game, updates=updates, layout=kind, **parameters) for kind in ("plain", "tiled"))
    for _ in range(10):
        plain.run(3)
        tiled.run(3)
        for name, array in plain.state().items():
            np.testing.assert_allclose(tiled.state()[name], array, rtol=1e-9, atol=1e-11, err_msg=name)


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("kind", [hn.methods.EINR, hn.methods.KOMWU])
def test_a_run_may_go_on_with_other_threads(tmp_path: Path, kind: Any, updates: Any) -> None:
    """Threads change no bit, so a checkpoint of one thread resumes on two."""
    solver = kind("liars_dice(faces=4)", updates=updates)
    solver.run(4)
    solver.save(tmp_path / "half")
    solver.run(4)
    other = hn.resume(tmp_path / "half", threads=2)
    other.run(4)
    assert other.parameters == {**solver.parameters, "threads": 2}
    for name, array in solver.state().items():
        assert np.array_equal(array, other.state()[name]), name


@pytest.mark.slow
def test_payoffs_in_single_precision() -> None:
    """Rounding payoffs to 24 bits moves 20 iterations by about 1e-7 of their size. Payoffs that are drawn at
    random are not multiples of one number, so they are not stored as bytes."""
    game = "random_game(seed=2,depth=3,chance=2,hidden=true)"
    exact, rounded = (hn.methods.KOMWU(game, payoffs=payoffs) for payoffs in ("float64", "float32"))
    for solver in (exact, rounded):
        solver.run(20)
    for one, other in zip(exact.average().strategies, rounded.average().strategies, strict=True):
        assert 0 < np.abs(one - other).max() < 1e-5


def test_the_exponential_of_the_tiled_loops() -> None:
    drawn = np.random.default_rng(0).exponential(1.0, 10_000)
    x = np.concatenate((-drawn, -100 * drawn, [0.0, -708.0], [-708.1, -1e308, -np.inf]))
    found = x.copy()
    tiled_weights.exponentiate(found, np.empty_like(found))
    normal = x >= -708
    np.testing.assert_allclose(found[normal], np.exp(x[normal]), rtol=3 * 2**-52)
    assert not found[~normal].any()


def test_a_prior_of_0_is_never_played() -> None:
    game = hn.load("leduc_poker")
    best = [hn.best_response(game, hn.uniform(game), player).strategy for player in range(2)]
    prior = hn.profile(game, best)
    for layout in ("plain", "tiled"):
        solver = hn.methods.EINR(game, rate=5.0, prior=prior, layout=layout)
        solver.run(20)
        for played, given in zip(solver.current().strategies, best, strict=True):
            np.testing.assert_array_equal(played, given)
