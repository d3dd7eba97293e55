"""Tables of information sets under a strategy: frequency, value, and the probability and regret of each action."""

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
    """The gain from taking this action instead of the strategy, given that the set is reached."""


@dataclass(frozen=True)
class SetRow:
    """One information set under a profile."""

    player: int
    name: str
    reach: float | None
    """The probability that chance and the others lead to the set if the player itself tries to; None: unknown."""
    frequency: Known  # float | None
    """The probability that play reaches the set under the profile; None: unknown, for a black box."""
    value: float | None
    """The player's expected utility given that the set is reached; None if the others never lead to it."""
    actions: tuple[ActionRow, ...]


class SetRows(tuple[SetRow, ...]):
    """Rows of information sets, in their order."""

    game: str
    """The address of the game."""
    total: int
    """The number of sets that were selected; the rows are the first of them."""
    exact: bool
    """Whether frequencies and values are exact; otherwise they are estimated from plays."""

    def record(self) -> dict[str, Any]:
        """Return the rows as one object for JSON; `shown` is the number of rows."""
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
    """List the information sets that play reaches most often, with what the strategy does there.

    Call `summary(strategy)` or `summary(game, strategy)`. If a strategy is not expanded, the sets are those that the
    plays met: frequencies are shares of the plays, values are means over them, and reaches and regrets are None. For a
    black box, the sets are those of the table, ordered by how often the player's own choices lead there. A profile of
    a game with locks is shown with the locked sets included.

    Parameters
    ----------
    game : whatever `load` or `read` takes
        The game; or the strategy, if it knows its game.
    strategy : Strategy, Result, path or text, optional
        The strategies of all players.
    most : int, default: 20
        The largest number of sets.
    places : list of str, optional
        Only these sets: names, patterns such as `J*`, or paths of play such as `r:J:Q:p`.
    player : int, optional
        Only the sets of this player.
    plays : int, default: 1000
        How many plays look for information sets, if the strategy is not expanded.
    seed : int, default: 0
        The seed of these plays.

    Returns
    -------
    SetRows
        A tuple of `SetRow`, the most frequent first.

    Raises
    ------
    UnknownNameError
        If `places` names a set that the game does not have.

    Examples
    --------
    >>> import hannan as hn
    >>> [row.name for row in hn.summary(hn.uniform("kuhn_poker"), most=3)]
    ['J', 'Q', 'K']
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
    """Return the players' sets that names, patterns or paths select; without `places`, all sets, by frequency."""
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
    """Write a strategy to a CSV file, one line per action of each information set.

    The columns are `COLUMNS`, as in `SetRow` and `ActionRow`. Value and regret are empty if they have no meaning. The
    file is written under a temporary name and then renamed. If the strategy is not expanded, the file has the sets
    that the plays met, the most frequent first; for a black box, all sets that the table knows.

    Parameters
    ----------
    strategy : Strategy, Result or path
        What to write.
    path : str or Path
        The file.
    plays : int, default: 1000
        How many plays look for information sets, if the strategy is not expanded.
    seed : int, default: 0
        The seed of these plays.

    Raises
    ------
    UnsuitableError
        If the strategy is on a public tree, as for hold'em, and its game is too large to expand.
    FileError
        If the file cannot be written.

    Examples
    --------
    >>> import hannan as hn
    >>> hn.export_csv(hn.uniform("matching_pennies"), "pennies.csv")
    >>> print(open("pennies.csv").read().splitlines()[1])
    0,start,heads,0.5,1.0,1.0,0.0,0.0
    """
    given = strategy_of(strategy)
    if isinstance(given, PublicStrategy):
        if given.game.form.histories > LARGEST_PUBLIC:
            raise UnsuitableError(
                f"{given.game.address} has {given.game.form.histories:,} histories, too many for one table of all "
                "information sets. hannan show --csv writes the table of one node; choose the node with --at"
            )
        given = unlocked(given).profile()
    if isinstance(given, Profile):
        write_rows(path, measured(given.game, given).rows())
    else:
        write_rows(path, summary(given, most=2**31, plays=plays, seed=seed))


def write_rows(path: str | PathLike[str], rows: Iterable[SetRow]) -> None:
    """Write one line of `COLUMNS` for each action of each set; replace the file atomically."""
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
    """Numbers of all sets of all players, in the order of `Flat`."""

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
    """Return reaches, frequencies, values and regrets of all sets; for a game with locks, of the game without locks."""
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
    if game.form.rows < game.players:  # payoffs of player 1 are stored as minus those of player 0; do the same here
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
