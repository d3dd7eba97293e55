"""Traversals in pieces: the bits of this process, whoever makes them; joined in order; undone where they are halted."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import ParameterError, RulesError, UnsuitableError
from hannan.interrupts import patience
from hannan.libraries import library
from hannan.pieces import Workers, workers_of
from hannan.solvers import method_class
from tests.games.plain import Kuhn

pytest.importorskip("torch")

SMALL: dict[str, Any] = {"preset": "tiny", "traversals": 90, "together": 40, "steps": 6, "seed": 3}


@pytest.fixture(scope="module")
def started() -> Iterator[dict[str, Workers]]:
    """Workers of each kind, started once for all tests of this file; this Ray is no one else's."""
    ray = library("ray")
    ray.init(
        "local", num_cpus=2, object_store_memory=100 << 20, include_dashboard=False, log_to_driver=False,
        logging_level=logging.ERROR,
    )  # fmt: skip
    try:
        with workers_of("processes", 2) as processes, workers_of("ray", 1) as remote:
            yield {"processes": processes, "ray": remote}
    finally:
        ray.shutdown()


def bits(solver: Any) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in solver.state().items()}


@pytest.mark.slow
@pytest.mark.parametrize("on", ["processes", "ray"])
def test_workers_change_no_bit(started: dict[str, Workers], on: str) -> None:
    cases: list[tuple[str, Any, dict[str, Any]]] = [
        ("deep-cfr", "kuhn_poker", {}),
        ("double-neural", "kuhn_poker", {"approximation": "table"}),
        ("dream", "goofspiel(cards=3)", {"value_steps": 4}),
        ("escher", Kuhn(), {"value_steps": 4, "traversals": 50}),
    ]
    for method, game, parameters in cases if on == "processes" else cases[::2]:
        make: Any = method_class(method)
        here, there = (make(game, **{**SMALL, **parameters}) for _ in range(2))
        here.run(3)
        there.spread(started[on])
        there.prepare()
        there.run(2)
        there.spread(None)
        there.run(1)
        assert bits(here) == bits(there), method
        assert here.histories == there.histories


@pytest.mark.slow
def test_pieces_are_the_traversals_of_one(started: dict[str, Workers]) -> None:
    """What tables learn does not depend on how many traversals advance together."""
    whole, cut = (
        hn.methods.DeepCFR("kuhn_poker", **{**SMALL, "approximation": "table", "together": n}) for n in (90, 40)
    )
    for solver in (whole, cut):
        solver.run(3)
    for ours, theirs in zip(whole.average().profile().strategies, cut.average().profile().strategies, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)  # samples come in another order, and so do sums


@pytest.mark.slow
def test_a_run_goes_on_with_other_workers(started: dict[str, Workers], tmp_path: Path) -> None:
    """Begun on workers, finished in this process."""
    whole = hn.solve("kuhn_poker", "sd-cfr", iterations=4, **SMALL)
    path = tmp_path / "run"
    hn.solve("kuhn_poker", "sd-cfr", iterations=2, checkpoint=path, on="processes", workers=2, **SMALL)
    rest = hn.solve(resume=path, iterations=4)
    for ours, theirs in zip(rest.profile.strategies, whole.profile.strategies, strict=True):
        assert ours.tobytes() == theirs.tobytes()


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(started: dict[str, Workers]) -> None:
    workers: Any = started["processes"]
    given: dict[str, Any] = {**SMALL, "traversals": 20_000, "together": 2000, "approximation": "table"}
    here, there = (hn.methods.DeepCFR("leduc_poker", **given) for _ in range(2))
    here.run(1)
    there.spread(workers)
    there.prepare()
    killer = threading.Timer(0.1, os.kill, (workers._workers[0].process.pid, signal.SIGKILL))
    killer.start()
    there.run(1)
    killer.join()
    assert bits(here) == bits(there)


@pytest.mark.slow
def test_a_halted_iteration_is_undone(started: dict[str, Workers]) -> None:
    solver = hn.methods.DREAM("kuhn_poker", **SMALL)
    solver.spread(started["processes"])
    solver.run(1)
    before, asked = bits(solver), [0]

    def enough() -> bool:
        asked[0] += 1
        return asked[0] > 3

    with patience(enough):
        solver.run(100)
    assert solver.iterations == 1
    assert bits(solver) == before


class Broken(Kuhn):
    """Pays two players three gains."""

    def gains(self, state: Any) -> Any:
        return (*super().gains(state), 0.0)


@pytest.mark.slow
def test_a_broken_promise_is_said_as_in_this_process(started: dict[str, Workers]) -> None:
    solver = hn.methods.SDCFR(hn.views.PlayedGame(Kuhn()), **SMALL)
    solver.game.rules = Broken()
    solver.spread(started["processes"])
    with pytest.raises(RulesError, match="gains"):
        solver.run(1)


def test_what_cannot_be_split_or_sent_is_refused() -> None:
    class Local(Kuhn):
        pass

    solver = hn.methods.SDCFR(Local(), **SMALL)
    with workers_of("serial") as serial, pytest.raises(ParameterError, match="cannot be sent to another process"):
        solver.spread(serial)
    solver.device = "cuda"
    with workers_of("serial") as serial, pytest.raises(UnsuitableError, match="on a CUDA card stay in this process"):
        solver.spread(serial)
    with pytest.raises(ParameterError, match="together=0"):
        hn.methods.SDCFR("kuhn_poker", together=0)
