"""The command `hannan play`: a person against a strategy, at the terminal."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import numpy as np

from hannan import arguments
from hannan.cli import HELD, report
from hannan.cli.options import Json, Trusted, Whole, check_targets, consent
from hannan.cli.person import HELP, Choice, Person, Quit
from hannan.cli.report import answer
from hannan.errors import ParameterError, SizeError
from hannan.files import write_bytes
from hannan.forms.game import ExpandedGame, PlayedGame, is_box
from hannan.forms.loader import load
from hannan.forms.trust import Trust
from hannan.holds import held
from hannan.measures.players import Player, table_of
from hannan.measures.plays import PlayTable
from hannan.measures.tables import Measured, measured
from hannan.runs.match_work import game_streams
from hannan.runs.players import player, seated
from hannan.runs.result import Result
from hannan.runs.solve import solve
from hannan.runs.status_line import duration

SECONDS = 10.0
"""How long a strategy is looked for where none is given, at most."""
GAP, LARGE = 1e-4, "mccfr-os"
"""How good it should be, and the method for games too large to expand."""
DEAR = 5e-4
"""A choice that costs less is as good as any: so far from it may the strategy be."""

Stop = Literal["games", "quit", "interrupted"]


@dataclass(frozen=True)
class Played:
    """One play of the person."""

    seat: int
    earned: float
    moves: tuple[str, ...]
    choices: tuple[Choice, ...]

    def record(self) -> dict[str, Any]:
        """Return it as JSON names it."""
        costs = [{"seen": one.seen, "action": one.action, "cost": one.cost, "best": one.best} for one in self.choices]
        return {"seat": self.seat, "earned": self.earned, "moves": list(self.moves), "choices": costs}


def play(
    game: str,
    /,
    *opponents: str,
    seat: Whole | None = None,
    games: Whole | None = None,
    hints: bool = False,
    seed: Whole | None = None,
    record: Path | None = None,
    trust: Trusted = False,
    as_json: Json = False,
) -> None:
    """Play a game against a strategy: you see what your seat sees, choose, and learn what each choice cost.

    Where the opponents play one strategy of a game that can be expanded, or one on a public tree, every choice is
    judged after the play, exactly: what it cost against this strategy, had you gone on as it would. What is hidden is
    not shown before the end.

    Parameters
    ----------
    game
        The game to play.
    opponents
        Who sits in the other seats: strategy files, uniform, methods as cfr+(iterations=100), search, file.py:Rule; one
        for all, or one for each. Without any, the game is solved first, for ten seconds at most.
    seat
        Your seat, from 0; in turn otherwise.
    games
        How many plays; until you quit otherwise.
    hints
        Show what the strategy would do before every choice; the word hint shows it once.
    seed
        Where random numbers begin; another play each time otherwise.
    record
        Write every play here, one JSON object a line.
    """
    check_targets({"--record": record}, (game, *opponents))
    HELD.enter_context(held(record))
    played = load(game).stepped()
    if games is not None:
        arguments.whole("games", games)
    if seat is not None:
        played.check_player(seat)
    if played.players == 0:
        raise ParameterError(f"{played.address} has no seat for anybody")
    others, known = _opponents(played, opponents, consent(trust, as_json))
    first = secrets.randbits(32) if seed is None else arguments.seed(seed)
    person = Person(played, _ask, _say, others[0], known, hints)
    table = PlayTable(played, [person, *others], _seatings(played.players, len(others)))
    _say(f"{played.address}, against {', '.join(dict.fromkeys(one.name for one in others))}; {HELP}\n")
    plays: list[Played] = []
    stop = _plays(table, person, seat, games, first, plays)
    told = {"game": played.address, "opponents": [one.name for one in others], "games": len(plays), **_totals(plays)}
    told |= {"plays": [one.record() for one in plays], "stop": stop, "seed": first}
    try:
        answer(as_json, told, lambda: _show(plays))
    finally:
        if record is not None:
            write_bytes(record, "".join(json.dumps(one.record()) + "\n" for one in plays).encode())


def _opponents(game: PlayedGame, given: Sequence[str], trust: Trust) -> tuple[list[Player], Measured | None]:
    """Return the other players, and the numbers of their profile where all play the same one of an expanded game."""
    seats = max(game.players - 1, 1)  # of one player there is a strategy to ask for hints, too
    if not given and is_box(game):
        raise ParameterError(
            f"{game.address} is a black box, which is not solved in passing: name an opponent, such as the file of a "
            "certificate, or uniform"
        )
    if not given:
        report.note(f"solving {game.address}, for {duration(SECONDS)} at most")
        result = _solved(game)
        others = [player(game, result.strategy, f"{result.method} after {result.iterations:,} iterations")] * seats
    elif len(given) not in (1, seats):
        raise ParameterError(f"{len(given)} opponents for {report.counted(seats, 'seats')}: give one, or one for each")
    else:
        others = seated(game, given, trust=trust) * (seats if len(given) == 1 else 1)
    table = others[0]
    alike = all(one is table for one in others)  # what a choice costs depends on what everybody else plays
    policy = table_of(table)
    if alike and policy is not None and isinstance(policy.game, ExpandedGame):
        profile = policy.profile()
        return [player(game, profile, table.name), *others[1:]], measured(profile.game, profile)
    return others, None


def _solved(game: PlayedGame) -> Result:
    try:
        return solve(game, gap=GAP, seconds=SECONDS, progress=True)
    except SizeError:  # no method that looks at all of it; one that samples learns what it can
        return solve(game, LARGE, seconds=SECONDS, progress=True)


def _seatings(players: int, others: int) -> np.ndarray:
    """Return who sits where as the person, player 0 of the table, takes each seat in turn; [seats, seats]."""
    around = np.arange(1, others + 1)
    rows = [np.insert(around[: players - 1], mine, 0) for mine in range(players)]
    return np.array(rows, np.int64).reshape(players, players)


def _plays(
    table: PlayTable, person: Person, seat: int | None, games: int | None, seed: int, plays: list[Played]
) -> Stop:
    """Play until somebody has enough; the play that is under way then does not count."""
    try:
        while games is None or len(plays) < games:
            mine = len(plays) % table.game.players if seat is None else seat
            chance, drawn = game_streams(seed, len(plays), 1, 1, False)
            done = table.play(mine, int(chance[0, 0]), int(drawn[0, 0]))
            plays.append(Played(mine, float(done.earned[mine]), done.moves, tuple(person.choices)))
            _tell(plays)
    except Quit:
        return "quit"
    except KeyboardInterrupt:
        _say("")
        return "interrupted"
    return "games"


def _tell(plays: Sequence[Played]) -> None:
    """Say how a play ended, and what each choice cost."""
    last = plays[-1]
    _say(f"the play: {' '.join(last.moves)}")
    for one in last.choices:
        if one.cost is not None and one.cost > DEAR:
            _say(f"  at {one.seen}, {one.action} cost {one.cost:.3g}: {one.best} is best against this strategy")
    if last.choices and all(one.cost is not None and one.cost <= DEAR for one in last.choices):
        _say("  no choice cost you anything against this strategy")
    total = sum(one.earned for one in plays)
    _say(f"you earned {last.earned:g}; {total:g} in {report.counted(len(plays), 'plays')}\n")


def _totals(plays: Sequence[Played]) -> dict[str, Any]:
    costs = [one.cost for each in plays for one in each.choices if one.cost is not None]
    return {
        "total": sum(one.earned for one in plays),
        "mean": fmean(one.earned for one in plays) if plays else None,
        "cost": sum(costs) if costs else None,
    }


def _show(plays: Sequence[Played]) -> None:
    if not plays:
        return
    totals = _totals(plays)
    rows = {"plays": len(plays), "you earned": totals["total"], "a play": f"{totals['mean']:.4g}"}
    if totals["cost"] is not None:
        rows["your choices cost"] = f"{totals['cost'] / len(plays):.4g} a play, against this strategy"
    report.facts("", rows)


def _say(line: str) -> None:
    print(line, flush=True)


def _ask(question: str) -> str:
    """Return what is typed; the end of the input is as good as quitting."""
    try:
        return input(question)
    except EOFError:
        _say("")
        raise Quit from None
    except UnicodeDecodeError:
        raise ParameterError(f"what was typed is no text in {sys.stdin.encoding}, which the terminal uses") from None
