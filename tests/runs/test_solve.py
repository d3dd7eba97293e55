"""The loop: when it stops, what it reports, and that it gives the same answer however it is cut into pieces."""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import threading
from typing import Any

import pytest

from hannan.errors import ParameterError, UnknownNameError
from hannan.forms.loader import load
from hannan.measures.appraisal import evaluate
from hannan.runs.progress import Limits, Progress, limits
from hannan.runs.result import Result
from hannan.runs.run import Run
from hannan.runs.solve import solve
from hannan.runs.solve_work import Solving
from hannan.solvers.base import Solver
from hannan.solvers.fullwidth.cfr import CFR
from hannan.solvers.sampling.outcome_sampling import OutcomeSampling
from hannan.strategies.policy import Policy
from tests.clock import Clock
from tests.methods import FULL_WIDTH, UPDATES, solver_for
from tests.plaingames import Alone

KEYS = [
    "game", "method", "parameters", "updates", "iterations", "seconds", "stop", "gap", "nash_conv", "exploitability",
    "gains", "cce_gap", "values", "seed",
]  # fmt: skip
"""In the order of design.md."""


def _strategies(result: Result) -> list[bytes]:
    return [strategy.tobytes() for strategy in result.profile.strategies]


def test_stops_at_the_gap() -> None:
    found = solve("kuhn_poker", "cfr+", gap=1e-3)
    assert found.stop == "gap"
    assert found.gap <= 1e-3
    assert found.gap == found.nash_conv == evaluate("kuhn_poker", found.profile).nash_conv
    assert all(point.gap > 1e-3 for point in found.curve[:-1])


@pytest.mark.parametrize("iterations", [0, 1, 2, 17, 5000])
def test_stops_after_so_many_iterations(iterations: int) -> None:
    found = solve("kuhn_poker", "cfr", iterations=iterations)
    assert found.stop == "iterations"
    assert found.iterations == iterations
    by_hand = CFR("kuhn_poker")
    by_hand.run(iterations)
    assert _strategies(found) == [s.tobytes() for s in by_hand.average().strategies]


class Ticking(CFR):
    """Takes 20 ms an iteration of a clock that nothing else moves."""

    clock = Clock()

    def run(self, iterations: int) -> None:
        super().run(iterations)
        self.clock.now += 0.02 * iterations


def run(solver: Solver, until: Limits, **how: Any) -> Result:
    """Drive a solver that was made by hand."""
    about = {name: how.pop(name) for name in ("variance", "seed") if name in how}
    estimating = how.pop("estimating", None)
    driven = Run(Solving(solver, **about), until, **how)
    driven.estimating = estimating or driven.estimating
    return driven.finish()


