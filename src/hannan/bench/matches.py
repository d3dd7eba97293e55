"""Matches: plays per second, next to OpenSpiel's evaluation of bots; the games that variance reduction saves."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.bench import peers
from hannan.bench.rows import Figure, Row, Say, Section, Target, alone, beside
from hannan.bench.stopwatch import NORMAL, QUICK, Task, figure, interleaved, timed
from hannan.forms.game import PlayedGame
from hannan.forms.loader import load, load_expanded
from hannan.measures.players import playing
from hannan.measures.plays import PlayTable
from hannan.runs.match import match
from hannan.runs.match_pieces import game_streams
from hannan.runs.tally import MatchResult
from hannan.solvers.fullwidth.cfr import CFR
from hannan.solvers.sampling.external_sampling import ExternalSampling
from hannan.solvers.sampling.outcome_sampling import OutcomeSampling
from hannan.strategies.policy import Policy
from hannan.strategies.ruled import Sight

PLAYED = {
    "Goofspiel-13": (
        "goofspiel(cards=13)",
        "turn_based_simultaneous_game(game=goofspiel(imp_info=True,num_cards=13,points_order=random,"
        "returns_type=point_difference))",
    ),
    "liar's dice, five dice": ("liars_dice(dice=5)", "liars_dice(numdice=5)"),
}
SMALL = {"liar's dice-6": ("liars_dice", "liars_dice")}
"""Our address, and OpenSpiel's name."""

LEARNT = 20_000
"""Iterations of the sampler whose policy plays."""
ROWS = 2048
"""The rows, of two games each, in one call."""
LEAST, SAVED = 10.0, 5.0
RULE_GAMES = 4000
"""The rows in one call with a rule, which plays by plain steps."""

FEW, MANY, SECONDS, GAMES = 10, 1000, 10.0, 200_000
"""Iterations of the two profiles that meet on Leduc, seconds of the sampler that learns values, and games."""

NOTES = (
    f"Plays of what {LEARNT:,} iterations of outcome sampling have learnt, in both seats, ours with our policy and "
    "theirs with OpenSpiel's: each choice looks up its set, and what was never visited is played uniformly. Theirs are "
    "policy bots in `evaluate_bots`, C++; a game of simultaneous moves is turned into one of turns for them. One "
    "thread, in turns.",
    "Games saved: how many independent games without corrections would give the same interval, over the games played. "
    "`Duplicate play` gives both seatings the same cards; `corrected` adds AIVAT's corrections, with values that "
    f"external sampling learnt on the rules in about {SECONDS:g} s, from none of the two profiles; `imagined` also "
    "takes the mean over all hands that the table could have held when it met the rule.",
)


def run(quick: bool, say: Say) -> Section:
    """Time plays, then measure the games saved on Leduc; with `quick`, on small games."""
    rows = []
    for name, (ours, theirs) in (SMALL if quick else PLAYED).items():
        say(f"matches: {name}, plays")
        rows.append(plays(name, ours, theirs, quick))
    say("matches: games saved")
    rows += saved("Kuhn" if quick else "Leduc", "kuhn_poker" if quick else "leduc_poker", quick)
    return Section("matches", tuple(rows), (*NOTES, *peers.absent("OpenSpiel")))


def plays(name: str, address: str, there: str, quick: bool) -> Row:
    """Time plays of a policy against itself, in turns with OpenSpiel's bots."""
    game = load(address).played()
    solver = OutcomeSampling(game, over="rules", seed=1)
    iterations = 100 if quick else LEARNT
    solver.run(iterations)
    tasks: list[Task] = [_ours(game, solver.policy())]
    pyspiel = peers.find("OpenSpiel")
    if pyspiel is not None:
        tasks.append(_theirs(pyspiel, there, iterations))
    times = interleaved(tasks, QUICK if quick else NORMAL)
    ours = figure("hannan", times[0], "plays/s", 2 * ROWS)
    other = None if pyspiel is None else figure(peers.title("OpenSpiel"), times[1], "plays/s", 2 * ROWS)
    return beside(f"{name}, plays of a policy", ours, other, None if quick else Target(LEAST))


def _ours(game: PlayedGame, policy: Policy) -> Task:
    one = playing(game, "policy", policy)
    table = PlayTable(game, [one, one], np.array([[0, 1], [1, 0]]))

    def task(count: int) -> None:
        for k in range(count):
            table.batch(*game_streams(0, k * ROWS, ROWS, 2, True))

    return task


def _theirs(pyspiel: Any, address: str, iterations: int) -> Task:
    """Return OpenSpiel's bots with the policy of its own outcome sampling."""
    game = pyspiel.load_game(address)
    solver = pyspiel.OutcomeSamplingMCCFRSolver(game, seed=1)
    for _ in range(iterations):
        solver.run_iteration()
    policy = solver.average_policy()
    bots = [pyspiel.make_policy_bot(game, player, 1 + player, policy) for player in range(2)]
    alive = solver, policy  # bots do not keep a reference to their policy

    def task(count: int) -> None:
        assert alive
        for k in range(2 * ROWS * count):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, k)

    return task


def saved(name: str, address: str, quick: bool) -> list[Row]:
    """Let two CFR profiles meet with independent games, with duplicate play, and with corrections."""
    game = load_expanded(address)
    profiles = []
    for iterations in (FEW, MANY):
        solver = CFR(game)
        solver.run(iterations)
        profiles.append(solver.average())
    iterations = 200 if quick else _iterations(game)
    kinds: dict[str, dict[str, Any]] = {"duplicate play": {}, "corrected": {"aivat": iterations}}
    rows = []
    for kind, parameters in kinds.items():
        result = match(game, *profiles, games=2000 if quick else GAMES, seed=1, **parameters)
        least = SAVED if kind == "corrected" and not quick else None
        rows.append(_reduced(f"{name}, CFR of {MANY:,} and {FEW} iterations, {kind}", result, 1, least))
    result = match(game, profiles[1], _calling, games=200 if quick else RULE_GAMES, seed=1, aivat=iterations)
    rows.append(_reduced(f"{name}, CFR of {MANY:,} iterations and a rule that calls, imagined", result, 0))
    return rows


def _reduced(measure: str, result: MatchResult, player: int, least: float | None = None) -> Row:
    """Return how many games were saved, and the score of a player with its bound and Student's interval."""
    ratio = Figure("hannan", result.variance_reduction or float("nan"), "times fewer games")
    bound, interval = result.half_widths[player], result.interval_half_widths[player]
    score = f"{result.scores[player]:.4f} a game after {result.games:,} games"
    note = f"{score}, off by at most {bound:.4f} (Student: {interval:.4f})"
    return alone(measure, ratio, least=least, note=note)


def _calling(sight: Sight) -> Any:
    """Call, or pass if the action does not exist."""
    return "c" if "c" in sight.names else sight.names[0]


def _iterations(game: PlayedGame) -> int:
    """Return how many iterations external sampling makes in its time."""
    solver = ExternalSampling(game, over="rules", seed=1)
    solver.run(1000)
    return int(SECONDS / timed(solver.run, 20_000))
