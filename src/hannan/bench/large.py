"""The ladder of battleships: seconds per iteration on one and two threads, next to published ones; then liar's dice.

Published: OpenSpiel's C++ solver and a sparse-matrix solver on a GPU, by Kim and Sandholm (2026). Every game is
compiled and solved in a process of its own, once. Liar's dice with two dice of five faces has over a billion histories.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from hannan.bench.child import in_child, peak
from hannan.bench.profile import shares
from hannan.bench.rows import Figure, Row, Say, Section, alone, faster, some
from hannan.bench.stopwatch import Effort, busy, figure, interleaved
from hannan.forms.loader import load
from hannan.forms.walks import watching
from hannan.memory import available, readable

BYTES_PER_HISTORY = 30
"""The free memory that a game needs to be measured."""

LADDER = {
    "battleship": (58_709, 0.168, 0.024),
    "battleship(height=3)": (2_271_795, 5.4, 0.026),
    "battleship(height=4,width=4,ship_sizes=[1],shots=2)": (14_811_409, 22.8, 0.019),
    "battleship(height=3,width=3,ship_sizes=[1,2],shots=2)": (52_081_183, 89.6, 0.022),
}
"""Histories, and the published seconds per iteration on a processor and on a GPU."""

BILLION = "liars_dice(faces=5,dice=2)"
MOST_BYTES = 18e9
"""The most bytes of memory that compiling it may take."""

SECONDS = 15
"""Seconds between two reports of a long walk."""

FEW = 5
"""Iterations on the game of a billion histories."""

THREADS = 1.6
"""How many times faster two threads should be, on the two largest games."""


def run(quick: bool, say: Say) -> Section:
    """Solve the ladder; with `quick`, its first step."""
    rows, notes = list[Row](), list[str]()
    for address, (histories, processor, gpu) in some(LADDER, quick):
        name = f"battleship of {histories:,} histories"
        if lacking(name, BYTES_PER_HISTORY * histories, notes):
            continue
        say(f"large: {name}")
        told = in_child("large:solve", address=address, quick=quick)
        assert told["histories"] == histories
        one, two = figure("hannan, one thread", told["one"]), figure("hannan, two threads", told["two"])
        rows.append(faster(f"{name}, an iteration", one, Figure("OpenSpiel's C++ (published)", processor)))
        rows.append(faster(f"{name}, an iteration", two, Figure("a GPU (published)", gpu), note="two threads"))
        least = THREADS if histories > 10_000_000 else None
        rows.append(faster(f"{name}, two threads against one", two, one, least))
        spent = ", ".join(f"{part} {share:.0%}" for part, share in told["shares"].items())
        notes.append(
            f"{name}: compiled in {told['compiled']:.2f} s, laid out in {told['laid_out']:.2f} s; "
            f"{told['iterations']} iterations came to NashConv {told['nash_conv']:.4g}, measured in "
            f"{told['measured']:.2f} s; the peak before that was {readable(told['peak'])} "
            f"({told['peak'] / histories:.0f} bytes a history); of the time of an iteration on one thread, {spent}"
            + ("" if not told["others"] else f"; other processes kept {told['others']:.1f} cores busy")
        )
    if not quick:
        _billion(rows, notes, say)
    return Section("large", tuple(rows), tuple(notes))


def lacking(name: str, need: float, notes: list[str]) -> bool:
    """Return whether there is less free memory than a game may need; if so, note that the game is left out."""
    free = available()
    if free < need:
        notes.append(f"{name}: left out, {readable(free)} of memory are free and {readable(need)} may be needed")
    return free < need


def _billion(rows: list[Row], notes: list[str], say: Say) -> None:
    """Compile and solve a game of over a billion histories, if there is memory for it."""
    if lacking(BILLION, MOST_BYTES, notes):
        return
    say(f"large: {BILLION}")
    told = in_child("large:solve_once", shown=True, address=BILLION)
    compiled, peaked = Figure("hannan", told["compiled"]), Figure("hannan", told["peak_compiled"], "bytes")
    name = f"{BILLION}, {told['histories']:,} histories"
    rows.append(alone(f"{name}, compiling on all cores", compiled, most=600.0))
    rows.append(alone(f"{name}, peak of compiling", peaked, most=MOST_BYTES))
    rows.append(Row(f"{name}, an iteration", Figure("hannan, two threads", told["iteration"])))
    notes.append(
        f"{name}: {told['entries']:,} payoff entries, {told['sequences']:,} sequences; laid out in "
        f"{told['laid_out']:.0f} s; {told['iterations']} iterations came to NashConv {told['nash_conv']:.4g}, measured "
        f"in {told['measured']:.0f} s; the peak was {readable(told['peak_compiled'])} after compiling, "
        f"{readable(told['peak_iterated'])} after iterating, {readable(told['peak'])} at the end"
    )


def solve_once(address: str) -> dict[str, Any]:
    """Compile a game, run a few iterations on two threads, and measure the average; report progress."""
    from hannan.measures.appraisal import evaluate
    from hannan.solvers.fullwidth.cfr import CFR

    CFR("leduc_poker", threads=2).run(1)  # kernels are loaded
    game = load(address)
    begun = time.perf_counter()
    with watching(_Teller(begun)):
        form = game.expanded().form
    compiled = time.perf_counter()
    peak_compiled = peak()
    _tell(begun, f"compiled: {form.entries:,} payoff entries")
    solver = CFR(game, threads=2)
    solver.run(1)
    laid_out = time.perf_counter()
    _tell(begun, "laid out, and one iteration")
    solver.run(FEW)
    iterated = time.perf_counter()
    peak_iterated = peak()
    _tell(begun, f"{FEW} more iterations")
    nash_conv = evaluate(game, solver.average()).nash_conv
    _tell(begun, f"NashConv {nash_conv:.4g}")
    return {
        "histories": game.expanded().sizes.histories,
        "entries": form.entries,
        "sequences": sum(plex.sequences for plex in form.treeplexes),
        "compiled": compiled - begun,
        "peak_compiled": peak_compiled,
        "peak_iterated": peak_iterated,
        "laid_out": laid_out - compiled,
        "iteration": (iterated - laid_out) / FEW,
        "iterations": solver.iterations,
        "nash_conv": nash_conv,
        "measured": time.perf_counter() - iterated,
        "peak": peak(),
    }


class _Teller:
    """Reports the progress of a walk from time to time."""

    def __init__(self, begun: float) -> None:
        self._begun, self._next = begun, 0.0

    def __call__(self, histories: int, guess: float) -> None:
        now = time.perf_counter() - self._begun
        if now >= self._next:
            self._next = now + SECONDS
            _tell(self._begun, f"{histories:,} of about {guess:,.0f} histories, {histories / now:,.0f} a second")


def _tell(begun: float, what: str) -> None:
    """Print to standard error what was done, the time so far, and the peak of memory."""
    print(f"large: {time.perf_counter() - begun:6.0f} s, peak {readable(peak())}: {what}", file=sys.stderr, flush=True)


def solve(address: str, quick: bool) -> dict[str, Any]:
    """Compile a game, time iterations on one and on two threads in turns, and measure the average."""
    from hannan.measures.appraisal import evaluate
    from hannan.solvers.fullwidth.cfr import CFR

    CFR("battleship").run(1)  # kernels are loaded
    others = busy()
    begun = time.perf_counter()
    game = load(address).expanded()
    _ = game.form
    compiled = time.perf_counter()
    solvers = [CFR(game), CFR(game, threads=2)]
    laid_out = time.perf_counter()
    one, two = interleaved([solver.run for solver in solvers], Effort(1.0, 3, 5) if quick else Effort(5.0, 5, 25))
    best = max(solvers, key=lambda solver: solver.iterations)
    most = peak()
    before = time.perf_counter()
    nash_conv = evaluate(game, best.average()).nash_conv
    return {
        "histories": game.sizes.histories,
        "compiled": compiled - begun,
        "laid_out": laid_out - compiled,
        "one": one,
        "two": two,
        "iterations": best.iterations,
        "nash_conv": nash_conv,
        "measured": time.perf_counter() - before,
        "peak": most,
        "shares": shares(game, quick=True),
        "others": others,
    }
