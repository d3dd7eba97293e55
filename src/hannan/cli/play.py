"""The command `hannan play`: a person against a strategy, at the terminal."""

from __future__ import annotations

import json
import secrets
import sys
from pathlib import Path
from typing import Literal

from hannan import arguments
from hannan.cli import HELD, report
from hannan.cli.options import Json, Trusted, Whole, check_targets, consent
from hannan.cli.person import HELP, Quit, Terminal
from hannan.cli.report import answer
from hannan.errors import ParameterError
from hannan.files import write_bytes
from hannan.forms.loader import load
from hannan.holds import held
from hannan.runs.sitting import Sitting
from hannan.runs.sitting import opponents as who_plays
from hannan.runs.status_line import duration

DEAR = 5e-4
"""A choice that costs less counts as best: the strategy itself may be off by this much."""

Stop = Literal["games", "quit", "interrupted"]


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

    If the opponents play one strategy of a game that can be expanded, or one on a public tree, every choice is judged
    after the play, exactly: what it cost against this strategy if you then play on as the strategy would. Hidden
    information is not shown before the end.

    Parameters
    ----------
    game
        The game to play.
    opponents
        Who sits in the other seats: strategy files, uniform, methods as cfr+(iterations=100), search, file.py:Rule; one
        for all, or one for each. Without any, the game is solved first, for ten seconds at most.
    seat
        Your seat, from 0. Default: each seat in turn.
    games
        The number of plays. Default: until you quit.
    hints
        Show what the strategy would do before every choice; the word hint shows it once.
    seed
        The seed of the random numbers. Default: another one each time.
    record
        Write every play here, one JSON object per line.
    """
    check_targets({"--record": record}, (game, *opponents))
    HELD.enter_context(held(record))
    played = load(game).stepped()
    if games is not None:
        arguments.whole("games", games)
    if seat is not None:
        played.check_player(seat)
    if played.players == 0:
        raise ParameterError(f"{played.address} has 0 players, so it cannot be played")
    against = who_plays(
        played,
        opponents,
        trust=consent(trust, as_json),
        solving=lambda seconds: report.note(f"solving {played.address}, for {duration(seconds)} at most"),
    )
    names = [one.name for one in against.players]
    first = secrets.randbits(32) if seed is None else arguments.seed(seed)
    sitting = Sitting(played, against, Terminal(_ask, _say, hints).decide, seat=seat, seed=first)
    _say(f"{played.address}, against {', '.join(dict.fromkeys(names))}; {HELP}\n")
    stop = _plays(sitting, games)
    told = {"game": played.address, "opponents": names, "games": len(sitting.plays), **sitting.score.record()}
    told |= {"plays": [one.record() for one in sitting.plays], "stop": stop, "seed": first}
    try:
        answer(as_json, told, lambda: _show(sitting))
    finally:
        if record is not None:
            write_bytes(record, "".join(json.dumps(one.record()) + "\n" for one in sitting.plays).encode())


def _plays(sitting: Sitting, games: int | None) -> Stop:
    """Play until the person stops; an unfinished play does not count."""
    try:
        while games is None or len(sitting.plays) < games:
            _say(f"you are player {sitting.next_seat}")
            sitting.play()
            _tell(sitting)
    except Quit:
        return "quit"
    except KeyboardInterrupt:
        _say("")
        return "interrupted"
    return "games"


def _tell(sitting: Sitting) -> None:
    """Print how a play ended, and what each choice cost."""
    last = sitting.plays[-1]
    _say(f"the play: {' '.join(last.moves)}")
    for one in last.choices:
        if one.cost is not None and one.cost > DEAR:
            _say(f"  at {one.seen}, {one.action} cost {one.cost:.3g}: {one.best} is best against this strategy")
    if last.choices and all(one.cost is not None and one.cost <= DEAR for one in last.choices):
        _say("  no choice cost you anything against this strategy")
    _say(f"you earned {last.earned:g}; {sitting.score.total:g} in {report.counted(len(sitting.plays), 'plays')}\n")


def _show(sitting: Sitting) -> None:
    score = sitting.score
    if score.mean is None:
        return
    rows = {"plays": score.plays, "you earned": score.total, "a play": f"{score.mean:.4g}"}
    if score.cost is not None:
        rows["your choices cost"] = f"{score.cost / score.plays:.4g} a play, against this strategy"
    report.facts("", rows)


def _say(line: str) -> None:
    print(line, flush=True)


def _ask(question: str) -> str:
    """Return what is typed; the end of the input counts as quitting."""
    try:
        return input(question)
    except EOFError:
        _say("")
        raise Quit from None
    except UnicodeDecodeError:
        raise ParameterError(f"the input is not text in {sys.stdin.encoding}, the encoding of the terminal") from None
