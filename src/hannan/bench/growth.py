"""The growth of seconds and bytes with the game: ten sizes of four families, over four orders of magnitude.

Each size is measured in a process of its own, on one thread, in CPU seconds, with kernels loaded before. An exponent is
the slope of the least-squares line through the logarithms of histories and of a measure.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from os import PathLike

import numpy as np

from hannan.bench.child import in_child, peak
from hannan.bench.rows import Figure, Row, Say, Section, alone
from hannan.bench.stopwatch import timed
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.pseudogame import Confidence
from hannan.forms.boxes import boxed
from hannan.forms.loader import load
from hannan.layouts.layout import layout_of
from hannan.measures.appraisal import evaluate
from hannan.pictures.figures import blank, check_target, write_figure
from hannan.solvers.fullwidth.cfr import CFR
from hannan.solvers.sampling.external_sampling import ExternalSampling
from hannan.treesearch.setsearcher import SetSearcher

FAMILIES: dict[str, tuple[str, ...]] = {
    "liar's dice": tuple(
        f"liars_dice(faces={faces},dice={dice})"
        for faces, dice in ((2, 1), (3, 1), (4, 1), (2, 2), (5, 1), (6, 1), (2, 3), (3, 2), (7, 1), (8, 1))
    ),
    "Leduc": tuple(f"leduc_poker(ranks={ranks})" for ranks in (2, 3, 4, 6, 8, 10, 13, 20, 30, 45)),
    "battleship": (
        "battleship(height=1,width=3,ship_sizes=[1],shots=1)",
        "battleship(height=1,width=3,ship_sizes=[1],shots=2)",
        "battleship(height=1,width=3,ship_sizes=[1],shots=3)",
        "battleship(shots=2)",
        "battleship(height=2,width=2,ship_sizes=[1],shots=3)",
        "battleship",
        "battleship(height=3,width=3,ship_sizes=[1],shots=2)",
        "battleship(height=3)",
        "battleship(height=4,width=4,ship_sizes=[1],shots=2)",
        "battleship(height=3,width=3,ship_sizes=[1,2],shots=2)",
    ),
    "Goofspiel": (
        "goofspiel(cards=3,order=descending)",
        "goofspiel(cards=3,forced=skip)",
        "goofspiel(cards=3)",
        "goofspiel(cards=4,order=descending)",
        "goofspiel(cards=5,order=descending,forced=skip)",
        "goofspiel(cards=5,order=descending)",
        "goofspiel(cards=4)",
        "goofspiel(cards=6,order=descending,forced=skip)",
        "goofspiel(cards=6,order=descending)",
        "goofspiel(cards=5)",
    ),
}
"""Addresses by family, from the smallest game to the largest."""

MEASURES: dict[str, tuple[str, str]] = {
    "compile": ("compiling", "s"),
    "iteration": ("an iteration of CFR", "s"),
    "nash_conv": ("NashConv", "s"),
    "sampling": ("an iteration of external sampling", "s"),
    "search": ("a walk of a search, rule is-oos", "s"),
    "certification": ("a playthrough of a certification by mccfr", "s"),
    "kept": ("bytes kept to iterate", "bytes"),
    "peak": ("growth of the peak", "bytes"),
}
"""The measures, in the words of the table, and their units."""

SMALLEST = 1_000
"""The fewest histories of a game in a fit: in smaller games the fixed cost of a call shows."""
LEAST = 0.2
"""The fewest CPU seconds for which each measured action is repeated."""
WALKS, PLAYED = 20_000, 2_000
"""Walks of a sampler or a search, and playthroughs of a certification, before the timed ones."""
PEAK = 1e6
"""Bytes below which growth of the peak is noise."""
NEVER = 1 << 40
"""Playthroughs between two measurements of a gap: more than a run makes."""


def run(quick: bool, say: Say, picture: str | PathLike[str] | None = None) -> Section:
    """Measure all sizes; with `quick`, the smallest three of each family. `picture` is a file for the curves."""
    kind = None if picture is None else check_target(picture)
    found: dict[str, list[dict[str, float]]] = {}
    for family, addresses in FAMILIES.items():
        found[family] = []
        for address in addresses[: 3 if quick else None]:
            say(f"growth: {address}")
            found[family].append(in_child("growth:measured", address=address, quick=quick))
    rows: list[Row] = []
    for family, sizes in found.items():
        for name, (words, unit) in MEASURES.items():
            last = sizes[-1]
            figure = Figure("hannan", last[name], unit)
            rows.append(alone(f"{family}, {words}, {last['histories']:,} histories", figure, note=_told(sizes, name)))
    if picture is not None:
        draw(picture, found, str(kind))
    notes = (
        f"The exponent e belongs to the nearest power law c·hᵉ of all sizes with h ≥ {SMALLEST:,} histories. `off by` "
        "is the largest ratio of a measure to that law, or of the law to a measure. Fits leave out growth of the peak "
        "below 1 MB",
        "CPU seconds of one process. Compiling uses both cores from a million histories on; its CPU seconds are "
        "those of both. A walk updates the sets on its way, so its cost grows with the length of a play",
        *(
            f"{family}: " + ", ".join(f"{address} has {size['histories']:,} histories" for address, size in pairs)
            for family, pairs in ((name, zip(FAMILIES[name], sizes, strict=False)) for name, sizes in found.items())
        ),
    )
    return Section("growth", tuple(rows), notes)


def fitted(histories: Sequence[float], values: Sequence[float]) -> tuple[float, float, float]:
    """Return the exponent and factor of the power law nearest to some points, and its largest ratio to one of them."""
    x, y = np.log(np.asarray(histories, float)), np.log(np.asarray(values, float))
    slope, constant = np.polyfit(x, y, 1)
    return float(slope), float(np.exp(constant)), float(np.exp(np.abs(y - slope * x - constant).max()))


def _counted(sizes: Sequence[Mapping[str, float]], name: str) -> list[tuple[float, float]]:
    """Return the points of a fit."""
    least = PEAK if name == "peak" else 0.0
    return [(size["histories"], size[name]) for size in sizes if size["histories"] >= SMALLEST and size[name] > least]


def _told(sizes: Sequence[Mapping[str, float]], name: str) -> str:
    points = _counted(sizes, name)
    if len(points) < 3:
        return "too few sizes for a fit"
    exponent, _, off = fitted(*zip(*points, strict=True))
    return f"exponent {exponent:.2f} over {len(points)} sizes, off by at most {off:.2f} times"


def measured(address: str, quick: bool = False) -> dict[str, float]:
    """Return the histories, CPU seconds and bytes of one game."""
    small = next(addresses[0] for addresses in FAMILIES.values() if addresses[0].startswith(address.partition("(")[0]))
    for warm in ("kuhn_poker", "leduc_poker(ranks=2)", small):
        _work(warm, 0.0, 10, 10)  # loads the kernels
    return _work(address, *((0.01, WALKS // 100, PLAYED // 20) if quick else (LEAST, WALKS, PLAYED)))


def _work(address: str, least: float, walks: int, playthroughs: int) -> dict[str, float]:
    """Measure all actions on one game, each for at least `least` CPU seconds."""
    before = peak()
    compiling = _seconds(lambda count: [load(address).expanded().form for _ in range(count)], least)
    game = load(address).expanded()
    solver = CFR(game)
    iteration = _seconds(solver.run, least)
    kept, grown = game.form.bytes + game.sizes.learning_bytes + layout_of(game.form).bytes, peak() - before
    profile = solver.average()
    evaluate(game, profile)  # lays the payoffs out once
    gap = _seconds(lambda count: [evaluate(game, profile).nash_conv for _ in range(count)], least)
    sampler = ExternalSampling(address, over="rules", seed=1)
    sampler.run(walks)
    searcher = SetSearcher(address, "is-oos", seed=1)
    searcher.run(walks)
    work = Regretting(boxed(address, groups="history").box, every=NEVER, confidence=Confidence("paper"), seed=1)
    work.advance(playthroughs)
    return {
        "histories": game.sizes.histories,
        "compile": compiling,
        "iteration": iteration,
        "nash_conv": gap,
        "sampling": _seconds(sampler.run, least),
        "search": _seconds(searcher.run, least),
        "certification": _seconds(work.advance, least),
        "kept": kept,
        "peak": grown,
    }


def _seconds(action: Callable[[int], object], least: float) -> float:
    """Return the CPU seconds of one repetition, from repetitions that take at least `least` seconds together."""
    count = 1
    while True:
        spent = timed(action, count, clock=time.process_time)
        if spent * count >= least:
            return spent
        count = max(2 * count, int(1.2 * least / max(spent, 1e-7)))


def draw(path: str | PathLike[str], found: Mapping[str, Sequence[Mapping[str, float]]], kind: str) -> None:
    """Draw each measure against histories, a line per family (at most four), with its exponent in the legend."""
    figure = blank((14.0, 7.0), path)
    for axes, (name, (words, unit)) in zip(figure.subplots(2, 4).flat, MEASURES.items(), strict=True):
        for (family, sizes), marker in zip(found.items(), "osD^", strict=False):
            points = _counted(sizes, name)
            label = family if len(points) < 3 else f"{family}: {fitted(*zip(*points, strict=True))[0]:.2f}"
            least = PEAK if name == "peak" else 0.0
            every = [(size["histories"], size[name]) for size in sizes if size[name] > least]
            axes.plot(*zip(*every, strict=True), marker=marker, markersize=4, linewidth=1, label=label)
        scale = "CPU seconds" if unit == "s" else unit
        axes.set(xscale="log", yscale="log", xlabel="histories", ylabel=scale)
        axes.set_title(words, fontsize="medium")
        axes.grid(visible=True, alpha=0.3)
        axes.legend(fontsize="small", title="exponents", title_fontsize="small")
    write_figure(path, figure, kind)
