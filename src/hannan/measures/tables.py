"""Which information sets a strategy comes to, how often, what they are worth, and what each action there would gain."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any

import numpy as np

from hannan.arguments import count, whole
from hannan.arguments import seed as checked_seed
from hannan.arrays import Floats, Known
from hannan.errors import HannanError, UnknownNameError, UnsuitableError
from hannan.files import write_text
from hannan.forms.game import LARGEST_PUBLIC, ExpandedGame, is_box, pattern
from hannan.measures.boxtables import box_table
from hannan.measures.visits import PLAYS, Visited, visited
from hannan.strategies.given import Given, strategy_of, two_forms
from hannan.strategies.locks import LockedGame, unlocked
from hannan.strategies.policyset import PolicySet
from hannan.strategies.profile import Profile, check_is_profile, reaches
from hannan.strategies.public import PublicStrategy

COLUMNS = ("player", "set", "action", "probability", "reach", "frequency", "value", "regret")


@dataclass(frozen=True)
class ActionRow:
    """One action of an information set."""

    action: str
    probability: float
    regret: float | None
    """What the player would gain by taking it instead of its mixture, given that the set is reached."""


@dataclass(frozen=True)
class SetRow:
    """One information set under a profile."""

    player: int
    name: str
    reach: float | None
    """The probability that chance and the other players lead to it, if the player itself tries to; None: not known."""
    frequency: Known  # float | None
    """The probability that play comes to it when everybody plays the profile; None: not known, of a black box."""
    value: float | None
    """The player's expected utility given that it is reached; None where the others never lead to it."""
    actions: tuple[ActionRow, ...]


class SetRows(tuple[SetRow, ...]):
    """Rows of information sets, in their order."""

    game: str
    """The address of the game."""
    total: int
    """How many sets were meant; these are the first of them."""
    exact: bool
    """Whether frequencies and values are exact, and not estimated from plays."""

    def record(self) -> dict[str, Any]:
        """Return the rows as one object that JSON can hold; `shown` is how many they are."""
        facts = {"game": self.game, "shown": len(self), "total": self.total, "exact": self.exact}
        return {**facts, "sets": [asdict(row) for row in self]}


def summary(
    game: Given,
    strategy: Given | None = None,
    most: int = 20,
    *,
    places: Sequence[str] = (),
    player: int | None = None,
    plays: int = PLAYS,
    seed: int = 0,
) -> SetRows:
    """Return the `most` information sets that play comes to most often, in that order: `summary(strategy)`.

    The game may be given before the strategy. places: names, patterns such as `J*`, or paths of play such as `r:J:Q:p`:
    these sets alone. player: those of this one alone. A profile of a game with locks is shown as one of the game
    without them, the locked sets included. Of a strategy that is not expanded, these are the sets that `plays` came to:
    frequencies are shares of the plays and values means over them, and reaches and regrets are None. Of a black box,
    they are the sets of the table, those first to which a player's own choices lead most often; only what is played
    there is known.
    """
    if isinstance(strategy, int):  # summary(strategy, most)
        most, strategy = strategy, None
    most, given = count("most", most), two_forms(game, strategy)
    if player is not None:
        given.game.check_player(player)
    players = range(given.game.players) if player is None else (player,)
    rows: Iterable[SetRow]
    if isinstance(given, Profile):
        numbers = measured(given.game, given)
        meant = _meant(numbers, players, places)
        rows, total = (numbers.row(j) for j in meant[:most]), len(meant)
    else:
        if is_box(given.game):
            table, led = box_table(given)
            order = np.argsort(-led, kind="stable").tolist()
            found: list[Any] = [one for one in map(table.set, order) if one.player in players]
        else:
            found = [one for one in visited(given, whole("plays", plays), checked_seed(seed)) if one.player in players]
        if places:
            wanted = [pattern(place) for place in places]
            found = [one for one in found if any(like.fullmatch(one.name) for like in wanted)]
            if not found:
                raise UnknownNameError(f"plays came to no set like {', '.join(places)}; names are what players saw")
        rows, total = (_visited_row(one, plays) for one in found[:most]), len(found)
    result = SetRows(rows)
    result.game, result.total, result.exact = given.game.address, total, isinstance(given, Profile)
    return result


def _meant(numbers: Measured, players: Sequence[int], places: Sequence[str]) -> list[int]:
    """Return the sets of any of the players that names, patterns or paths mean; without any, all, by frequency."""
    from hannan.layouts.layout import flat_of

    game = numbers.game
    begin = flat_of(game.form).set_begin
    if not places:
        every = [j for player in players for j in range(int(begin[player]), int(begin[player + 1]))]
        return sorted(every, key=lambda j: -numbers.frequency[j])
    meant: dict[int, None] = {}
    for place in places:
        refusals, found = [], False
        for player in players:
            try:
                meant |= dict.fromkeys(int(begin[player]) + j for j in game.find_sets(player, place))
                found = True
            except HannanError as error:
                refusals.append(error)
        if not found:
            raise type(refusals[0])("; ".join(map(str, refusals)))
    return list(meant)