def test_stops_after_so_many_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks at the clock about every 0.1 s of solving; the rest is measuring, not counted."""
    monkeypatch.setattr(sys.modules["hannan.runs.run"], "time", Ticking.clock)
    found = run(Ticking("leduc_poker"), Limits(seconds=0.3))
    assert found.stop == "seconds"
    assert found.seconds == pytest.approx(0.02 * found.iterations)
    assert 0.3 <= found.seconds <= 0.4
    assert [point.seconds for point in found.curve] == pytest.approx([0.02 * p.iteration for p in found.curve])


def test_seconds_of_zero() -> None:
    found = solve("kuhn_poker", "cfr", seconds=0)
    assert found.stop == "seconds"
    assert found.iterations >= 1


def test_the_first_limit_counts() -> None:
    assert solve("kuhn_poker", "cfr", gap=1e-12, iterations=10, seconds=60).stop == "iterations"
    assert solve("kuhn_poker", "cfr", gap=0.5, iterations=10**6, seconds=60).stop == "gap"
    assert solve("leduc_poker", "cfr", gap=1e-12, iterations=10**9, seconds=0.0).stop == "seconds"


def test_without_limits() -> None:
    """Documented: gap 1e-4, or 100,000 iterations at the latest."""
    assert limits() == Limits(1e-4, 100_000, None)
    assert limits(None, 5, None) == Limits(None, 5, None)
    assert limits(0.1, None, None) == Limits(0.1, None, None)
    found = solve("kuhn_poker", "cfr+")
    assert found.stop == "gap"
    assert found.gap <= 1e-4


@pytest.mark.parametrize("name", ["gap", "iterations", "seconds"])
@pytest.mark.parametrize("number", [-1, math.nan, math.inf, True, "ten"])
def test_bad_limits(name: str, number: Any) -> None:
    with pytest.raises(ParameterError, match=f"{name}=.* should be"):
        solve("kuhn_poker", "cfr", **{name: number})


def test_half_an_iteration() -> None:
    half: Any = 2.5
    with pytest.raises(ParameterError, match=r"iterations=2\.5 should be a whole number"):
        solve("kuhn_poker", "cfr", iterations=half)


@pytest.mark.parametrize("count", [-1, 1.5, True, "3"])
def test_bad_counts(count: Any) -> None:
    with pytest.raises(ParameterError, match="should be a whole number, 0 or more"):
        CFR("kuhn_poker").run(count)


@pytest.mark.parametrize(
    ("method", "more", "sentence"),
    [
        ("cfr++", {}, r"method 'cfr\+\+' does not exist; did you mean 'cfr\+'"),
        ("PCFR", {}, "method 'PCFR' does not exist"),
        ("", {}, "method '' does not exist"),
        ("cfr", {"updates": "alternate"}, "updates='alternate' is not known; did you mean 'alternating'"),
        ("cfr", {"alpha": 1.0}, "alpha"),
        ("dcfr(alpa=1)", {}, "alpa"),
        ("dcfr(alpha=word)", {}, "alpha='word' should be a finite number"),
        ("dcfr(alpha=1", {}, "name"),
        ("dcfr", {"gamma": math.inf}, "gamma=inf should be a finite number"),
        ("dcfr", {"beta": True}, "beta=True"),
        ("cfr-hedge", {"decreasing": "no"}, "decreasing='no' should be true or false"),
        ("cfr-hedge(decreasing=1)", {}, "decreasing=1 should be true or false"),
    ],
)
def test_bad_methods_name_what_is_meant(method: str, more: dict[str, Any], sentence: str) -> None:
    with pytest.raises((UnknownNameError, ParameterError), match=sentence):
        solve("kuhn_poker", method, iterations=1, **more)


@pytest.mark.parametrize(
    "powers", [{"alpha": 200.0}, {"alpha": 1e6}, {"beta": -1e6}, {"gamma": 1e6}, {"beta": 1e6}, {"gamma": 0}], ids=str
)
def test_large_powers_work(powers: dict[str, Any]) -> None:
    """They must not lead to warnings, nor to what is no longer the method.

    However the past is discounted, 300 iterations on Kuhn poker leave NashConv below 0.5: uniform play has 0.92, and
    DCFR with any of these powers at its limit (0 or 1 for each discount) is a known method that goes far below.
    """
    assert solve("kuhn_poker", "dcfr", iterations=300, **powers).nash_conv < 0.5


def test_a_negative_power_of_averaging_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"gamma=-1\.0 should be 0 or more"):
        solve("kuhn_poker", "dcfr", iterations=300, gamma=-1.0)


def test_parameters_by_address_and_by_keyword() -> None:
    runs = [
        solve("kuhn_poker", "dcfr(alpha=2,gamma=3)", iterations=20),
        solve("kuhn_poker", "dcfr", alpha=2, gamma=3, iterations=20),
    ]
    assert _strategies(runs[0]) == _strategies(runs[1])
    assert _strategies(runs[0]) != _strategies(solve("kuhn_poker", "dcfr", iterations=20))


@pytest.mark.parametrize(
    ("game", "method", "updates", "reason"),
    [
        ("kuhn_poker", "auto", "alternating", "two players with opposed interests"),
        ("chicken", "cfr", "simultaneous", "general-sum"),
        ("kuhn_poker(players=3)", "cfr", "simultaneous", "3 players"),
        (Alone(), "cfr", "simultaneous", "one player"),
    ],
)
def test_auto_says_why(game: Any, method: str, updates: str, reason: str) -> None:
    found = solve(game, iterations=2)
    assert (found.method, found.updates) == (method, updates)
    assert found.why.startswith(reason)
    assert solve(game, "cfr", iterations=2).why == ""
    assert solve(game, iterations=2, updates="alternating").updates == "alternating"


@pytest.mark.parametrize("game", ["kuhn_poker", "chicken", "kuhn_poker(players=3)"])
def test_record_has_the_keys_of_the_design(game: str) -> None:
    found = solve(game, iterations=10, seed=3)
    record = json.loads(json.dumps(found.record()))
    assert list(record) == [*KEYS, *(["winner"] if found.method == "auto" else [])]
    assert record["game"] == game
    assert record["seed"] == 3
    assert len(record["gains"]) == len(record["values"]) == load(game).players
    assert record["nash_conv"] == pytest.approx(sum(record["gains"]), abs=1e-15)
    assert record["exploitability"] == record["nash_conv"] / load(game).players
    assert record["gap"] == (record["nash_conv"] if game == "kuhn_poker" else record["cce_gap"])
    assert repr(found).startswith(f"Result({game} by ")
    assert found._repr_html_().count("<tr>") == len(record)
    assert found.profile.facts["method"] == found.method


class Interrupted(CFR):
    """Presses Ctrl-C in the middle of iteration 30."""

    def run(self, iterations: int) -> None:
        if self.iterations < 30 <= self.iterations + iterations:
            interrupt()
        super().run(iterations)


def test_an_interrupt_ends_well() -> None:
    before = signal.getsignal(signal.SIGINT)
    found = run(Interrupted("kuhn_poker"), Limits(iterations=10_000))
    assert found.stop == "interrupted"
    assert 30 <= found.iterations < 10_000
    assert evaluate("kuhn_poker", found.profile).nash_conv == found.nash_conv
    assert found.curve[-1].iteration == found.iterations
    assert signal.getsignal(signal.SIGINT) is before


def test_solving_in_a_thread() -> None:
    """Signals can be caught in the main thread alone; elsewhere it must just work."""
    found: list[Result] = []
    thread = threading.Thread(target=lambda: found.append(solve("kuhn_poker", iterations=10)))
    thread.start()
    thread.join()
    assert found[0].iterations == 10


@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("method", FULL_WIDTH)
@pytest.mark.parametrize("game", ["kuhn_poker", "kuhn_poker(players=3)"])
def test_pieces_do_not_matter(game: str, method: str, updates: str) -> None:
    """One by one, in one go, and across the length at which schedules are laid out anew: the same bits."""

    def state(pieces: list[int]) -> dict[str, bytes]:
        solver: Solver = solver_for(method, game, iterations=60, updates=updates)
        for piece in pieces:
            solver.run(piece)
        return {name: array.tobytes() for name, array in solver.state().items()}

    whole = state([60])
    assert state([1] * 60) == whole
    assert state([7, 0, 23, 30]) == whole


def test_long_runs_are_chunked_without_a_trace() -> None:
    whole, pieces = CFR("kuhn_poker"), CFR("kuhn_poker")
    whole.run(10_000)
    for piece in (4096, 1, 4095, 1808):
        pieces.run(piece)
    assert all((a == b).all() for a, b in zip(whole.state().values(), pieces.state().values(), strict=True))


@pytest.mark.parametrize("game", ["kuhn_poker", "random_game(seed=2,players=3,chance=2)"])
def test_the_same_run_twice(game: str) -> None:
    runs = [solve(game, iterations=500) for _ in range(2)]
    assert _strategies(runs[0]) == _strategies(runs[1])
    assert [(p.iteration, p.gap) for p in runs[0].curve] == [(p.iteration, p.gap) for p in runs[1].curve]
    assert {**runs[0].record(), "seconds": 0} == {**runs[1].record(), "seconds": 0}


def test_progress_is_told() -> None:
    seen: list[Progress] = []
    solve("kuhn_poker", iterations=100, progress=seen.append)
    assert [p.iteration for p in seen] == sorted({p.iteration for p in seen})
    assert seen[-1].iteration == 100
    assert all(p.left is None or p.left >= 0 for p in seen)
    assert seen[0].gap is None
    assert seen[-1].gap is not None


def test_results_do_not_change_later() -> None:
    solver = CFR("kuhn_poker")
    solver.run(5)
    average, current = solver.average(), solver.current()
    kept = [s.tobytes() for s in (*average.strategies, *current.strategies)]
    solver.run(50)
    assert [s.tobytes() for s in (*average.strategies, *current.strategies)] == kept


LARGE = "liars_dice(dice=5)"


def interrupt(times: int = 1) -> None:
    for _ in range(times):
        os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_while_values_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 10^9 plays to make it would take hours; the first Ctrl-C of a run that is over ends them."""
    monkeypatch.setattr(sys.modules["hannan.measures.rollouts"], "PLAYS", 10**9)
    before = signal.getsignal(signal.SIGINT)
    told: list[int] = []

    def estimating(policy: Policy, plays: int) -> None:
        told.append(plays)
        interrupt()

    found = run(OutcomeSampling(LARGE), Limits(iterations=20), estimating=estimating)
    assert told == [10**9]
    assert (found.stop, found.iterations) == ("iterations", 20)
    assert found.half_widths is not None
    assert all(0 < width < 1 for width in found.half_widths)
    assert "plays for each player" in found.note
    assert signal.getsignal(signal.SIGINT) is before


