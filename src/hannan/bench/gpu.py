"""Iterations on a CUDA card and on the processor: one launch for many iterations, and the gap measured on the card.

An iteration must move once: every cell of the payoffs with the places it names, and for every sequence its strategy,
regret, reach and average, each read and written, and its gradient. Sequences at which nothing is at stake, and those
that are the only action of their set, are left out. The floor is these bytes over the speed of a copy on the same card
in the same run.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

from hannan.bench.child import in_child
from hannan.bench.large import lacking
from hannan.bench.rows import Figure, Row, Say, Section, Target, beside, faster, some
from hannan.bench.stopwatch import Effort, figure, interleaved, repeated, seconds_of
from hannan.errors import DeviceError
from hannan.forms.loader import load_expanded

CASES = {
    "Leduc": ("leduc_poker", 0.03e-3, 0),
    "liar's dice-6": ("liars_dice(faces=6)", 0.1e-3, 0),
    "battleship of 2,271,795 histories": ("battleship(height=3)", 0.08e-3, 0),
    "battleship of 52,081,183 histories": ("battleship(height=3,width=3,ship_sizes=[1,2],shots=2)", 0.14e-3, 8 << 30),
    "liar's dice of two dice with 5 faces": ("liars_dice(faces=5,dice=2)", 3.5e-3, 40 << 30),
}
"""Addresses, the most seconds of an iteration, and the free memory of the machine that a game needs."""

TWICE = Target(2.0, least=False)
"""A gap should take at most as long as this many iterations."""


def run(quick: bool, say: Say) -> Section:
    """Time every game that fits; with `quick`, the first."""
    rows, notes = list[Row](), list[str]()
    for name, (address, most, memory) in some(CASES, quick):
        if lacking(name, memory, notes):
            continue
        say(f"gpu: {name}")
        told = in_child("gpu:solve", address=address, quick=quick)
        if "missing" in told:
            return Section("gpu", (), (told["missing"],))
        card, processor = figure("hannan, the card", told["card"]), figure("hannan, one thread", told["processor"])
        target = Target(most, least=False, of="ours", unit="s")
        rows.append(Row(f"{name}, an iteration", card, processor, processor.value / card.value, target))
        halved = figure("hannan, float32 payoffs", told["halved"])
        rows.append(faster(f"{name}, an iteration, float32", halved, card))
        measured = figure("hannan, the card", told["measured"])
        rows.append(beside(f"{name}, NashConv", measured, Figure("an iteration", card.value), TWICE))
        floor = Figure("its bytes at the speed of a copy", told["bytes"] / told["speed"])
        rows.append(beside(f"{name}, above the floor", card, floor))
        notes.append(
            f"{name}: {told['bytes'] / 1e6:,.1f} MB an iteration, {floor.value / card.value:.0%} of the speed of a "
            f"copy ({told['speed'] / 1e12:.2f} TB/s on {told['device']}); laid out in {told['laid_out']:.1f} s, "
            f"{told['filled']:.0%} of the cells hold a payoff"
        )
    return Section("gpu", tuple(rows), tuple(notes))


def solve(address: str, quick: bool) -> dict[str, Any]:
    """Time iterations of CFR on the card and on the processor in turns, and the measuring of the gap."""
    from hannan.layouts.cuda.slices import slices_of
    from hannan.solvers.fullwidth.cfr import CFR

    try:
        CFR("kuhn_poker", device="cuda")
    except DeviceError as error:
        return {"missing": str(error)}
    game = load_expanded(address)
    laid_out = seconds_of(lambda: slices_of(game.form, contracted=True))
    slices = slices_of(game.form, contracted=True)
    idle = slices.idle[slices.idle[:, 1] > 1, 1].sum()
    visited = len(slices.place) - len(slices.forced) - int(idle)
    card, halved = CFR(game, device="cuda"), CFR(game, device="cuda", payoffs="float32")
    processor = CFR(game)
    effort = Effort(0.5, 3, 5) if quick else Effort(1.0, 3, 7)
    times = interleaved([card.run, halved.run, repeated(card.measured), processor.run], effort)
    cupy = import_module("cupy")
    speed = _copy_speed(cupy)
    return {
        **dict(zip(("card", "halved", "measured", "processor"), times, strict=True)),
        "laid_out": laid_out,
        "filled": game.players * game.form.entries / slices.payoff.size,
        "bytes": slices.payoff.nbytes + slices.other.nbytes + 10 * 8 * visited,
        "speed": speed,
        "device": cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(),
    }


def _copy_speed(cupy: Any) -> float:
    """Return the bytes per second, read and written, of a copy that is larger than any cache."""
    source = cupy.zeros(1 << 27)
    target = cupy.empty_like(source)
    best = 0.0
    for _ in range(5):
        cupy.cuda.get_current_stream().synchronize()
        begun = time.perf_counter()
        for _ in range(10):
            cupy.copyto(target, source)
        cupy.cuda.get_current_stream().synchronize()
        best = max(best, 20 * source.nbytes / (time.perf_counter() - begun))
    return best
