"""Which information sets a profile comes to, how often, what they are worth, and what each action there would gain."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike

import numpy as np

from hannan.arguments import count
from hannan.arrays import Floats
from hannan.files import write_text
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load_expanded
from hannan.strategies.locks import LockedGame
from hannan.strategies.profile import Profile, check_is_profile, reaches

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
    frequency: float
    """The probability that play comes to it when everybody plays the profile."""
    value: float | None
    """The player's expected utility given that it is reached; None where the others never lead to it."""
    actions: tuple[ActionRow, ...]


def summary(game: Loadable, profile: Profile, most: int = 20) -> tuple[SetRow, ...]:
    """Return the `most` information sets that play comes to most often, in that order.

    A profile of a game with locks is shown as one of the game without them, the locked sets included.
    """
    most = count("most", most)
    numbers = measured(load_expanded(game), profile)
    order = np.argsort(-numbers.frequency, kind="stable")[:most]
    return tuple(numbers.row(int(j)) for j in order)


def export_csv(profile: Profile, path: str | PathLike[str]) -> None:
    """Write one line for each action of each information set, in the order of the sets; written atomically.

    The columns are `COLUMNS`, as in `SetRow` and `ActionRow`; value and regret are empty where they mean nothing.
    """
    check_is_profile(profile)
    write_rows(path, measured(profile.game, profile).rows())


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
    if isinstance(profile.game, LockedGame):
        profile = profile.game.lift(profile)
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
