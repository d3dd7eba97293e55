"""Saving never ends a run: whatever cannot be written, there is a result, and a sentence."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.interrupts import SIGNALS, Terminated, interrupts, terminating
from hannan.runs.log import read_log
from hannan.runs.result import Result
from tests.runs.test_interruptions import COMMAND, begin, wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes as on Unix")

CALLS = ("fsync", "replace", "chmod", "listdir")


class Fault:
    """A call of the system that fails at the given times it is made, and at all others does what it should."""

    def __init__(self, call: Any, times: range) -> None:
        self.call, self.times, self.made = call, times, 0

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self.made += 1
        if self.made - 1 in self.times:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.call(*arguments, **options)


def run(**more: Any) -> Result:
    return hn.solve("kuhn_poker", "cfr", iterations=5, **more)


@pytest.mark.parametrize("call", CALLS)
def test_every_call_fails_once_and_the_result_stands(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault at each call in turn: result as without it, and a checkpoint that is whole."""
    alone, path = run(), tmp_path / "x"
    for moment in range(40):
        fault = Fault(getattr(os, call), range(moment, moment + 1))
        with monkeypatch.context() as patch:
            patch.setattr(os, call, fault)
            result = run(checkpoint=path, every=0.0)
        assert (result.nash_conv, result.stop) == (alone.nash_conv, "iterations")
        assert hn.resume(path).iterations == 5  # the last one is tried twice
        assert list(tmp_path.iterdir()) == [path]
        if fault.made <= moment:
            return
    raise AssertionError("this many calls were not expected")


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_always_fails(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone, path = run(), tmp_path / "x"
    run(checkpoint=path)
    before = path.read_bytes()
    monkeypatch.setattr(os, call, Fault(getattr(os, call), range(10**6)))
    with pytest.warns(UserWarning, match="its checkpoint was not written: .*No space left on device"):
        assert run(checkpoint=path, every=0.0).nash_conv == alone.nash_conv
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_no_memory_for_a_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(solver: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(hn.CFR, "state", none)
    with pytest.warns(UserWarning, match="x cannot be written: not enough memory for a copy of the state"):
        assert run(checkpoint=tmp_path / "x", every=0.0).stop == "iterations"


def test_memory_that_ends_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(solver: Any, iterations: int) -> None:
        raise MemoryError

    monkeypatch.setattr(hn.CFR, "run", none)
    with pytest.raises(
        hn.errors.SizeError, match=r"there is not enough memory to go on after 0 iterations; choose a smaller"
    ):
        run()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
def test_a_disk_that_fills_while_a_run_logs(tmp_path: Path) -> None:
    """No file may become longer than 250 bytes: the heading fits, measurements do not."""
    program = """
import resource, signal, sys
from hannan.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
main.__globals__["_run"]  # everything is imported, and compiled files are not cut
resource.setrlimit(resource.RLIMIT_FSIZE, (250, 250))
main()
"""
    log, cache = tmp_path / "x.log", {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    line = [sys.executable, "-c", program, "solve", "kuhn_poker", "--method", "cfr", "--iterations", "9", "--json"]
    ran = subprocess.run([*line, "--log", log], capture_output=True, text=True, env=cache, check=False)
    assert '"iterations": 9' in ran.stdout, ran.stderr
    assert ran.returncode == 2
    assert ran.stderr.count("x.log cannot be written: File too large; the run goes on, and it is tried again") == 1
    assert ran.stderr.rstrip().endswith("x.log cannot be written: File too large")
    assert read_log(log).curve == ()


@pytest.mark.slow
@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_signals_end_a_run_like_ctrl_c(number: str, tmp_path: Path) -> None:
    log, checkpoint = tmp_path / "x.log", tmp_path / "x.checkpoint"
    saving = ["--log", log, "--out", tmp_path / "x.strategy", "--checkpoint", checkpoint]
    before = signal.signal(getattr(signal, number), signal.SIG_DFL)  # under nohup it is ignored, by children too
    process = begin("solve", "kuhn_poker", "--method", "cfr", "--iterations", 10**9, "--json", *saving)
    signal.signal(getattr(signal, number), before)
    wait_for(log, process)
    process.send_signal(getattr(signal, number))
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert '"stop": "interrupted"' in out
    assert read_log(log).stop == "interrupted"
    assert hn.resume(checkpoint).iterations > 0
    assert (tmp_path / "x.strategy").is_file()


@pytest.mark.slow
def test_a_hangup_under_nohup_is_not_heard(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    quiet = f"import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); {COMMAND[-1]}"
    line = ["solve", "kuhn_poker", "--method", "cfr", "--iterations", 10**9, "--log", log, "--json"]
    process = begin(*line, program=[sys.executable, "-c", quiet])
    wait_for(log, process)
    process.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    process.terminate()
    out, _ = process.communicate()
    assert '"stop": "interrupted"' in out


@pytest.mark.slow
def test_a_reader_that_leaves_loses_no_strategy(tmp_path: Path) -> None:
    """Standard output is a pipe that nobody reads: the strategy is written all the same."""
    reading, writing = os.pipe()
    os.close(reading)
    line = [*COMMAND, "solve", "kuhn_poker", "--method", "cfr", "--iterations", "3", "--json"]
    ran = subprocess.run([*line, "--out", tmp_path / "x.strategy"], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert ran.returncode == 1
    assert hn.read(tmp_path / "x.strategy") is not None


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on what a process may allocate")
def test_memory_that_ends_leaves_policy_checkpoint_and_result(tmp_path: Path) -> None:
    """A sampler on rules under `ulimit -v`: the command ends by itself, with everything written, and well below."""
    program = """
import resource
from hannan.cli import main
import hannan.kernels.sampling.walks, hannan.runs.solve, hannan.games.goofspiel
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 600 * 2**20, -1))
main()
"""
    policy, checkpoint = tmp_path / "x.strategy", tmp_path / "x.checkpoint"
    line = [sys.executable, "-c", program, "solve", "goofspiel(cards=13)", "--method", "mccfr-os", "--json"]
    ran = subprocess.run(
        [*line, "--iterations", "1e9", "--out", policy, "--checkpoint", checkpoint, "--every", "1"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert '"stop": "memory"' in ran.stdout
    assert "the result so far stands" in ran.stderr
    strategy = hn.read(policy)
    assert isinstance(strategy, hn.Policy)
    assert strategy.sets > 10_000
    assert hn.resume(checkpoint, memory_limit="10GB").iterations > 1000


@pytest.fixture
def signals() -> Iterator[None]:
    """Put the handlers back that a test leaves behind."""
    before = {one: signal.getsignal(one) for one in SIGNALS}
    for one in SIGNALS[1:]:
        signal.signal(one, signal.SIG_DFL)
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.usefixtures("signals")
def test_several_polite_signals_are_no_less_polite_than_one() -> None:
    """A terminal that is closed, or a group that is killed, sends more than one: the result is not lost by them."""
    with terminating():
        with interrupts(1) as presses:
            for one in (signal.SIGTERM, signal.SIGHUP, signal.SIGTERM):
                signal.raise_signal(one)
            assert presses() == 1
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)  # while the result is printed and saved
    signal.raise_signal(signal.SIGHUP)  # while Python ends


@pytest.mark.usefixtures("signals")
def test_before_a_run_polite_signals_end_a_command_as_ctrl_c_does() -> None:
    with terminating(), pytest.raises(Terminated):
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    with interrupts(1) as presses:
        signal.raise_signal(signal.SIGTERM)
        assert presses() == 1
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL  # outside of the command line nothing changes


@pytest.mark.parametrize(("wish", "code"), [(KeyboardInterrupt(), 130), (Terminated(15), 143), (Terminated(1), 129)])
def test_a_command_that_is_interrupted_says_so(
    wish: BaseException, code: int, hannan: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def games() -> None:
        raise wish

    monkeypatch.setattr("hannan.cli.games.games", games)
    ran = hannan("games")
    assert (ran.code, ran.err) == (code, "hannan: interrupted\n")
