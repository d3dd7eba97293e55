"""Peak memory of compiling and solving, per history, in a process of its own."""

from __future__ import annotations

from typing import Any

from hannan.bench.child import in_child, peak
from hannan.bench.rows import Figure, Say, Section, alone
from hannan.forms.loader import load
from hannan.layouts.layout import layout_of

LARGE = "battleship of 52,081,183 histories"
GAMES = {
    "Leduc": "leduc_poker",
    "battleship of 2,271,795 histories": "battleship(height=3)",
    LARGE: "battleship(height=3,width=3,ship_sizes=[1,2],shots=2)",
}
MOST = {"battleship of 2,271,795 histories": 100.0}
"""The most bytes per history."""

WHOLE = 2.9 * 2**30 / 8
"""The most bytes of compiling and iterating on the large game: an eighth of what they took with a tree."""

ITERATIONS = 10


def run(quick: bool, say: Say) -> Section:
    """Measure the growth of the peak; with `quick`, only on Leduc."""
    rows, notes = [], []
    for name, address in GAMES.items():
        if quick == (name != "Leduc"):
            continue
        say(f"memory: {name}")
        told = in_child("memory:solve", address=address)
        each = {part: (told["after"] - told[part]) / told["histories"] for part in ("imported", "loaded")}
        ours, measure = Figure("hannan", each["loaded"], "bytes/history"), f"{name}, growth of the peak by compiling"
        rows.append(alone(f"{measure} and {ITERATIONS} iterations", ours, most=MOST.get(name)))
        if name == LARGE:
            only = in_child("memory:solve", address=address, tiny=False)
            whole = Figure("hannan", only["after"], "bytes")
            rows.append(alone(f"{name}, peak of a process that does nothing else", whole, most=WHOLE))
            notes.append(f"{name}: of that peak, Python, NumPy and Numba take {only['imported'] / 1e6:.0f} MB")
        views = ", ".join(f"{view} {size / told['histories']:.1f}" for view, size in told["views"].items())
        notes.append(
            f"{name}: the peak was {told['imported'] / 1e6:.0f} MB after the import, {told['loaded'] / 1e6:.0f} MB "
            f"after loading the kernels on tiny games, {told['after'] / 1e6:.0f} MB at the end (from the import on, "
            f"{each['imported']:.0f} bytes a history). Arrays that are kept, bytes a history: {views}"
        )
    return Section("memory", tuple(rows), tuple(notes))


def solve(address: str, tiny: bool = True) -> dict[str, Any]:
    """Return the peak after the import, after loading the kernels on `tiny` games, and after compiling and solving."""
    from hannan.solvers.fullwidth.cfr import CFR

    imported = peak()
    game = load(address).played()
    for small in ("kuhn_poker", "leduc_poker", game.name if game.name != "leduc_poker" else "kuhn_poker"):
        if tiny:
            CFR(small).run(1)
    loaded = peak()
    solver = CFR(game)
    solver.run(ITERATIONS)
    after = peak()
    sizes, form = game.expanded().sizes, game.expanded().form
    views = {"sequence form": form.bytes, "learning": sizes.learning_bytes}
    return {
        "imported": imported,
        "loaded": loaded,
        "after": after,
        "histories": sizes.histories,
        "views": {**views, "layout": layout_of(form).bytes},
    }