def test_two_interrupts_end_well_and_a_third_is_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["hannan.measures.rollouts"], "PLAYS", 10**9)
    told: list[int] = []

    def again(times: int) -> Result:
        def estimating(policy: Policy, plays: int) -> None:
            told.append(plays)
            interrupt(times)

        until = Limits(iterations=10**9)
        return run(OutcomeSampling(LARGE), until, progress=lambda now: interrupt(), estimating=estimating)

    found = again(1)
    assert (found.stop, found.half_widths is not None) == ("interrupted", True)
    with pytest.raises(KeyboardInterrupt):
        again(2)
    assert told == [10**8] * 2


def test_a_gap_that_is_not_looked_at_is_named() -> None:
    sentence = "liars_dice(dice=5) is too large to measure a gap: the limit gap=0.1 is ignored"
    ignored = solve(LARGE, "mccfr-os", gap=0.1, iterations=5)
    assert (ignored.note, ignored.ignored_gap, ignored.remarks) == (sentence, 0.1, ())
    assert solve(LARGE, "mccfr-os", iterations=5).note == ""
    full = solve(LARGE, "mccfr-os", gap=0.1, iterations=10**6, memory_limit=3_000_000, table="full")
    assert full.note.startswith(f"{sentence}. the memory limit")
    assert full.remarks == (full.stopped,)
    assert solve("kuhn_poker", "mccfr-os", gap=0.1, iterations=5, over="rules").note == ""


@pytest.mark.parametrize("method", ["cfr", "mccfr-os", "mccfr-os(seed=1e30)"])
def test_seeds_have_a_range(method: str) -> None:
    given: dict[str, Any] = {} if "seed" in method else {"seed": 10**30}
    with pytest.raises(ParameterError, match=r"seed=1.* should be a whole number from -2\*\*63 to 2\*\*63 - 1"):
        solve("kuhn_poker", method, iterations=1, **given)
    with pytest.raises(ParameterError, match=r"seed=1\.5 should be"):
        solve("kuhn_poker", "cfr", iterations=1, seed=1.5)
    assert solve("kuhn_poker", "mccfr-os", iterations=1, seed=-(2**63)).seed == -(2**63)


def test_addresses_mean_what_parameters_take() -> None:
    found = solve("kuhn_poker", "vr-mccfr(baseline=none,memory_limit=1e9,alpha=2,streams=1e0)", iterations=1)
    assert found.iterations == 1
    assert solve("kuhn_poker", "hs-dcfr(horizon=1e2)", iterations=1).iterations == 1
    with pytest.raises(ParameterError, match=r"streams=1\.5"):
        solve("kuhn_poker", "mccfr-os(streams=1.5)", iterations=1)
