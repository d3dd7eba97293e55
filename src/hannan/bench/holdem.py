"""Hold'em spots: time and memory of an iteration, seconds to half a percent of the pot, proven brackets.

The spots were measured elsewhere with postflop-solver (b-inary, 32-bit floats, one thread, one AMD EPYC core under
load). It cannot be installed here as a package, so its reported numbers stand next to ours, and each row of ours
says what the machine can do: nanoseconds per entry (an action of a hand), and the bytes that an iteration must move at
the bandwidth that was measured in turns with it.

An iteration must read the regrets of both players for the strategies, and read and write the regrets and averages of
the player that learns: 20 bytes per entry in 32-bit floats.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.bench.floor import Bandwidth
from hannan.bench.rows import Figure, Row, Say, Section, Target, alone, some
from hannan.bench.stopwatch import NORMAL, QUICK, figure, interleaved, repeated, seconds_of
from hannan.errors import DeviceError
from hannan.forms.game import PublicGame
from hannan.forms.loader import load
from hannan.games.holdem.evaluation import seven_card_counts
from hannan.games.holdem.examples import SPOTS
from hannan.games.holdem.rules import HoldemRules
from hannan.games.holdem.spot import make_spot
from hannan.layouts.public import Kept, PublicSetup
from hannan.runs.solve import solve
from hannan.solvers.fullwidth.dcfr import DCFR

BYTES = 20
"""Bytes per entry that an iteration must move."""

REPORTED = {"river_range": 24e-6, "turn_basic": 9.7e-3, "flop_small": 0.196, "flop_texasbench": 1.04}
"""Seconds per iteration of postflop-solver."""

MOST = {"river_range": 15e-6, "turn_basic": 4e-3, "flop_small": 0.080, "flop_texasbench": 0.420}
"""The most seconds that ours should take."""

TO_GAP = {"turn_basic": (1.35, 0.5), "flop_small": (13.8, 5.0)}
"""Seconds to an exploitability of half a percent of the pot: postflop-solver's, and the most that ours should take."""

LARGEST = "flop_texasbench"
CARD = 0.010
"""The most seconds that an iteration of the largest spot should take on a card."""
MEGABYTES: dict[Kept, tuple[float, float]] = {"float32": (1263.0, 1200.0), "int16": (654.0, 620.0)}
"""Memory of the largest spot by precision: postflop-solver's, and the most that ours should be."""

WIDTH = 0.5
"""The largest width of a proven bracket, in percent of the pot."""
PUBLISHED = {"turn_basic": (91.956276, 91.96827), "flop_small": (109.24327, 109.58243)}
"""Brackets of the first player's share of the pot, by postflop-solver in 32-bit floats."""

CLASSES = {
    "high card": 23294460, "pair": 58627800, "two pair": 31433400, "three of a kind": 6461620, "straight": 6180020,
    "flush": 4047644, "full house": 3473184, "four of a kind": 224848, "straight flush": 41584,
}  # fmt: skip
"""Seven-card hands of each class, all 133,784,560 of them."""


def run(quick: bool, say: Say) -> Section:
    """Measure all spots; with `quick`, only the river."""
    rows: list[Row] = []
    for name, given in some(SPOTS, quick):
        say(f"holdem: {name}")
        game = load(HoldemRules(make_spot(**given)))
        assert isinstance(game, PublicGame)
        rows += iteration(name, game, quick)
        if name in TO_GAP:
            rows += [to_gap(name, game), proven(name, game), *threads(name, game)]
        if name == "river_range":
            rows.append(bracket(game))
        if name == LARGEST:
            rows += [memory(game, kept) for kept in MEGABYTES]
            rows += on_card(name, game)
    if not quick:
        say("holdem: all seven-card hands")
        rows.append(hands())
    notes = (
        "postflop-solver's numbers are those that were reported for another machine under load. Our iterations are "
        "discounted CFR with alternating updates, 32-bit floats, one thread. Seconds to a gap count solving and "
        "measuring, not compiling; the measured bandwidth is that of a[i] ← a[i]/2 + b[i] over as many bytes.",
    )
    return Section("holdem", tuple(rows), notes)


def iteration(name: str, game: PublicGame, quick: bool) -> list[Row]:
    """Time an iteration and the bandwidth in turns."""
    solver, entries = DCFR(game), game.form.entries
    solver.prepare()
    sweep = Bandwidth(12 * entries)
    times = interleaved([solver.run, sweep.task], QUICK if quick else NORMAL)
    ours, swept = figure("hannan", times[0]), float(np.median(times[1]))
    floor = BYTES * entries * swept / sweep.moved
    note = (
        f"{ours.value / entries * 1e9:.2f} ns per entry ({entries:,}); {BYTES * entries / 1e6:,.3g} MB to move, at "
        f"{sweep.moved / swept / 1e9:.1f} GB/s {floor * 1e3:.3g} ms, {ours.value / floor:.1f} times the floor"
    )
    peer = Figure("postflop-solver, reported", REPORTED[name])
    return [
        Row(f"{name}, an iteration", ours, peer, peer.value / ours.value, Target(MOST[name], False, "ours", "s"), note)
    ]


