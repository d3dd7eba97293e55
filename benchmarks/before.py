"""One version of hannan beside another: CPU seconds of the same work, in turns.

    python benchmarks/before.py FOLDER [GROUP…]

FOLDER holds another version's source (its `src`, from `git worktree add --detach FOLDER COMMIT`). Every job runs in a
process of its own, first with the other version and then with this one, five times; a first run in each compiles. Each
process repeats its job three times and reports the least CPU time. The table shows medians, and the spread of this
version's rounds. A ratio above 1 says that this version is faster. `--cold` measures seconds of compiling instead: each
process has an empty cache, once.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parents[1] / "src"
ROUNDS, REPEATS = 5, 3

BEGIN = """
import time
import hannan as hn
from hannan.solvers import method_class as of
from hannan import Rules, CHANCE, END

WALKED = {'over' if 'over' in of('mccfr-es').parameter_defaults() else 'on': 'rules'}

class Plain(Rules):
    def __init__(self, address):
        self.rules = hn.load(address).rules
        self.players, self.name = self.rules.players, self.rules.name
    def start(self): return self.rules.start()
    def turn(self, state): return self.rules.turn(state)
    def actions(self, state, player): return self.rules.actions(state, player)
    def chance(self, state): return self.rules.chance(state)
    def after(self, state, move): return self.rules.after(state, move)
    def observe(self, state, player): return self.rules.observe(state, player)
    def gains(self, state): return self.rules.gains(state)
    def bounds(self, state): return self.rules.bounds(state)
"""
END = """
begun, least = time.process_time(), 1e9
for _ in range({repeats}):
    before = time.process_time()
    job()
    least = min(least, time.process_time() - before)
print(least if {repeats} > 1 else time.process_time() - begun)
"""

JOBS = {
    "compile: Goofspiel-5": "def job(): hn.load('goofspiel(cards=5)').expanded().form",
    "compile: liar's dice, 5 faces": "def job(): hn.load('liars_dice(faces=5)').expanded().tree",
    "compile: plain Leduc": "plain = Plain('leduc_poker')\ndef job(): hn.load(plain).expanded().form",
    "iterations: CFR+ on Leduc": "def job(): hn.CFRPlus(hn.load('leduc_poker')).run(20000)",
    "sampling: outcome, Leduc": "def job(): of('mccfr-os')(hn.load('leduc_poker'), **WALKED, seed=1).run(200000)",
    "sampling: external, Leduc": "def job(): of('mccfr-es')(hn.load('leduc_poker'), **WALKED, seed=1).run(9999)",
    "sampling: outcome, plain Kuhn": (
        "plain = Plain('kuhn_poker')\ndef job(): of('mccfr-os')(hn.load(plain), **WALKED, seed=1).run(2000)"
    ),
    "search: open Goofspiel-6": (
        "def job(): hn.Searcher('goofspiel(cards=6,information=open)', 'rm-mean', seed=1).run(100000)"
    ),
    "exact: open Goofspiel-6": "def job(): of('bi')(hn.load('goofspiel(cards=6,information=open)')).run(1)",
    "matches: Leduc": (
        "game = hn.load('leduc_poker')\nours = hn.solve(game, 'cfr+', iterations=50).profile\n"
        "def job(): hn.match(game, ours, hn.uniform(game), games=400000, seed=1)"
    ),
    "certify: Goofspiel-4": ("def job(): hn.certify('goofspiel(cards=4)', method='mccfr', playthroughs=20000, seed=1)"),
    "certify: plain Kuhn": (
        "plain = Plain('kuhn_poker')\ndef job(): hn.certify(plain, method='mccfr', playthroughs=2000, seed=1)"
    ),
    "neural: Deep CFR on Kuhn": (
        "def job(): hn.solve('kuhn_poker', 'deep-cfr', iterations=2, traversals=2000, steps=20, seed=1)"
    ),
}
COLD = {
    "solve": "def job(): hn.solve('leduc_poker', 'cfr+', iterations=10)",
    "first sampler": "def job(): of('mccfr-os')(hn.load('leduc_poker'), **WALKED, seed=1).run(10)",
    "first certification": "def job(): hn.certify('kuhn_poker', method='mccfr', playthroughs=100, seed=1)",
}


def seconds(source: Path, job: str, repeats: int, cache: str | None = None) -> float:
    """Return the CPU seconds that one process reports."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    code = BEGIN + job + END.format(repeats=repeats)
    told = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    return float(told.stdout.split()[-1])


def warm(other: Path, groups: list[str]) -> None:
    """Print medians of both versions, in turns."""
    print("| job | before, s | now, s | before/now | spread |\n| --- | --- | --- | --- | --- |", flush=True)
    for name, job in JOBS.items():
        if groups and name.partition(":")[0] not in groups:
            continue
        for source in (other, HERE):
            seconds(source, job, 1)
        took = [(seconds(other, job, REPEATS), seconds(HERE, job, REPEATS)) for _ in range(ROUNDS)]
        before, now = (statistics.median(column) for column in zip(*took, strict=True))
        least, most = min(ours for _, ours in took), max(ours for _, ours in took)
        print(f"| {name} | {before:.3f} | {now:.3f} | {before / now:.2f} | {least:.3f} to {most:.3f} |", flush=True)


def cold(other: Path) -> None:
    """Print CPU seconds of the first call, with an empty cache."""
    print("| first call | before, s | now, s |\n| --- | --- | --- |", flush=True)
    for name, job in COLD.items():
        took = []
        for source in (other, HERE):
            with tempfile.TemporaryDirectory() as cache:
                took.append(seconds(source, job, 1, cache))
        print(f"| {name} | {took[0]:.1f} | {took[1]:.1f} |", flush=True)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--cold"]
    if not words:
        raise SystemExit(__doc__)
    if "--cold" in sys.argv:
        cold(Path(words[0]) / "src")
    else:
        warm(Path(words[0]) / "src", words[1:])
