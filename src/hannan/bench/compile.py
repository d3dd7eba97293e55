"""Histories per second, from rules to the sequence form."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from hannan.bench.rows import Row, Say, Section, alone, some
from hannan.bench.stopwatch import NORMAL, QUICK, figure, interleaved, repeated
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded

BUILT_IN = {
    "Kuhn": "kuhn_poker",
    "Leduc": "leduc_poker",
    "liar's dice-6": "liars_dice",
    "battleship of 2,271,795 histories": "battleship(height=3)",
}
LEAST = 4e6
"""Histories per second that compiled rules should reach, for games large enough to measure it."""

PLAIN = Path(__file__).parents[3] / "examples" / "leduc.py"
LEAST_PLAIN = 1e5


def run(quick: bool, say: Say) -> Section:
    """Measure built-in rules and plain-Python rules; with `quick`, only Kuhn."""
    rows, notes = [], ["From rules to the sequence form; kernels are loaded before."]
    for name, address in some(BUILT_IN, quick):
        say(f"compile: {name}")
        least = LEAST if name in ("liar's dice-6", "battleship of 2,271,795 histories") else None
        rows.append(measure(f"{name}, compiling built-in rules", partial(load_expanded, address), least, quick))
    if not quick and PLAIN.is_file():
        say("compile: Leduc in plain Python")
        make = partial(load_expanded, f"{PLAIN}:Leduc")
        rows.append(measure("Leduc, compiling plain-Python rules", make, LEAST_PLAIN, quick))
    elif not quick:
        notes.append("examples/leduc.py is not here: run this in a clone to measure plain-Python rules")
    return Section("compile", tuple(rows), tuple(notes))


def measure(name: str, make: Callable[[], ExpandedGame], least: float | None, quick: bool) -> Row:
    """Compile a game repeatedly."""
    histories = make().sizes.histories
    times = interleaved([repeated(lambda: make().form)], QUICK if quick else NORMAL)[0]
    ours = figure("hannan", times, "histories/s", histories)
    return alone(name, ours, least=least, note=f"{histories:,} histories")
