"""Exact solving: the sequence-form LP here, in OpenSpiel and in pygambit.

Ours starts from the rules: compiling, the LP, both strategies. OpenSpiel's `solve_zero_sum_game` starts from the loaded
game and solves one LP per player (with cvxpy and ECOS). pygambit's `lp_solve` is given the game ready-made and works in
floating point. The peers run in processes of their own and are stopped after a while. Larger games are solved by the
method `support`.
"""

from __future__ import annotations

import io
import time
from functools import partial
from importlib.util import find_spec
from typing import Any

from hannan.bench import peers
from hannan.bench.child import in_time, peak
from hannan.bench.iterations import GOOFSPIEL
from hannan.bench.rows import Figure, Row, Say, Section, alone, faster, some
from hannan.bench.stopwatch import NORMAL, QUICK, figure, interleaved, repeated
from hannan.errors import HannanError
from hannan.forms.loader import load
from hannan.memory import readable
from hannan.runs.solve import solve
from hannan.solvers.exact.lp import SequenceFormLP

GAMES = {"Kuhn": "kuhn_poker", "Leduc": "leduc_poker", "Goofspiel-4 hidden": GOOFSPIEL}
NEEDED = ("cvxpy", "ecos")
"""Packages that OpenSpiel's LP imports and that OpenSpiel does not install."""

LIMIT = 120.0
"""Seconds after which a peer is stopped."""

SUPPORT = {
    "Leduc-13": ("leduc_poker(ranks=13)", "pdcfr+", 30.0),
    "liar's dice-6": ("liars_dice", "dcfr+", None),
    "Goofspiel-5 hidden": ("goofspiel(cards=5)", "pdcfr+", 600.0),
}
"""Games for the method `support`: the game, the method that finds the support, and the most seconds."""

LONGEST = 1200.0
"""Seconds after which `support` is stopped."""


def run(quick: bool, say: Say) -> Section:
    """Solve every game; with `quick`, only Kuhn."""
    rows: list[Row] = []
    notes = list(peers.absent("OpenSpiel", "pygambit"))
    able = [peer for peer in ("OpenSpiel", "pygambit") if peers.find("OpenSpiel") and peers.find(peer)]
    if "OpenSpiel" in able and (lacking := [name for name in NEEDED if find_spec(name) is None]):
        able.remove("OpenSpiel")
        notes.append(f"OpenSpiel's LP needs {' and '.join(lacking)}, not installed: its rows are left out")
    for name, address in some(GAMES, quick):
        say(f"lp: {name}")
        times = interleaved([repeated(partial(solved, address))], QUICK if quick else NORMAL)[0]
        mine, value = figure("hannan", times), solved(address)
        theirs = peers.openspiel_address(load(address))
        for peer in able if theirs else ():
            say(f"lp: {name}, {peer}")
            try:
                answer = in_time(f"lp:{peer.lower()}", LIMIT, address=theirs)
            except HannanError as error:
                notes.append(f"{peer} on {name}: {error}")
                continue
            rows.append(_beside(f"{name}, exact", mine, value, peer, answer))
        if not able:
            rows.append(Row(f"{name}, exact", mine))
    if not quick:
        rows += [_by_support(name, *case, say) for name, case in SUPPORT.items()]
    return Section("lp", tuple(rows), tuple(notes))


def _by_support(name: str, address: str, first: str, most: float | None, say: Say) -> Row:
    """Solve a game by `support`, in a process of its own. Expanding the game is not timed."""
    say(f"lp: {name} by support")
    answer = in_time("lp:support", LONGEST, address=address, first=first)
    if answer is None:
        return alone(f"{name}, exact by support", Figure("hannan", LONGEST, bound=True), most=most)
    note = f"NashConv {answer['nash_conv']:.1e}; {readable(answer['bytes'])}"
    return alone(f"{name}, exact by support", Figure("hannan", answer["seconds"]), most=most, note=note)


def support(address: str, first: str) -> dict[str, Any]:
    """Solve a game by `support`; return the seconds of solving, the NashConv and the peak of memory."""
    result = solve(load(address), "support", first=first)
    if result.stop != "exact":
        raise HannanError(f"support on {address} stopped by {result.stop}")
    return {"seconds": result.seconds, "nash_conv": result.nash_conv, "bytes": peak()}


def _beside(measure: str, mine: Figure, value: float, peer: str, answer: dict[str, Any] | None) -> Row:
    if answer is None:
        return faster(measure, mine, Figure(peers.title(peer), LIMIT, bound=True))
    same = "" if abs(answer["value"] - value) < 1e-6 else f"NOT THE SAME: {value:.9g} here, {answer['value']:.9g} there"
    return faster(measure, mine, figure(peers.title(peer), answer["seconds"]), note=same)


def solved(address: str) -> float:
    """Solve a game from its rules, and return its value to player 0."""
    solver = SequenceFormLP(load(address))
    solver.run(1)
    return solver.proof().value


def openspiel(address: str) -> dict[str, Any]:
    """Solve one of OpenSpiel's games with its Python LP."""
    import pyspiel
    from open_spiel.python.algorithms import sequence_form_lp

    game = pyspiel.load_game(address)
    return _repeat(lambda: sequence_form_lp.solve_zero_sum_game(game)[0])


def pygambit(address: str) -> dict[str, Any]:
    """Solve one of OpenSpiel's games with Gambit's LP."""
    import pygambit

    from hannan.exports.gambit.text import efg_text

    game = pygambit.read_efg(io.StringIO(efg_text(f"openspiel:{address}")))
    first = next(iter(game.players))
    return _repeat(lambda: pygambit.nash.lp_solve(game, rational=False).equilibria[0].payoff(first))


def _repeat(solve: Any) -> dict[str, Any]:
    """Solve three times, or once if it takes long."""
    seconds: list[float] = []
    while not seconds or (len(seconds) < 3 and sum(seconds) < 5):
        begun = time.perf_counter()
        value = float(solve())
        seconds.append(time.perf_counter() - begun)
    return {"seconds": seconds, "value": value}
