"""The same pieces give the same results on every back end, whatever happens to workers."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import numpy as np
import pytest

from hannan.errors import DeviceError, ParameterError, PieceError
from hannan.interrupts import Halted, patience
from hannan.pieces import Workers, run_pieces, workers_of
from tests.pieces import work

BACKENDS = ["serial", "processes", "ray"]
DISTANT = ["processes", "ray"]


@pytest.fixture(scope="module")
def started() -> Iterator[dict[str, Workers]]:
    """Two workers of each kind, started once for all tests of this file."""
    with workers_of("serial") as serial, workers_of("processes", 2) as processes, workers_of("ray", 2) as ray:
        yield {"serial": serial, "processes": processes, "ray": ray}


def test_a_cluster_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(DeviceError, match="Ray cannot be reached"):
        workers_of("ray", 1)


@pytest.mark.slow
@pytest.mark.parametrize("on", BACKENDS)
@pytest.mark.parametrize("ordered", [True, False])
def test_results_do_not_depend_on_the_back_end(started: dict[str, Workers], on: str, ordered: bool) -> None:
    expected = [(seed, work.drawn(3.0, seed)) for seed in range(200)]
    found = list(run_pieces(work.drawn, range(200), started[on], shared=3.0, ordered=ordered))
    assert (found if ordered else sorted(found)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("on", BACKENDS)
def test_finished_pieces_are_left_out_and_iterators_are_read_as_needed(started: dict[str, Workers], on: str) -> None:
    read: list[int] = []

    def seeds() -> Iterator[int]:
        for seed in count():
            read.append(seed)
            yield seed

    run = run_pieces(work.drawn, seeds(), started[on], shared=0.0, finished={0, 2}, in_flight=10)
    assert [number for number, _ in islice(run, 5)] == [1, 3, 4, 5, 6]
    assert len(read) <= 5 + 10 + 2
    assert list(run_pieces(work.drawn, [7], started[on], shared=1.0)) == [(0, work.drawn(1.0, 7))]  # after a left run


@pytest.mark.slow
@pytest.mark.parametrize("on", BACKENDS)
def test_an_error_names_its_piece(started: dict[str, Workers], on: str) -> None:
    with pytest.raises(PieceError, match=r"^piece 5: ValueError: no 5$") as caught:
        list(run_pieces(work.refusing, range(9), started[on], shared=5))
    assert caught.value.number == 5
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.slow
@pytest.mark.parametrize("on", DISTANT)
def test_a_piece_whose_worker_dies_is_made_again(started: dict[str, Workers], on: str, tmp_path: Path) -> None:
    shared = f"{tmp_path}|2"
    assert list(run_pieces(work.dying, range(8), started[on], shared=shared)) == [(k, 2 * k) for k in range(8)]
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.slow
@pytest.mark.parametrize("on", DISTANT)
def test_a_piece_that_kills_every_worker_ends_the_run(started: dict[str, Workers], on: str, tmp_path: Path) -> None:
    with pytest.raises(PieceError, match=r"^piece 3: its worker was lost 2 times; the last time, .*") as caught:
        list(run_pieces(work.dying, range(8), started[on], shared=f"{tmp_path}|9", retries=1))
    assert caught.value.number == 3


@pytest.mark.slow
@pytest.mark.parametrize("on", DISTANT)
def test_a_hanging_piece_is_stopped_and_made_again(started: dict[str, Workers], on: str, tmp_path: Path) -> None:
    run = run_pieces(work.hanging, range(4), started[on], shared=str(tmp_path), timeout=0.5)
    assert list(run) == [(k, k) for k in range(4)]
    (tmp_path / "mark").unlink()
    with pytest.raises(PieceError, match=r"^piece 1: its worker was lost once; the last time, it took longer than 0.5"):
        list(run_pieces(work.hanging, range(4), started[on], shared=str(tmp_path), timeout=0.5, retries=0))


@pytest.mark.slow
@pytest.mark.parametrize("on", DISTANT)
def test_large_arrays_are_one_copy_and_read_only(started: dict[str, Workers], on: str) -> None:
    array = np.arange(16 << 20, dtype=np.float64)  # 128 MB
    shared = {"large": array}
    expected = [(k, (float(array[k::7].sum()), False)) for k in range(3)]
    assert list(run_pieces(work.writing, range(3), started[on], shared=shared)) == expected
    alone = [size for _, size in run_pieces(work.mapped, range(2), started[on], shared=shared)]
    idle = [size for _, size in run_pieces(work.mapped, range(2), started[on], shared={"large": array[:10]})]
    assert max(alone) - min(idle) < 20 << 20


@pytest.mark.slow
@pytest.mark.parametrize("on", DISTANT)
def test_what_is_shared_travels_once(started: dict[str, Workers], on: str) -> None:
    """A second run finds the object of the first, and with it what pieces have made of it."""
    shared, made = {"made": 0}, list[int]()
    for _ in range(3):
        made += [number for _, number in run_pieces(work.counted, range(4), started[on], shared=shared)]
    assert max(made) >= 6  # of 12 pieces, one of two workers has made half


@pytest.mark.slow
@pytest.mark.parametrize("on", DISTANT)
def test_a_wish_to_stop_is_heard_while_workers_work(started: dict[str, Workers], on: str, tmp_path: Path) -> None:
    run = run_pieces(work.hanging, range(4), started[on], shared=str(tmp_path))
    assert next(run) == (0, 0)
    with patience(lambda: True), pytest.raises(Halted):
        next(run)


@pytest.mark.slow
def test_kills_at_random_moments_change_nothing(started: dict[str, Workers]) -> None:
    """Processes die while they start, unpack, work and answer."""
    workers = started["processes"]
    expected = [(seed, work.drawn(1.0, seed)) for seed in range(3000)]
    over = threading.Event()

    def kill() -> None:
        draws = np.random.default_rng(0)
        for _ in range(12):
            if over.wait(draws.exponential(0.15)):
                return
            victim = workers._workers[draws.integers(2)]  # type: ignore[attr-defined]
            if victim.process.poll() is None:
                os.kill(victim.process.pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        for _ in range(4):
            assert list(run_pieces(work.drawn, range(3000), workers, shared=1.0, retries=12)) == expected
            time.sleep(0.1)
    finally:
        over.set()
        killer.join()


@pytest.mark.parametrize("on", ["threads", "ray://", ""])
def test_a_back_end_that_does_not_exist_is_refused(on: str) -> None:
    with pytest.raises(ParameterError, match=r"on is .*; it should be serial, processes, ray or ray://HOST:PORT"):
        workers_of(on)


@pytest.mark.slow
def test_what_cannot_travel_is_named(started: dict[str, Workers]) -> None:
    with pytest.raises(ParameterError, match="the function cannot be sent to another process"):
        list(run_pieces(lambda shared, argument: argument, [1], started["processes"]))
    with pytest.raises(ParameterError, match="what the pieces share cannot be sent"):
        list(run_pieces(work.whose, [1], started["processes"], shared=threading.Lock()))
    with pytest.raises(ParameterError, match="what the pieces share cannot be sent"):
        list(run_pieces(work.whose, [1], started["ray"], shared=threading.Lock()))


@pytest.mark.slow
@pytest.mark.parametrize("on", BACKENDS)
def test_results_of_a_run_that_was_left_are_no_results_of_the_next(started: dict[str, Workers], on: str) -> None:
    """The first run leaves many results under way, under the numbers of the second run's pieces."""
    for _ in range(5):
        left = run_pieces(work.drawn, range(500), started[on], shared=100.0)
        assert next(left) == (0, work.drawn(100.0, 0))
        again = list(run_pieces(work.drawn, range(100), started[on], shared=-100.0))
        assert again == [(seed, work.drawn(-100.0, seed)) for seed in range(100)]


@pytest.mark.slow
def test_a_late_result_on_ray_is_not_taken_for_another_piece(started: dict[str, Workers]) -> None:
    """Piece 1 of the first run lies in the pipe when the second run begins."""
    workers = started["ray"]
    left = run_pieces(work.later, range(2), workers, shared=0.5)
    assert next(left) == (0, 0)
    assert workers._bridge.output.poll(30)  # type: ignore[attr-defined]
    again = list(run_pieces(work.drawn, range(4), workers, shared=7.0))
    assert again == [(seed, work.drawn(7.0, seed)) for seed in range(4)]
