"""Streams on workers: the bits of streams in this process, wherever rounds end and whatever happens to workers."""

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
from hannan.runs.solve import solve
from tests.games.plain import Kuhn
from tests.solvers.sampling.samplers import VARIANTS, bits, built, same


@pytest.fixture(scope="module")
def started() -> Iterator[dict[str, Workers]]:
    """Two workers of each kind, started once for all tests of this file; this Ray is no one else's."""
    ray = library("ray")
    ray.init(
        "local", num_cpus=3, object_store_memory=100 << 20, include_dashboard=False, log_to_driver=False,
        logging_level=logging.ERROR,
    )  # fmt: skip
    try:
        with workers_of("processes", 2) as processes, workers_of("ray", 2) as remote:
            yield {"processes": processes, "ray": remote}
    finally:
        ray.shutdown()


def spread(solver: Any, workers: Workers) -> Any:
    solver.spread(workers)
    solver.prepare()
    return solver


CASES = [
    ("external, simple", "leduc_poker", "tree"),
    ("outcome", "leduc_poker", "rules"),
    ("guided, reduced", "leduc_poker", "tree"),
    ("predictive", "goofspiel(cards=3)", "rules"),
    ("reduced", "kuhn_poker(players=3)", "tree"),
    ("external, weighted", Kuhn(), "rules"),
]


@pytest.mark.slow
@pytest.mark.parametrize("on", ["processes", "ray"])
def test_workers_change_no_bit(started: dict[str, Workers], on: str) -> None:
    for variant, game, over in CASES:
        make, parameters = VARIANTS[variant]
        parameters = {**parameters, "over": over, "streams": 3, "seed": 9}
        here, there = (built(make, game, parameters) for _ in range(2))
        here.run(60)
        spread(there, started[on])
        there.run(7)
        there.run(33)  # rounds end elsewhere
        assert there.iterations == 40
        assert there.average() is not None  # brings the streams home, which go on from there
        there.run(20)
        assert same(here, there), (variant, over)
        assert here.histories == there.histories
        there.spread(None)
        for solver in (here, there):
            solver.run(5)
        assert same(here, there), (variant, over)


@pytest.mark.slow
def test_a_run_goes_on_with_other_workers(started: dict[str, Workers], tmp_path: Path) -> None:
    """Begun on Ray, continued by processes, finished in this process."""
    whole = hn.solve("leduc_poker", "mccfr-es", streams=3, seed=2, iterations=90)
    path = tmp_path / "run"
    hn.solve("leduc_poker", "mccfr-es", streams=3, seed=2, iterations=30, checkpoint=path, on="ray", workers=1)
    hn.solve(resume=path, iterations=60, checkpoint=path, on="processes", workers=2)
    rest = hn.solve(resume=path, iterations=90, threads=2)
    assert [(point.iteration, point.gap) for point in rest.curve] == [
        (point.iteration, point.gap) for point in whole.curve
    ]
    for ours, theirs in zip(rest.profile.strategies, whole.profile.strategies, strict=True):
        assert ours.tobytes() == theirs.tobytes()


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(started: dict[str, Workers]) -> None:
    workers: Any = started["processes"]
    here, there = (hn.methods.ExternalSampling("leduc_poker", streams=4, seed=5) for _ in range(2))
    here.run(100_000)
    spread(there, workers)
    victim = workers._workers[0].process.pid
    killer = threading.Timer(0.05, os.kill, (victim, signal.SIGKILL))
    killer.start()
    there.run(100_000)
    killer.join()
    assert workers._workers[0].process.pid != victim  # it died in the middle, and another one took its place
    assert same(here, there)


@pytest.mark.slow
def test_a_halted_round_did_not_happen(started: dict[str, Workers]) -> None:
    here, there = (hn.methods.OutcomeSampling("leduc_poker", streams=2, seed=5) for _ in range(2))
    here.run(30)
    spread(there, started["processes"])
    there.run(30)
    before = bits(there)
    with patience(lambda: True):
        there.run(10**9)
    assert there.iterations == 30
    assert [a.tobytes() for a in before] == [a.tobytes() for a in bits(there)]
    assert same(here, there)


