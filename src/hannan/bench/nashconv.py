"""Time of NashConv: two best responses over the whole game, and the values to subtract."""

from __future__ import annotations

from hannan.bench import peers
from hannan.bench.iterations import GOOFSPIEL, SAME
from hannan.bench.rows import Row, Say, Section, faster, some
from hannan.bench.stopwatch import LONG, NORMAL, QUICK, figure, interleaved, repeated
from hannan.forms.loader import load
from hannan.measures.appraisal import evaluate
from hannan.measures.evaluator import Evaluator
from hannan.solvers.fullwidth.cfr import CFR
from hannan.strategies.profile import uniform

GAMES = {"Kuhn": "kuhn_poker", "Leduc": "leduc_poker", "Goofspiel-4 hidden": GOOFSPIEL, "liar's dice-6": "liars_dice"}
LEAST = {"liar's dice-6": 1000.0}
"""How many times faster than OpenSpiel's `nash_conv` it should be."""


def run(quick: bool, say: Say) -> Section:
    """Measure every game; with `quick`, only Kuhn."""
    rows: list[Row] = []
    for name, address in some(GAMES, quick):
        say(f"nashconv: {name}")
        rows += measure(name, address, quick)
    notes = (
        f"Of CFR's average after {SAME} iterations; of uniform play both sides must give the same number to 1e-9, or "
        "the row says so. Our game is compiled before, LiteEFG's is loaded; OpenSpiel walks its game anew each time.",
        *peers.absent("OpenSpiel", "LiteEFG"),
    )
    return Section("nashconv", tuple(rows), notes)


def measure(name: str, address: str, quick: bool) -> list[Row]:
    """Time ours and each peer's in turns."""
    game = load(address).expanded()
    theirs, pyspiel = peers.openspiel_game(game), peers.find("OpenSpiel")
    solver = CFR(game)
    solver.run(SAME)
    profile = solver.average()
    even = evaluate(game, uniform(game)).nash_conv
    mine = repeated(lambda: evaluate(game, profile))
    rows = []
    if pyspiel is not None and theirs is not None:
        other = pyspiel.CFRSolver(theirs)
        differs = _differs(even, pyspiel.nash_conv(theirs, other.average_policy()))
        for _ in range(SAME):
            other.evaluate_and_update_policy()
        policy = other.tabular_average_policy()
        effort = QUICK if quick else LONG if name == "liar's dice-6" else NORMAL
        times = interleaved([mine, repeated(lambda: pyspiel.nash_conv(theirs, policy))], effort)
        peer = figure(peers.title("OpenSpiel"), times[1])
        rows.append(faster(f"{name}, NashConv", figure("hannan", times[0]), peer, LEAST.get(name), differs))
    lite = peers.lite(theirs)
    if lite is not None:
        lite.run(1)
        differs = _differs(even, lite.nash_conv())
        lite.run(SAME - 1)
        evaluator = Evaluator(game)
        tasks = [mine, repeated(lambda: evaluator.nash_conv(profile)), repeated(lite.nash_conv)]
        times = interleaved(tasks, QUICK if quick else NORMAL)
        peer = figure(peers.title("LiteEFG"), times[2])
        rows.append(faster(f"{name}, NashConv", figure("hannan", times[0]), peer, note=differs))
        rows.append(faster(f"{name}, NashConv by an evaluator", figure("hannan", times[1]), peer, 1.0, differs))
    if not rows:
        rows.append(Row(f"{name}, NashConv", figure("hannan", interleaved([mine], QUICK if quick else NORMAL)[0])))
    return rows


def _differs(ours: float, theirs: float) -> str:
    return "" if abs(ours - theirs) < 1e-9 else f"NOT THE SAME: {ours:.9g} here, {theirs:.9g} there"
