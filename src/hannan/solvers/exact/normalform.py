"""The normal form: every plan for a whole game as one choice, and the maps to behaviour and back.

H. W. Kuhn (1953), Extensive games and the problem of information: with perfect recall a mixture of plans and a
behaviour strategy can do the same. A game has exponentially many plans, so the normal form is for small games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from hannan.arguments import count, each_whole, place, shown, truth
from hannan.arguments import numbers as checked_numbers
from hannan.arrays import Floats, Ints, frozen
from hannan.errors import MismatchError, ParameterError, SizeError, UnsuitableError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load_expanded
from hannan.forms.sequence import SequenceForm
from hannan.forms.treeplex import EMPTY, Treeplex
from hannan.solvers.exact.linear import DROWNED
from hannan.solvers.exact.maximin import guarantees, mixtures
from hannan.strategies.profile import Profile, check_profile, normalised

MOST_CELLS = 1_000_000
"""The default limit on the combinations of plans of a normal form."""

UNREACHED = -1
"""The choice of a reduced plan at a set that its own earlier choices do not reach."""

CHUNK = 4_000_000
"""The most combinations of plans, over all entries, that are laid out at once."""


@dataclass(frozen=True, eq=False)
class NormalForm:
    """A game in which all players pick one plan (a pure strategy) each, at the same time."""

    game: ExpandedGame
    plans: tuple[Ints, ...]  # a player: [plans, sets]  the number of the action at each set, or UNREACHED
    payoffs: Floats  # [players, plans of player 0, plans of player 1, …]

    def __post_init__(self) -> None:
        frozen(self.payoffs)
        for plans in self.plans:
            frozen(plans)

    def __repr__(self) -> str:
        return f"NormalForm({self.game.address}: {' by '.join(f'{len(plans):,}' for plans in self.plans)} plans)"

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.plans)

    @cached_property
    def middles(self) -> Floats:
        """The number that `centred` subtracts from each player's payoffs: 0 unless it drowns their differences."""
        flat = self.payoffs.reshape(self.players, -1)
        low, high = flat.min(axis=1), flat.max(axis=1)
        drowned = np.maximum(np.abs(low), np.abs(high)) > DROWNED * (high - low)
        middles: Floats = np.where(drowned, low + (high - low) / 2, 0.0)
        return middles

    @cached_property
    def centred(self) -> Floats:
        """The payoffs less `middles`: linear programs have tolerances in proportion to the largest number."""
        return self.payoffs - self.middles.reshape(-1, *(1,) * self.players)

    @cached_property
    def scale(self) -> float:
        """A power of two near the largest centred payoff: tolerances are in proportion to it."""
        largest = float(np.abs(self.centred).max(initial=0.0))
        return 2.0 ** round(np.log2(largest)) if largest > 0 else 1.0

    def plan_text(self, player: int, number: int) -> str:
        """Return the name of a plan: the action at each set that it reaches."""
        self.game.check_player(player)
        plex, number = self.game.form.treeplexes[player], place("number", number, len(self.plans[player]))
        choices = enumerate(self.plans[player][number].tolist())
        return ", ".join(
            f"{self.game.set_text(player, j)}: {self.game.action_text(player, int(plex.begin[j]) + choice)}"
            for j, choice in choices
            if choice != UNREACHED
        )

    def mixed(self, profile: Profile) -> tuple[Floats, ...]:
        """Return a behaviour profile as probabilities of plans: the choices at sets are independent."""
        check_profile(self.game, profile)
        mixtures = []
        for plex, plans, strategy in zip(self.game.form.treeplexes, self.plans, profile.strategies, strict=True):
            weights = np.ones(len(plans))
            for j in range(plex.sets):
                chosen = plans[:, j] != UNREACHED
                weights[chosen] *= strategy[plex.begin[j] + plans[chosen, j]]
            mixtures.append(weights)
        return tuple(mixtures)

    def profile(self, mixed: Sequence[Floats]) -> Profile:
        """Return probabilities of plans as behaviour, by Kuhn's theorem; even at sets that no plan in use reaches."""
        if not isinstance(mixed, list | tuple):
            raise ParameterError(f"{shown(mixed)} should be a list of mixed strategies, one for each player")
        if len(mixed) != self.players:
            raise MismatchError(f"{len(mixed)} mixed strategies for the {self.players} players of {self.game.address}")
        strategies = []
        for player, (plans, given) in enumerate(zip(self.plans, mixed, strict=True)):
            weights = checked_numbers(f"mixed[{player}]", given)
            if weights.shape != (len(plans),) or not (weights >= 0).all() or abs(weights.sum() - 1) > 1e-6:
                raise ParameterError(
                    f"the mixed strategy of player {player} should be {len(plans)} probabilities that sum to 1"
                )
            reach = weights @ taken(self.game.form.treeplexes[player], plans)
            strategies.append(normalised(self.game, player, reach))
        return Profile(self.game, tuple(strategies))

    def pure(self, numbers: Sequence[int]) -> Profile:
        """Return the profile in which player p follows its plan numbers[p], and takes first actions off its path."""
        each_whole("numbers", numbers, 0, 2**31 - 1)
        if len(numbers) != self.players:
            raise MismatchError(f"{len(numbers)} plans for the {self.players} players of {self.game.address}")
        for player, (plans, number) in enumerate(zip(self.plans, numbers, strict=True)):
            place(f"numbers[{player}]", number, len(plans))
        strategies = []
        for plex, plans, number in zip(self.game.form.treeplexes, self.plans, numbers, strict=True):
            strategy = np.zeros(plex.sequences)
            strategy[EMPTY] = 1.0
            strategy[plex.begin[:-1] + np.maximum(plans[number], 0)] = 1.0
            strategies.append(strategy)
        return Profile(self.game, tuple(strategies))


