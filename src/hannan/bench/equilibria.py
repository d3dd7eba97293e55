"""Nash equilibria of general-sum games: all of them by hannan, and what the peers find in which time.

Games are drawn by NumPy's generator from the seeds 0, 1, …: the payoffs of player 0, then those of player 1. Times are
CPU seconds of one thread, from the normal form to the last equilibrium, with compiled kernels. Each peer has a process
of its own and is stopped after a while; a row says if a peer finds another number of equilibria. `PARTS` lists the
functions that make the rows.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.bench import peers
from hannan.bench.child import in_time
from hannan.bench.more_players import more_players
from hannan.bench.rows import Figure, Row, Say, Section, Target, some
from hannan.bench.stopwatch import figure
from hannan.errors import HannanError
from hannan.games.matrix import matrix_game
from hannan.solvers.exact.normalform import normal_form
from hannan.solvers.general.components import components
from hannan.solvers.general.vertices import vertices

STENGEL: tuple[list[list[int]], list[list[int]]] = (
    [
        [9504, -660, 19976, -20526, 1776, -8976],
        [-111771, 31680, -130944, 168124, -8514, 52764],
        [397584, -113850, 451176, -586476, 29216, -178761],
        [171204, -45936, 208626, -263076, 14124, -84436],
        [1303104, -453420, 1227336, -1718376, 72336, -461736],
        [737154, -227040, 774576, -1039236, 48081, -300036],
    ],
    [
        [72336, 48081, 29216, 14124, 1776, -8514],
        [-461736, -300036, -178761, -84436, -8976, 52764],
        [1227336, 774576, 451176, 208626, 19976, -130944],
        [-1718376, -1039236, -586476, -263076, -20526, 168124],
        [1303104, 737154, 397584, 171204, 9504, -111771],
        [-453420, -227040, -113850, -45936, -660, 31680],
    ],
)
"""B. von Stengel (1999), New maximal numbers of equilibria in bimatrix games: 75 equilibria."""


@dataclass(frozen=True)
class Draws:
    """Square games of whole numbers between two bounds."""

    size: int
    low: int
    high: int
    seeds: int = 10
    most: float | None = None
    """CPU seconds that the median may take."""

    def game(self, seed: int) -> Longs:
        """Draw a game, [player, row, column]."""
        random = np.random.default_rng(seed)
        return random.integers(self.low, self.high + 1, (2, self.size, self.size))


GAMES = {
    "random 12 by 12": Draws(12, -100, 100, most=0.02),
    "random 15 by 15": Draws(15, -100, 100, most=0.3),
    "random 18 by 18": Draws(18, -100, 100, most=5.0),
    "random 20 by 20": Draws(20, -100, 100, most=40.0),
    "payoffs 0 to 3, 8 by 8": Draws(8, 0, 3),
    "payoffs 0 to 3, 10 by 10": Draws(10, 0, 3),
}
"""The games for all extreme equilibria; the last two are degenerate."""

PEERS = {"lrsnash": 18, "quantecon": 18, "pygambit": 10, "nashpy": 8}
"""The largest games that each peer is given; larger ones take too long."""

LIMIT = 240.0
"""Seconds after which a peer is stopped."""

SPENT = 30.0
"""CPU seconds after which a peer does not begin another game."""


def run(quick: bool, say: Say) -> Section:
    """Measure every part; with `quick`, one case of each."""
    rows: list[Row] = []
    notes: list[str] = []
    for part in PARTS:
        more, said = part(quick, say)
        rows += more
        notes += said
    return Section("equilibria", tuple(rows), tuple(notes))


def two_players(quick: bool, say: Say) -> tuple[list[Row], list[str]]:
    """Return rows for all extreme equilibria of two-player games, with components."""
    notes = [
        *peers.absent("quantecon", "pygambit", "nashpy"),
        *(() if shutil.which("lrsnash") else ("lrsnash is not installed: its rows are left out",)),
        "all extreme equilibria: ours and lrsnash's are exact; quantecon and nashpy use floats, pygambit its "
        "enummixed; an equilibrium that a peer lists twice counts once",
    ]
    rows: list[Row] = []
    for name, draws in some(GAMES, quick):
        count = 2 if quick else draws.seeds
        say(f"equilibria: {name}")
        spent, found = zip(*(_measured(draws.game(seed)) for seed in range(count)), strict=True)
        target = None if draws.most is None else Target(draws.most, least=False, of="ours", unit="s")
        mine = figure("hannan", spent)
        rows.append(Row(f"all equilibria, {name}", mine, target=target, note=f"{sum(found)} in {count} games"))
        for peer, most in PEERS.items():
            if draws.size > most:
                continue
            if shutil.which(peer) is None if peer == "lrsnash" else peers.find(peer) is None:
                continue
            say(f"equilibria: {name}, {peer}")
            try:
                answer = in_time("equilibria:theirs", LIMIT, peer=peer, name=name, seeds=count)
            except HannanError as error:
                notes.append(f"{peer} on {name}: {error}")
                continue
            rows.append(_beside(f"all equilibria, {name}", spent, found, peer, answer))
    spent_75, found_75 = _measured(np.array(STENGEL))
    rows.append(Row("von Stengel's 6 by 6", figure("hannan", [spent_75]), note=f"{found_75} of 75 equilibria"))
    return rows, notes


def _measured(payoffs: Longs) -> tuple[float, int]:
    """Return the CPU seconds that all extreme equilibria (and components, if there are any) take, and a count."""
    form = normal_form(matrix_game(payoffs))
    list(vertices(normal_form(matrix_game(payoffs[:, :2, :2]))))  # loads the kernels
    begun = time.process_time()
    found = list(vertices(form))
    if not all(point.isolated for point in found):
        components(form, [point.fractions for point in found if point.fractions])
    return time.process_time() - begun, len(found)


def _beside(
    measure: str, spent: tuple[float, ...], found: tuple[int, ...], peer: str, answer: dict[str, Any] | None
) -> Row:
    """Return a row that compares ours with a peer, on the games that the peer solved."""
    title = peer if peer == "lrsnash" else peers.title(peer)
    if answer is None:
        mine, theirs, note = (
            figure("hannan", spent[:1]),
            Figure(title, LIMIT, bound=True),
            "the first game; stopped by wall-clock time",
        )
    else:
        done, right = len(answer["seconds"]), sum(found[: len(answer["seconds"])])
        mine, theirs = figure("hannan", spent[:done]), figure(title, answer["seconds"])
        note = "" if done == len(spent) else f"the first {done} games" if done > 1 else "the first game"
        if answer["found"] != right:
            note = f"{note}{', ' if note else ''}NOT THE SAME: {right} here, {answer['found']} there"
    return Row(measure, mine, theirs, theirs.value / mine.value, note=note)


def theirs(peer: str, name: str, seeds: int) -> dict[str, Any]:
    """Let a peer find the equilibria of games for a limited time; return its CPU seconds and how many it found."""
    solve, draws = SOLVERS[peer], GAMES[name]
    warnings.simplefilter("ignore")
    solve(draws.game(0)[:, :3, :3])  # imports and compiles
    seconds: list[float] = []
    found = 0
    for seed in range(seeds):
        begun = _cpu()
        found += solve(draws.game(seed))
        seconds.append(_cpu() - begun)
        if sum(seconds) > SPENT:
            break
    return {"seconds": seconds, "found": found}


def _cpu() -> float:
    """Return the CPU seconds of this process and of its finished child processes."""
    import resource

    started = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + started.ru_utime + started.ru_stime


def _lrsnash(payoffs: Longs) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "game")
        text = "\n\n".join("\n".join(" ".join(map(str, row)) for row in side) for side in payoffs.tolist())
        path.write_text(f"{payoffs.shape[1]} {payoffs.shape[2]}\n\n{text}\n")
        done = subprocess.run(["lrsnash", str(path)], capture_output=True, text=True, check=True)
    found, seconds = 0, 0
    for line in done.stdout.splitlines():  # strategies of player 1, then the matching strategy of player 0
        words = line.split()
        if not words:
            seconds = 0
        elif words[0] == "2":
            seconds += 1
        elif words[0] == "1" and len(words) == payoffs.shape[1] + 2:
            found += seconds
    return found


def _quantecon(payoffs: Longs) -> int:
    from quantecon.game_theory import NormalFormGame, Player, vertex_enumeration

    game = NormalFormGame((Player(payoffs[0].astype(float)), Player(payoffs[1].T.astype(float))))
    return _distinct(vertex_enumeration(game))


def _pygambit(payoffs: Longs) -> int:
    import pygambit

    game = pygambit.Game.from_arrays(*payoffs)
    return len({str(one) for one in pygambit.nash.enummixed_solve(game, rational=True).equilibria})


def _nashpy(payoffs: Longs) -> int:
    import nashpy

    return _distinct(nashpy.Game(*payoffs).vertex_enumeration())


def _distinct(pairs: Iterable[tuple[Floats, Floats]]) -> int:
    """Count pairs of strategies that differ by more than rounding."""
    return len({tuple(np.round(np.concatenate(pair), 9) + 0.0) for pair in pairs})


SOLVERS: dict[str, Callable[[Longs], int]] = {
    "lrsnash": _lrsnash,
    "quantecon": _quantecon,
    "pygambit": _pygambit,
    "nashpy": _nashpy,
}

PARTS: tuple[Callable[[bool, Say], tuple[list[Row], list[str]]], ...] = (two_players, more_players)