def _visited_row(one: Visited | PolicySet, plays: int) -> SetRow:
    if isinstance(one, PolicySet):
        listed = tuple(ActionRow(action, chance, None) for action, chance in one.actions.items())
        return SetRow(one.player, one.name, None, None, None, listed)
    actions = zip(one.actions, one.plays, strict=True)
    return SetRow(
        player=one.player,
        name=one.name,
        reach=None,
        frequency=one.visits / plays,
        value=sum(one.earned) / len(one.earned),
        actions=tuple(ActionRow(action, chance, None) for action, chance in actions),
    )


def export_csv(strategy: Given, path: str | PathLike[str], *, plays: int = PLAYS, seed: int = 0) -> None:
    """Write one line for each action of each information set, in the order of the sets; written atomically.

    The columns are `COLUMNS`, as in `SetRow` and `ActionRow`; value and regret are empty where they mean nothing. Of a
    strategy that is not expanded, these are the sets that `plays` came to, most often first; of a black box, all that
    the table knows. A strategy on a public tree, such as one for hold'em, is expanded; if its game is too large for
    that, it is refused.
    """
    given = strategy_of(strategy)
    if isinstance(given, PublicStrategy):
        if given.game.form.histories > LARGEST_PUBLIC:
            raise UnsuitableError(
                f"{given.game.address} has {given.game.form.histories:,} histories, too many for one table of all "
                "information sets. hannan show --csv writes the table of one node, and --at says which one"
            )
        given = unlocked(given).profile()
    if isinstance(given, Profile):
        write_rows(path, measured(given.game, given).rows())
    else:
        write_rows(path, summary(given, most=2**31, plays=plays, seed=seed))


def write_rows(path: str | PathLike[str], rows: Iterable[SetRow]) -> None:
    """Write one line of `COLUMNS` for each action of each set, atomically."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        for one in row.actions:
            known = (row.player, row.name, one.action, one.probability, row.reach, row.frequency, row.value, one.regret)
            writer.writerow(known)
    write_text(path, text.getvalue())


@dataclass(frozen=True)
class Measured:
    """All sets of all players, end to end as in `Flat`."""

    game: ExpandedGame
    strategy: Floats  # [sequences]
    reach: Floats  # [sets]
    frequency: Floats  # [sets]
    value: Floats  # [sets]  weighted by reach
    regret: Floats  # [sequences]  weighted by reach

    def rows(self) -> Iterable[SetRow]:
        return (self.row(j) for j in range(len(self.reach)))

    def row(self, j: int) -> SetRow:
        from hannan.layouts.layout import flat_of

        flat, game = flat_of(self.game.form), self.game
        player = int(np.searchsorted(flat.set_begin, j, "right")) - 1
        offset = int(flat.sequence_begin[player])
        reach = float(self.reach[j])
        sequences = range(int(flat.first[j]), int(flat.first[j] + flat.size[j]))
        return SetRow(
            player=player,
            name=game.set_text(player, j - int(flat.set_begin[player])),
            reach=reach,
            frequency=float(self.frequency[j]),
            value=float(self.value[j]) / reach if reach > 0 else None,
            actions=tuple(
                ActionRow(
                    game.action_text(player, s - offset),
                    float(self.strategy[s]),
                    float(self.regret[s]) / reach if reach > 0 else None,
                )
                for s in sequences
            ),
        )


def measured(game: ExpandedGame, profile: Profile) -> Measured:
    """Return reaches, frequencies, values and regrets of all sets; of a game with locks, of the one without them."""
    from hannan.kernels.expansion import reach as kernels
    from hannan.kernels.fullwidth import passes
    from hannan.layouts.layout import flat_of

    check_is_profile(profile)
    profile = unlocked(profile)
    if isinstance(game, LockedGame):
        game = game.base
    own = reaches(game, profile)
    strategy = np.concatenate(profile.strategies)
    flat, tree, gain = flat_of(game.form), game.tree, game.tree.gain
    if game.form.rows < game.players:  # what comes later is counted as what player 0 does not get; so is this
        gain = np.stack((gain[:, 0], -gain[:, 0]), axis=1)
    reach, gained = np.zeros(len(flat.first)), np.zeros(len(flat.first))
    kernels.sets(
        game.players, tree.children, tree.turn, tree.slot_begin, tree.slots, tree.probability, tree.gain_node,
        gain, tree.depth_begin, flat.set_begin, flat.first, flat.size, strategy, reach, gained,
    )  # fmt: skip
    worth = np.zeros_like(strategy)
    for player in range(game.players):
        passes.gradient(flat, player, own, worth)
        passes.expect(flat, player, strategy, worth)
    owner = np.repeat(np.arange(len(flat.first)), flat.size)
    sequences = np.delete(np.arange(len(strategy)), flat.sequence_begin[:-1])  # all but the empty ones
    later = np.bincount(owner, strategy[sequences] * worth[sequences], minlength=len(flat.first))
    regret = np.zeros_like(strategy)
    regret[sequences] = worth[sequences] - later[owner]
    return Measured(game, strategy, reach, reach * own[flat.parent], gained + later, regret)
