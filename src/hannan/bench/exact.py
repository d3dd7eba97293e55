"""Exact search of simultaneous moves: seconds and nodes of each method, with and without the table of positions.

Published node counts, without a table: B. Bošanský, V. Lisý, M. Lanctot, J. Čermák, M. H. M. Winands (2016). A tie
discards the prize there. The paper does not state the fixed order, on which counts depend. Nodes here are searched
positions of the game; positions of the serialised games are counted separately. Every search runs once, in a process
of its own, on one thread.
"""

from __future__ import annotations

from typing import Any

from hannan.bench.child import in_time, peak
from hannan.bench.rows import Figure, Row, Say, Section, alone, faster, some
from hannan.bench.stopwatch import seconds_of
from hannan.memory import readable

THEIRS = "information=open,ties=discard"
ORDERED = f"order=descending,returns=win_loss,{THEIRS}"

GAMES = {
    "Goofspiel-5, random order, points": f"goofspiel(cards=5,lowest=0,{THEIRS})",
    "Goofspiel-7, fixed order, win or lose": f"goofspiel(cards=7,{ORDERED})",
    "Goofspiel-8, fixed order, win or lose": f"goofspiel(cards=8,{ORDERED})",
    "Goofspiel-9, fixed order, win or lose": f"goofspiel(cards=9,{ORDERED})",
    "Oshi-Zumo, 13 coins, K = 4": "oshi_zumo(coins=13,size=4)",
}

SMALL = ("Goofspiel-5, random order, points",)

PUBLISHED = {
    ("Goofspiel-5, random order, points", "bi-ab"): 91_419,
    ("Goofspiel-5, random order, points", "do-ab"): 14_536,
    ("Goofspiel-7, fixed order, win or lose", "bi"): 3.2e7,
    ("Goofspiel-7, fixed order, win or lose", "bi-ab"): 198_986,
    ("Goofspiel-7, fixed order, win or lose", "do-ab"): 79_105,
}
"""Nodes without a table. Three facts are our reading, and counts depend on them: the two methods to which the numbers
of Goofspiel-5 belong; that its cards begin at 0 and those of the fixed order at 1; and that this order descends."""

TARGETS = {
    ("Goofspiel-7, fixed order, win or lose", True): 1.0,
    ("Goofspiel-7, fixed order, win or lose", False): 10.0,
    ("Goofspiel-8, fixed order, win or lose", True): 10.0,
}
"""Seconds that `do-ab` may take, with the table and without."""

LIMIT = 300.0
"""Seconds after which a search is stopped."""


def run(quick: bool, say: Say) -> Section:
    """Search every game by every method that ends in time; with `quick`, only Goofspiel-5."""
    rows, notes = [], []
    for name, address in some(GAMES, quick):
        for method in ("bi", "bi-ab", "do", "do-ab"):
            for table in (True, False):
                wanted = table or (name, method) in PUBLISHED or name in SMALL
                if not wanted or (name.startswith("Goofspiel-9") and method != "do-ab"):
                    continue
                say(f"exact: {name}, {method}{'' if table else ', without a table'}")
                told = in_time("exact:search", LIMIT, address=address, method=method, table=table)
                rows += _rows(name, method, table, told)
                if told is not None:
                    notes.append(_note(name, method, table, told))
    return Section("exact", tuple(rows), tuple(notes))


def _rows(name: str, method: str, table: bool, told: dict[str, Any] | None) -> list[Row]:
    measure = f"{name}, {method}" + ("" if table else ", no table")
    if told is None:
        return [Row(measure, Figure("hannan", LIMIT, bound=True))]
    most = TARGETS.get((name, table)) if method == "do-ab" else None
    rows = [alone(measure, Figure("hannan", told["seconds"]), most=most)]
    nodes = None if table else PUBLISHED.get((name, method))
    if nodes is not None:
        ours, theirs = Figure("hannan", told["searched"], "nodes"), Figure("published", nodes, "nodes")
        rows.append(faster(f"{measure}: nodes", ours, theirs))
    return rows


def _note(name: str, method: str, table: bool, told: dict[str, Any]) -> str:
    return (
        f"{name}, {method}{'' if table else ' without a table'}: {told['searched']:,} nodes of the game and "
        f"{told['serial']:,} of the serialised games, {told['solves']:,} matrices, {told['cutoffs']:,} cut-offs, "
        f"value {told['value']:.3g} ± {told['width']:.1g}, peak {readable(told['peak'])}"
    )


def search(address: str, method: str, table: bool) -> dict[str, Any]:
    """Search once; kernels are loaded before the clock starts."""
    from hannan.solvers import method_class

    kind: Any = method_class(method)
    kind("goofspiel(cards=2,information=open)").run(1)
    solver = kind(address, table=table)
    seconds, proof = seconds_of(lambda: solver.run(1)), solver.proof()
    return {
        "seconds": seconds,
        "value": proof.value,
        "width": (proof.upper - proof.lower) / 2,
        "searched": proof.nodes - proof.serial_nodes,
        "serial": proof.serial_nodes,
        "solves": proof.matrix_solves,
        "cutoffs": proof.cutoffs,
        "peak": peak(),
    }
