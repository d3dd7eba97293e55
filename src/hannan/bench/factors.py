"""Factored payoffs: how many numbers replace the entries, and how long a gradient takes with them."""

from __future__ import annotations

import numpy as np

from hannan.bench.rows import Figure, Say, Section, faster, some
from hannan.bench.stopwatch import NORMAL, QUICK, Task, figure, interleaved, repeated
from hannan.forms.loader import load_expanded
from hannan.kernels.fullwidth.tiled import gradient
from hannan.layouts.factoring import Factors, factor
from hannan.layouts.tiles import Tiling, tile

GAMES = {"Leduc with 9 ranks": "leduc_poker(ranks=9)", "Leduc with 30 ranks": "leduc_poker(ranks=30)"}
FEWER, FASTER = 5.0, 2.0


def run(quick: bool, say: Say) -> Section:
    """Measure poker games; with `quick`, the smaller one."""
    rows = []
    for name, address in some(GAMES, quick):
        say(f"factors: {name}")
        form = load_expanded(address).form
        factors = factor(form)
        layouts = [tile(form, kind) for kind in (factors, Factors.none(form))]
        fewer, sooner = (FEWER, FASTER) if "30" in name else (None, None)
        ours, before = Figure("factors", factors.numbers, "numbers"), Figure("entries", form.entries, "numbers")
        rows.append(faster(f"{name}, payoffs", ours, before, fewer))
        with_factors, without = interleaved([_task(layout) for layout in layouts], QUICK if quick else NORMAL)
        ours, before = figure("factors", with_factors), figure("blocks and rows", without)
        rows.append(faster(f"{name}, gradients of both players", ours, before, sooner))
    notes = ("Without factors, entries are laid out as dense blocks where they are dense, else as rows.",)
    return Section("factors", tuple(rows), notes)


def _task(tiling: Tiling) -> Task:
    """Return a task that computes the gradients of both players repeatedly, on one thread."""
    reach, worth = np.random.default_rng(1).random(tiling.places), np.zeros(tiling.places)
    return repeated(lambda: [gradient(tiling.arrays, player, reach, worth) for player in (0, 1)])