def on_card(name: str, game: PublicGame) -> list[Row]:
    """Time an iteration and a measurement on a CUDA card, in turns with the processor's; return [] without a card."""
    try:
        card = DCFR(game, device="cuda")
    except DeviceError:
        return []
    processor = DCFR(game)
    for solver in (card, processor):
        solver.prepare()
    times = interleaved([card.run, repeated(card.measured), processor.run], NORMAL)
    ours, measured, peer = (
        figure(label, some_times)
        for label, some_times in zip(("hannan, the card", "hannan, the card", "one thread"), times, strict=True)
    )
    target = Target(CARD, False, "ours", "s")
    return [
        Row(f"{name}, an iteration on the card", ours, peer, peer.value / ours.value, target),
        alone(f"{name}, NashConv on the card", measured),
    ]


def to_gap(name: str, game: PublicGame) -> Row:
    """Time a solve to half a percent of the pot, with its checks."""
    pot = game.rules.spot.pot  # type: ignore[attr-defined]
    solve(game, iterations=2)  # compiles
    result: list[Any] = []
    seconds = seconds_of(lambda: result.append(solve(game, gap=0.01 * pot)))
    peer = Figure("postflop-solver, reported", TO_GAP[name][0])
    low, high = result[0].findings["value_bounds"]
    share = f"{low + pot / 2:.4f} to {high + pot / 2:.4f}"
    note = (
        f"{result[0].iterations} iterations of {result[0].method}; OOP takes {share} of the pot, proven: "
        f"{100 * (high - low) / pot:.2f} % of the pot wide"
    )
    ours = Figure("hannan", seconds)
    target = Target(TO_GAP[name][1], False, "ours", "s")
    return Row(f"{name}, to 0.5 % of the pot", ours, peer, peer.value / seconds, target, note)


def threads(name: str, game: PublicGame) -> list[Row]:
    """Time an iteration on two threads and on one, in turns."""
    if name != "flop_small":
        return []
    one, two = DCFR(game), DCFR(game, threads=2)
    times = interleaved([two.run, one.run], NORMAL)
    ours, peer = figure("hannan, two threads", times[0]), figure("one thread", times[1])
    return [Row(f"{name}, an iteration", ours, peer, peer.value / ours.value, Target(1.8))]


def memory(game: PublicGame, kept: Kept) -> Row:
    """Count the bytes of the state, of the tree, and of the buffers of a thread."""
    setup, tree = PublicSetup(game.form, kept=kept), game.form.arrays
    held = (setup.bytes + sum(array.nbytes for array in tree if isinstance(array, np.ndarray))) / 1e6
    reported, most = MEGABYTES[kept]
    peer, target = Figure("postflop-solver, reported", reported, "MB"), Target(most, False, "ours", "MB")
    note = f"{len(tree.stage):,} boards"
    return Row(f"{LARGEST}, memory in {kept}", Figure("hannan", held, "MB"), peer, reported / held, target, note)


def bracket(game: PublicGame) -> Row:
    """Prove the value of the river to a bracket of 1e-4 chips."""
    solve(game, "dcfr", precision="float64", iterations=2)  # compiles
    result: list[Any] = []
    seconds = seconds_of(lambda: result.append(solve(game, "dcfr", precision="float64", gap=1e-4)))
    low, high = result[0].findings["value_bounds"]
    note = f"the value {92.77361884 - 100:.8f} lies in {low:.8f} to {high:.8f}: {low <= -7.22638116 <= high}"
    return alone("river_range, a proven bracket of 1e-4", Figure("hannan", seconds), note=note)


def proven(name: str, game: PublicGame) -> Row:
    """Solve until the proven bracket of the value is narrow enough; compare it with the published one."""
    pot = game.rules.spot.pot  # type: ignore[attr-defined]
    result: list[Any] = []
    seconds = seconds_of(lambda: result.append(solve(game, gap=0.99 * WIDTH / 100 * pot)))
    low, high = (bound + pot / 2 for bound in result[0].findings["value_bounds"])
    least, most = PUBLISHED[name]
    meets = "overlaps" if low <= most and least <= high else "DOES NOT OVERLAP"
    note = (
        f"OOP takes {low:.4f} to {high:.4f} of the pot, after {result[0].iterations} iterations in {seconds:.2f} s; it "
        f"{meets} the published {least:.4f} to {most:.4f}"
    )
    width = Figure("hannan", 100 * (high - low) / pot, "% of the pot")
    return alone(f"{name}, width of a proven bracket", width, most=WIDTH, note=note)


def hands() -> Row:
    """Classify all seven-card hands."""
    found: list[dict[str, int]] = []
    seconds = seconds_of(lambda: found.append(seven_card_counts()))
    note = "all classes are right" if found[0] == CLASSES else f"WRONG: {found[0]}"
    return alone("all 133,784,560 seven-card hands", Figure("hannan", seconds), note=note)