def plan_counts(game: Loadable, reduced: bool = True) -> tuple[int, ...]:
    """Count the plans of each player without listing them. Reduced plans leave out sets that they do not reach."""
    counts, reduced = [], truth("reduced", reduced)
    for plex in load_expanded(game).form.treeplexes:
        if not reduced:
            counts.append(prod(plex.sizes.tolist()))
            continue
        ways = [1] * plex.sequences
        begin, parent = plex.begin.tolist(), plex.parent.tolist()
        for j in reversed(range(plex.sets)):
            ways[parent[j]] *= sum(ways[begin[j] : begin[j + 1]])
        counts.append(ways[EMPTY])
    return tuple(counts)


def normal_form(game: Loadable, reduced: bool = True, limit: int = MOST_CELLS) -> NormalForm:
    """Compute the normal form of a game: the plans of each player, and the payoffs of each combination of plans.

    Parameters
    ----------
    game : whatever `load` takes
        A game that can be expanded.
    reduced : bool, default: True
        Merge plans that differ only at information sets that the player's own choices rule out.
    limit : int, default: 1000000
        The largest number of combinations of plans.

    Returns
    -------
    NormalForm
        The plans and the array `payoffs[player, plan of player 0, plan of player 1, …]`.

    Raises
    ------
    SizeError
        If there are more combinations than `limit`.

    Examples
    --------
    >>> import hannan as hn
    >>> hn.normal_form("kuhn_poker")
    NormalForm(kuhn_poker: 27 by 64 plans)
    >>> hn.normal_form("matching_pennies").payoffs[0]
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    limit = count("limit", limit)
    game = load_expanded(game)
    counts = plan_counts(game, reduced)
    if prod(counts) > limit:
        raise SizeError(
            f"the normal form of {game.address} is too large: its players have {' by '.join(map(_readable, counts))} "
            f"{'reduced ' if reduced else ''}pure strategies, and {limit:,} combinations are the limit; methods that "
            "work on the sequence form need no list of them"
        )
    form = game.form
    plans = tuple(plans_of(plex, reduced) for plex in form.treeplexes)
    return NormalForm(game, plans, _payoffs(form, plans))


def _payoffs(form: SequenceForm, plans: tuple[Ints, ...]) -> Floats:
    """Return the payoffs of every combination of plans, [players, plans of player 0, plans of player 1, …]."""
    from scipy.sparse import csr_array

    counts = [len(chosen) for chosen in plans]
    payoffs = np.zeros((form.players, counts[0], prod(counts[1:])))
    users = [
        csr_array(taken(plex, chosen).T, dtype=np.float64) for plex, chosen in zip(form.treeplexes, plans, strict=True)
    ]
    own = form.sequence(0)
    many = np.diff(users[0].indptr)[own] + prod(
        np.diff(users[q].indptr)[form.others[q - 1]] for q in range(1, form.players)
    )
    part = np.cumsum(many) // CHUNK  # entries that are laid out at once
    for entries in np.split(np.arange(form.entries), np.flatnonzero(np.diff(part)) + 1):
        others = csr_array(np.ones((len(entries), 1)))
        for q in range(1, form.players):
            others = _row_products(others, users[q][form.others[q - 1, entries]])
        mine = users[0][own[entries]].T
        for player in range(form.players):
            payoffs[player] += ((mine * form.payoff(player)[entries]) @ others).toarray()
    return payoffs.reshape(form.players, *counts)


def _row_products(one: Any, other: Any) -> Any:
    """Return the outer product of each row of one sparse matrix with the same row of the other, as a row."""
    from scipy.sparse import csr_array

    here, there = np.diff(one.indptr), np.diff(other.indptr)
    ends = np.concatenate(([0], np.cumsum(here * there)))
    row = np.repeat(np.arange(len(here)), here * there)
    first, second = np.divmod(np.arange(ends[-1]) - ends[row], there[row])
    columns = one.indices[one.indptr[row] + first] * other.shape[1] + other.indices[other.indptr[row] + second]
    return csr_array((np.ones(ends[-1]), columns, ends), shape=(len(here), one.shape[1] * other.shape[1]))


def _readable(count: int) -> str:
    digits = len(str(count)) if count < 10**4000 else int(count.bit_length() * 0.30103) + 1
    return f"{count:,}" if digits <= 12 else f"about 10^{digits - 1}"


def plans_of(plex: Treeplex, reduced: bool = True) -> Ints:
    """List the plans of one player, [plans, sets], in order of their choices."""
    plans = np.full((1, plex.sets), UNREACHED, np.int32)
    for j in range(plex.sets):
        above = int(plex.parent[j])
        reached = np.ones(len(plans), bool)
        if reduced and above != EMPTY:
            owner = int(plex.set_of[above])
            reached = plans[:, owner] == above - int(plex.begin[owner])
        copies = np.where(reached, plex.sizes[j], 1)
        ends = np.cumsum(copies)
        choice = np.arange(ends[-1]) - np.repeat(ends - copies, copies)
        plans = np.repeat(plans, copies, axis=0)
        plans[:, j] = np.where(np.repeat(reached, copies), choice, UNREACHED)
    return plans


def taken(plex: Treeplex, plans: Ints) -> npt.NDArray[np.bool_]:
    """Return which sequences each plan plays, [plans, sequences]."""
    moves = np.zeros((len(plans), plex.sequences), bool)
    moves[:, EMPTY] = True
    for j in range(plex.sets):
        rows = np.flatnonzero(moves[:, plex.parent[j]])
        moves[rows, plex.begin[j] + plans[rows, j]] = True
    return moves


@dataclass(frozen=True, eq=False)
class MixedEquilibrium:
    """A Nash equilibrium of a two-player zero-sum normal form."""

    form: NormalForm
    mixed: tuple[Floats, ...]  # a player: [plans]
    lower: float
    """The least that player 0's mixture earns."""
    upper: float
    """The most that player 0 earns against player 1's mixture; the value of the game lies between the two."""

    def __repr__(self) -> str:
        return f"MixedEquilibrium({self.form.game.address}: value {self.lower:.6g} to {self.upper:.6g})"

    @cached_property
    def profile(self) -> Profile:
        """The mixtures as a behaviour profile."""
        return self.form.profile(self.mixed)


def nash_lp(game: Loadable | NormalForm) -> MixedEquilibrium:
    """Solve a two-player zero-sum game in normal form: maximise v such that every column pays player 0 at least v."""
    form = game if isinstance(game, NormalForm) else normal_form(game)
    if not form.game.form.competitive:
        raise UnsuitableError(
            f"a linear program solves two-player zero-sum games, and {form.game.address} is not one; "
            "`correlated_equilibrium` works for every normal form"
        )
    x, y = mixtures(form.centred[0] / form.scale)
    return MixedEquilibrium(form, (x, y), *guarantees(form.payoffs[0], x, y))
