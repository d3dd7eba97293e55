"""Nash equilibria of games with more than two players, each proven: all isolated ones, complete lists, and one.

Payoffs are drawn uniformly from 0 to 1 by NumPy's generator from the seeds 0, 1, …. If one equilibrium is wanted, games
with a pure equilibrium are skipped. Times are CPU seconds of one thread, from the exact payoffs to the last proof, with
compiled kernels. Peers prove nothing.
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.bench import peers
from hannan.bench.child import in_time
from hannan.bench.rows import Figure, Row, Say, Target, some
from hannan.bench.stopwatch import figure
from hannan.errors import HannanError
from hannan.forms.loader import load_expanded
from hannan.games.matrix import matrix_game
from hannan.solvers.exact.normalform import NormalForm, normal_form
from hannan.solvers.general.cells import exact_cells
from hannan.solvers.general.first import first
from hannan.solvers.general.logit import agent_logit
from hannan.solvers.general.point import Point, finished
from hannan.solvers.general.polynomial import all_supports
from hannan.solvers.general.proofs import prove

KUHN = "kuhn_poker(players=3)"
LIMIT = 60.0
"""Seconds after which a peer is stopped."""


@dataclass(frozen=True)
class Case:
    """Games of one shape, the equilibria that are wanted, and the most CPU seconds of the median."""

    shape: tuple[int, ...]
    wanted: str  # "isolated", "complete" or "one"
    most: float
    seeds: int = 10
    peer: str | None = None
    """The solver of pygambit that is given the first game."""

    def game(self, seed: int) -> Floats:
        """Draw a game, [player, plans of player 0, plans of player 1, …]."""
        return np.random.default_rng(seed).random((len(self.shape), *self.shape))

    def numbers(self, count: int) -> list[int]:
        """Return the first seeds; if one equilibrium is wanted, the seeds of games without a pure equilibrium."""
        if self.wanted != "one":
            return list(range(count))
        return list(islice((seed for seed in itertools.count() if not _has_pure(self.game(seed))), count))


CASES = {
    "isolated equilibria, 3 by 3 by 3": Case((3, 3, 3), "isolated", 0.02, peer="enumpoly_solve"),
    "isolated equilibria, 4 by 4 by 4": Case((4, 4, 4), "isolated", 0.3, peer="enumpoly_solve"),
    "complete list, 3 by 3 by 3": Case((3, 3, 3), "complete", 0.2),
    "complete list, 4 by 4 by 4": Case((4, 4, 4), "complete", 10.0),
    "one, 12 by 12 by 12": Case((12, 12, 12), "one", 0.1, peer="logit_solve"),
    "one, 50 by 50 by 50": Case((50, 50, 50), "one", 60.0, seeds=3),
    "one, six players with three actions": Case((3,) * 6, "one", 1.0, peer="logit_solve"),
}


def _has_pure(payoffs: Floats) -> bool:
    """Return whether a game has a pure equilibrium."""
    best = [own == own.max(axis=player, keepdims=True) for player, own in enumerate(payoffs)]
    return bool(np.all(best, axis=0).any())


def more_players(quick: bool, say: Say) -> tuple[list[Row], list[str]]:
    """Return rows for games of more than two players, and for a tree."""
    rows: list[Row] = []
    notes = [*peers.absent("pygambit"), "pygambit is given the first game of a row; its answers are not proven"]
    for name, case in some(CASES, quick):
        say(f"equilibria: {name}")
        count = 1 if quick else case.seeds
        spent, found, good = zip(*(_measured(case, seed) for seed in case.numbers(count)), strict=True)
        note = f"{sum(found)} proven in {count} games" + (
            f", {sum(good)} complete" if case.wanted == "complete" else ""
        )
        target = Target(case.most, least=False, of="ours", unit="s")
        rows.append(Row(name, figure("hannan", spent), target=target, note=note))
        if case.peer is not None and peers.find("pygambit") is not None:
            say(f"equilibria: {name}, pygambit")
            rows.append(_beside(name, spent[0], case))
    say(f"equilibria: {KUHN}")
    seconds, regret = _tree()
    target = Target(5.0, least=False, of="ours", unit="s")
    rows.append(Row(f"one, {KUHN}", figure("hannan", [seconds]), target=target, note=f"proven regret {regret:.1e}"))
    return rows, notes


def _measured(case: Case, seed: int) -> tuple[float, int, bool]:
    """Return CPU seconds, how many equilibria were proven, and whether the list is complete."""
    _solved(normal_form(matrix_game(case.game(seed)[(slice(None), *(slice(2),) * len(case.shape))])), case.wanted)
    form = normal_form(matrix_game(case.game(seed)), limit=prod(case.shape))
    exact_cells(form)
    begun = time.process_time()
    found, complete = _solved(form, case.wanted)
    return time.process_time() - begun, sum(point.radius is not None for point in found), complete


def _solved(form: NormalForm, wanted: str) -> tuple[list[Point], bool]:
    """Return the proven equilibria, and whether the list is complete."""
    if wanted == "one":
        return [prove(form, next(first(form)).strategies)], False
    found, ending = finished(all_supports(form, complete=wanted == "complete"))
    return found, ending.complete


def _tree() -> tuple[float, float]:
    """Return the CPU seconds of one equilibrium of a three-player tree with its proof, and its regret."""
    game = load_expanded(KUHN)
    prove(game, next(agent_logit(game)).strategies)  # loads the kernels
    begun = time.process_time()
    point = prove(game, next(agent_logit(game)).strategies)
    return time.process_time() - begun, float(point.regret or 0.0)


def _beside(name: str, spent: float, case: Case) -> Row:
    """Return a row that compares ours with pygambit on the first game."""
    title, mine = peers.title("pygambit"), figure("hannan", [spent])
    try:
        answer: dict[str, Any] | None = in_time("more_players:theirs", LIMIT, name=name)
    except HannanError as error:
        return Row(name, mine, note=f"the first game; {case.peer}: {error}")
    if answer is None:
        late = Figure(title, LIMIT, bound=True)
        return Row(name, mine, late, LIMIT / spent, note=f"the first game; {case.peer} was stopped")
    other = figure(title, [answer["seconds"]])
    return Row(name, mine, other, other.value / mine.value, note=f"the first game; {case.peer} finds {answer['found']}")


def theirs(name: str) -> dict[str, Any]:
    """Let pygambit solve the first game of a row; return CPU seconds and how many equilibria it found."""
    import pygambit

    case = CASES[name]
    warnings.simplefilter("ignore")
    solve: Callable[..., Any] = getattr(pygambit.nash, str(case.peer))
    game = pygambit.Game.from_arrays(*case.game(case.numbers(1)[0]))
    begun = time.process_time()
    found = solve(game).equilibria
    return {"seconds": time.process_time() - begun, "found": len(found)}
