"""Time of one iteration of CFR, compared with the peers' and with the floor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hannan.bench import peers
from hannan.bench.floor import Bandwidth, traffic
from hannan.bench.profile import shares
from hannan.bench.rows import Figure, Row, Say, Section, Target, beside, faster
from hannan.bench.stopwatch import NORMAL, QUICK, Task, figure, interleaved
from hannan.forms.loader import load
from hannan.measures.appraisal import evaluate
from hannan.solvers.fullwidth.cfr import CFR

GOOFSPIEL = "goofspiel(returns=half_difference,ties=discard,forced=skip)"
"""OpenSpiel's rules: four cards, random order, hidden bids."""


@dataclass(frozen=True)
class Case:
    """A game, and how many times faster than each peer an iteration should be."""

    name: str
    address: str
    least: Mapping[str, float] = field(default_factory=dict)
    floor: float | None = None
    """The most that an iteration may take, in multiples of the floor."""


CASES = (
    Case("Kuhn", "kuhn_poker", {"LiteEFG": 8}),
    Case("Leduc", "leduc_poker", {"LiteEFG": 60, "OpenSpiel": 500}),
    Case("Goofspiel-4 hidden", GOOFSPIEL, {"LiteEFG": 100}),
    Case("liar's dice-6", "liars_dice", {"LiteEFG": 400, "OpenSpiel": 300}, floor=3),
    Case("battleship of 2,271,795 histories", "battleship(height=3)", floor=3),
)

SAME = 10
"""Iterations after which both sides must have the same NashConv."""


@dataclass(frozen=True)
class Peer:
    """A peer's CFR on one game."""

    name: str
    task: Task
    nash_conv: Any
    """A function that returns the NashConv of its average."""
    updates: str


def run(quick: bool, say: Say) -> Section:
    """Measure every game; with `quick`, only Kuhn."""
    rows: list[Row] = []
    notes = [
        "CFR with the average kept, one thread; ours updates both players at once next to LiteEFG, which does, and one "
        f"after the other elsewhere. Before timing, both sides run 1 and {SAME} iterations and must come to the same "
        "NashConv to 1e-9; a row where they did not says so. In a symmetric game many regrets are 0 but for rounding, "
        "which decides what is played there: the two sides may then part.",
        *peers.absent("OpenSpiel", "LiteEFG"),
    ]
    for case in CASES[:1] if quick else CASES:
        say(f"iterations: {case.name}")
        measured, where = measure(case, quick)
        rows += measured
        notes.append(where)
    return Section("iterations", tuple(rows), tuple(notes))


def measure(case: Case, quick: bool) -> tuple[list[Row], str]:
    """Time ours, the peers and the floor in turns; return rows, and a sentence on where our time goes."""
    game = load(case.address).expanded()
    ours = {"alternating": CFR(game), "simultaneous": CFR(game, updates="simultaneous")}
    others = _peers(peers.openspiel_game(game))
    same = {peer.name: _agree(game.address, peer) for peer in others}
    size = traffic(game)
    bandwidth = Bandwidth(size.held)
    tasks = [*(solver.run for solver in ours.values()), bandwidth.task, *(peer.task for peer in others)]
    times = interleaved(tasks, QUICK if quick else NORMAL)
    mine = {updates: figure("hannan", times[k]) for k, updates in enumerate(ours)}
    rows = []
    for k, peer in enumerate(others):
        theirs = figure(peers.title(peer.name), times[3 + k])
        rows.append(
            faster(f"{case.name}, an iteration", mine[peer.updates], theirs, case.least.get(peer.name), same[peer.name])
        )
    pace = bandwidth.moved / figure("", times[2]).value
    limit = Figure(f"{size.moved / 1e6:.3g} MB at {pace / 1e9:.3g} GB/s", size.moved / pace)
    target = None if case.floor is None else Target(case.floor, least=False)
    rows.append(beside(f"{case.name}, an iteration above the floor", mine["alternating"], limit, target))
    spent = ", ".join(f"{part} {share:.0%}" for part, share in shares(game, quick).items())
    return rows, f"{case.name}: of the time of an iteration, {spent}"


def _peers(theirs: Any | None) -> list[Peer]:
    """Return CFR of every installed peer, before its first iteration."""
    found = []
    lite, pyspiel = peers.lite(theirs), peers.find("OpenSpiel")
    if lite is not None:
        found.append(Peer("LiteEFG", lite.run, lite.nash_conv, "simultaneous"))
    if theirs is not None and pyspiel is not None:
        solver = pyspiel.CFRSolver(theirs)

        def iterate(count: int) -> None:
            for _ in range(count):
                solver.evaluate_and_update_policy()

        found.append(
            Peer("OpenSpiel", iterate, lambda: pyspiel.nash_conv(theirs, solver.average_policy()), "alternating")
        )
    return found


def _agree(address: str, peer: Peer) -> str:
    """Run both sides for one iteration, then for more; return a sentence if they differ."""
    solver = CFR(address, updates="simultaneous" if peer.updates == "simultaneous" else "alternating")
    for count in (1, SAME):
        peer.task(count - solver.iterations)
        solver.run(count - solver.iterations)
        ours, theirs = evaluate(solver.game, solver.average()).nash_conv, float(peer.nash_conv())
        if abs(ours - theirs) > 1e-9:
            times = "1 iteration" if count == 1 else f"{count} iterations"
            return f"after {times} NashConv is {ours:.4g} here and {theirs:.4g} there"
    return ""
