"""The command `hannan show`: a strategy, set by set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from hannan import arguments
from hannan.cli import report
from hannan.cli.options import Json, Trusted, Whole, consent
from hannan.cli.report import answer
from hannan.cli.sets import show_sets
from hannan.cli.strategy import strategy_for
from hannan.errors import HannanError, UnknownNameError, UnsuitableError
from hannan.forms.game import ExpandedGame, pattern
from hannan.forms.loader import load
from hannan.layouts.layout import flat_of
from hannan.measures.tables import Measured, SetRow, measured
from hannan.measures.visits import visits
from hannan.strategies.asked import Asked
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile

MOST = 40
"""Sets that are shown where nobody says how many."""


def show(
    game: str,
    file: str,
    /,
    *places: str,
    player: Whole | None = None,
    top: Whole = MOST,
    seed: Whole = 0,
    trust: Trusted = False,
    as_json: Json = False,
) -> None:
    """Show a strategy set by set: how often play comes there, what it is worth, what each action would gain.

    In a game too large to expand, the sets that plays come to most often are shown, with estimates and without regrets.

    Parameters
    ----------
    game
        The game that the strategy is for.
    file
        A strategy file, a checkpoint, or the word `uniform`.
    places
        Which sets: names, patterns such as "J*", or paths of play such as r:J:Q:p; those that play comes to most often
        otherwise.
    player
        Of this player alone.
    top
        How many at most.
    seed
        Where the random numbers of estimates begin.
    """
    top = arguments.whole("top", top)
    played = load(game).played()
    if player is not None:
        played.check_player(player)
    strategy = strategy_for(played, file, consent(trust, as_json))
    players = range(played.players) if player is None else (player,)
    if isinstance(strategy, Asked):
        raise UnsuitableError(
            f"{file} holds networks, which are no table of sets; hannan play asks them, and hannan match plays them"
        )
    if isinstance(strategy, Profile):
        rows, many = _of_profile(strategy, players, places, top)
    else:
        rows, many = _of_policy(strategy, players, places, top, seed)
    record = {"game": played.address, "strategy": file, "shown": len(rows), "sets": [asdict(row) for row in rows]}

    def print_sets() -> None:
        more = "" if len(rows) == many else f" of {many:,}; --top shows more, a name or a pattern such as 'J*' others"
        show_sets(rows, f"{played.address}: {report.counted(len(rows), 'information sets')}{more}")

    answer(as_json, record, print_sets)


def _of_profile(profile: Profile, players: Sequence[int], places: Sequence[str], top: int) -> tuple[list[SetRow], int]:
    """Return rows, and how many sets were meant; of all sets those that play comes to most often come first."""
    numbers = measured(profile.game, profile)
    begin = flat_of(numbers.game.form).set_begin
    if places:
        meant = list(dict.fromkeys(j for place in places for j in _meant(numbers, players, place)))
    else:
        every = [j for player in players for j in range(int(begin[player]), int(begin[player + 1]))]
        meant = sorted(every, key=lambda j: -numbers.frequency[j])
    return [numbers.row(j) for j in meant[:top]], len(meant)


def _meant(numbers: Measured, players: Sequence[int], place: str) -> list[int]:
    """Return the sets of any of the players that a name, a pattern or a path means."""
    game: ExpandedGame = numbers.game
    begin = flat_of(game.form).set_begin
    meant: list[int] = []
    refusal: HannanError | None = None
    for player in players:
        try:
            meant += [int(begin[player]) + j for j in game.find_sets(player, place)]
        except HannanError as error:
            refusal = refusal or error
    if not meant and refusal is not None:
        raise refusal
    return meant


def _of_policy(
    policy: Policy, players: Sequence[int], places: Sequence[str], top: int, seed: int
) -> tuple[list[SetRow], int]:
    """Return the rows of sets that plays come to, by the names that these have, and how many there are."""
    rows = [row for row in visits(policy, 2**31, seed=seed) if row.player in players]
    if places:
        wanted = [pattern(place) for place in places]
        rows = [row for row in rows if any(like.fullmatch(row.name) for like in wanted)]
        if not rows:
            raise UnknownNameError(f"plays came to no set like {', '.join(places)}; names are what players have seen")
    return rows[:top], len(rows)