@pytest.mark.slow
def test_ctrl_c_gives_the_result_so_far() -> None:
    """The first measurement sends the signal, so that at least one iteration is whole."""
    told: list[int] = []

    def tell(progress: Any) -> None:
        if not told and progress.iteration > 0:
            told.append(progress.iteration)
            os.kill(os.getpid(), signal.SIGINT)

    given: dict[str, Any] = {"streams": 2, "seed": 1, "on": "processes", "workers": 2}
    result = hn.solve("leduc_poker", "mccfr-es", iterations=10**9, progress=tell, **given)
    assert result.stop == "interrupted"
    assert result.iterations >= told[0]
    alone = hn.solve("leduc_poker", "mccfr-es", iterations=result.iterations, streams=2, seed=1)
    assert result.gap == alone.gap


@pytest.mark.slow
def test_full_tables_stop_as_in_this_process(started: dict[str, Workers]) -> None:
    parameters: dict[str, Any] = {"over": "rules", "memory_limit": 440_000, "table": "full", "streams": 2, "seed": 1}
    here, there = (hn.methods.ExternalSampling("leduc_poker", **parameters) for _ in range(2))
    here.run(100_000)
    spread(there, started["processes"])
    for _ in range(4):
        there.run(25_000)
    assert "the memory limit" in there.stopped
    assert (here.iterations, here.stopped) == (there.iterations, there.stopped)
    assert same(here, there)


@pytest.mark.slow
@pytest.mark.parametrize("kept", [{"table": "growing"}, {"table": "bounded", "memory_limit": 700_000}])
def test_tables_that_leave_sets_out_go_on_as_in_this_process(started: dict[str, Workers], kept: dict[str, Any]) -> None:
    parameters: dict[str, Any] = {**kept, "over": "rules", "streams": 2, "seed": 1}
    here, there = (hn.methods.OutcomeSampling("liars_dice(faces=3,dice=2)", **parameters) for _ in range(2))
    here.run(1500)
    spread(there, started["processes"])
    for part in (100, 900, 500):
        there.run(part)
    assert not here.stopped
    assert np.array_equal(here.policy().probability, there.policy().probability)
    assert here.sets == there.sets


class Broken(Kuhn):
    """Pays two players three gains, where the pot is taken."""

    def gains(self, state: Any) -> Any:
        gains = super().gains(state)
        return (*gains, 0.0) if any(gains) else gains


@pytest.mark.slow
def test_a_broken_promise_is_said_as_in_this_process(started: dict[str, Workers]) -> None:
    sentences = []
    for workers in (None, started["processes"], started["ray"]):
        solver = hn.methods.OutcomeSampling(hn.views.PlayedGame(Broken()), over="rules", streams=2, seed=1)
        solver.spread(workers)
        with pytest.raises(RulesError) as caught:
            solver.run(20)
        sentences.append(str(caught.value))
    assert len(set(sentences)) == 1
    assert "gains" in sentences[0]


def test_methods_that_are_not_split_are_refused_by_name() -> None:
    for method, sentence in (
        ("cfr+", r"cfr\+ is not split into pieces: leave on out; threads=N uses N cores of this machine"),
        ("lp", "lp is not split into pieces: leave on out$"),
        ("komwu", "komwu is not split into pieces"),
        ("auto", "is not split into pieces"),
    ):
        with pytest.raises(UnsuitableError, match=sentence):
            hn.solve("kuhn_poker", method, iterations=3, on="processes")


def test_the_old_meaning_of_on_is_named() -> None:
    for word in ("tree", "rules", "auto"):
        with pytest.raises(ParameterError, match=rf"is called over now: over='{word}', or --over {word}"):
            hn.solve("kuhn_poker", "mccfr-es", iterations=3, on=word)


@pytest.mark.slow
def test_idle_workers_are_noted() -> None:
    run = solve.begin("kuhn_poker", "mccfr-es", iterations=3, on="processes", workers=2)
    assert (
        "1 worker works at the same time, of 2: each works on a stream of its own, and streams=N makes N" in run.notes
    )
    assert run.finish().iterations == 3
