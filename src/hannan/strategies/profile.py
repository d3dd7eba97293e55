"""Profiles: one behaviour strategy per player, read-only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from hannan.arguments import count, numbers, shown
from hannan.arguments import seed as checked_seed
from hannan.arrays import Floats, frozen
from hannan.errors import FileError, HannanError, MismatchError, ParameterError
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load, load_expanded
from hannan.forms.treeplex import even
from hannan.strategies.seats import Seat, TableSeat
from hannan.strategies.stated import parted
from hannan.strategies.strategy import Strategy, later
from hannan.strategies.written import FORM, Places, fixed_sets, read_csv


@dataclass(frozen=True, eq=False)
class Profile(Strategy):
    """One behaviour strategy for each player of a game.

    `strategies[p][s]` is the probability with which player p takes the last action of sequence s at its set; entry 0,
    the empty sequence, is 1.
    """

    game: ExpandedGame
    strategies: tuple[Floats, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Where the profile came from: method, iterations, gap, seed. A read-only copy of what was given."""
    kind = "a profile"
    is_table = True

    def __post_init__(self) -> None:
        if not isinstance(self.game, ExpandedGame):
            raise ParameterError(f"a profile needs an expanded game, not {shown(self.game)}; see hannan.profile")
        if not isinstance(self.strategies, tuple) or not all(isinstance(s, np.ndarray) for s in self.strategies):
            raise ParameterError("the strategies of a profile are a tuple of arrays; hannan.profile takes other forms")
        if not all(strategy.dtype.kind in "biuf" for strategy in self.strategies):
            raise ParameterError("the strategies of a profile are arrays of numbers")
        whole = tuple(strategy.astype(np.float64, copy=False) for strategy in self.strategies)
        object.__setattr__(self, "strategies", whole)  # kernels would round their results to other types
        if not isinstance(self.facts, Mapping):
            raise ParameterError(f"facts={shown(self.facts)} should be a dictionary")
        object.__setattr__(self, "facts", MappingProxyType(dict(self.facts)))
        plexes = self.game.form.treeplexes
        if len(self.strategies) != len(plexes):
            raise MismatchError(
                f"{len(self.strategies)} strategies for the {len(plexes)} players of {self.game.address}"
            )
        for player, (plex, strategy) in enumerate(zip(plexes, self.strategies, strict=True)):
            if strategy.shape != (plex.sequences,):
                raise MismatchError(
                    f"player {player} of {self.game.address} has {plex.sequences} sequences, the strategy "
                    f"{strategy.size} numbers"
                )
            if not np.all((strategy >= 0) & (strategy <= 1 + 1e-9)) or strategy[0] != 1.0:
                raise ParameterError(f"the strategy of player {player} has a number that is not a probability")
            if plex.sets:
                sums = np.add.reduceat(strategy, plex.begin[:-1])
                worst = int(np.abs(sums - 1).argmax())
                if abs(sums[worst] - 1) > 1e-6:
                    raise ParameterError(
                        f"the strategy of player {player} at {self.game.set_text(player, worst)!r} sums to "
                        f"{sums[worst]:.9g}, not 1"
                    )
            frozen(strategy)

    def __reduce__(self) -> tuple[Any, ...]:
        return Profile, (self.game, self.strategies, dict(self.facts))  # a read-only view cannot be copied or pickled

    @property
    def players(self) -> int:
        """How many players there are."""
        return len(self.strategies)

    def profile(self) -> Profile:
        return self

    def policy(self) -> Any:
        return self._policy

    @cached_property
    def _policy(self) -> Any:
        return later("strategies.policy", "Policy").of_profile(self)

    def sit(self, seat: int, luck: int) -> Seat:
        self.game.check_player(seat)
        return TableSeat(self._policy, seat)

    @property
    def digest(self) -> str:
        return str(self._policy.digest)

    def save(self, path: str | PathLike[str]) -> None:
        later("strategies.files", "save_profile")(self, path)

    def at(self, player: int, place: int | str) -> dict[str, float]:
        number = self.game.find_set(player, place)
        begin = int(self.game.form.treeplexes[player].begin[number])
        actions = self.game.actions_at(player, number)
        return {action: float(self.strategies[player][begin + k]) for k, action in enumerate(actions)}

    def with_(self, strategies: Mapping[int, Places | Profile]) -> Profile:
        """Return the profile with other probabilities at some sets, or with players' strategies from other profiles."""
        if not isinstance(strategies, Mapping):
            raise ParameterError(f"{shown(strategies)} should be {FORM}")
        changed = list(self.strategies)
        for player, places in strategies.items():
            self.game.check_player(player)
            if isinstance(places, Profile):
                check_profile(self.game, places)
                changed[player] = places.strategies[player]
                continue
            begin, strategy = self.game.form.treeplexes[player].begin, self.strategies[player].copy()
            for j, plays in fixed_sets(self.game, player, places, "strategy").items():
                strategy[begin[j] : begin[j + 1]] = plays
            changed[player] = strategy
        return Profile(self.game, tuple(changed), self.facts)

    def table(self, most: int = 20) -> list[tuple[int, str, dict[str, float]]]:
        """List (player, information set, probabilities) for the first sets of each player, at most `most` of them."""
        most, rows = count("most", most), []
        for player in range(self.players):
            for number in range(min(most, self.game.form.treeplexes[player].sets)):
                rows.append((player, self.game.set_text(player, number), self.at(player, number)))
        return rows

    def __repr__(self) -> str:
        sets = sum(plex.sets for plex in self.game.form.treeplexes)
        how = f" by {self.facts['method']}" if "method" in self.facts else ""
        lines = [f"Profile of {self.game.address}{how}: {self.players} players, {sets} information sets"]
        for player, name, plays in self.table(most=6):
            shown = "  ".join(f"{action} {probability:.4f}" for action, probability in plays.items())
            lines.append(f"  player {player}  {name}:  {shown}")
        if sum(min(6, plex.sets) for plex in self.game.form.treeplexes) < sets:
            lines.append("  …")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from hannan.markup import plays

        return plays(self.game.address, self.table(), sum(plex.sets for plex in self.game.form.treeplexes))


def uniform(game: Loadable) -> Profile:
    """Return the profile in which every player takes every action with equal probability.

    If a game is too large to expand, `Policy.uniform(game)` gives the same strategy.

    Parameters
    ----------
    game : whatever `load` takes
        A game that can be expanded.

    Returns
    -------
    Profile
        The uniform strategies.

    Raises
    ------
    SizeError
        If the game is too large to expand.

    Examples
    --------
    >>> import hannan as hn
    >>> hn.uniform("kuhn_poker").at(1, "Qb")
    {'p': 0.5, 'b': 0.5}
    """
    loaded = load(game)
    game = loaded.refined if isinstance(loaded, ForgetfulGame) else loaded.expanded()
    return Profile(game, tuple(even(plex) for plex in game.form.treeplexes), {"method": "uniform"})


def random_profile(game: Loadable, seed: int = 0) -> Profile:
    """Draw a profile at random, uniformly from the simplex at every information set.

    Parameters
    ----------
    game : whatever `load` takes
        A game that can be expanded.
    seed : int, default: 0
        The seed of the random numbers. Equal seeds give equal profiles.

    Returns
    -------
    Profile
        The drawn strategies.

    Raises
    ------
    SizeError
        If the game is too large to expand.

    Examples
    --------
    >>> import hannan as hn
    >>> hn.random_profile("matching_pennies", seed=0)
    Profile of matching_pennies by random: 2 players, 2 information sets
      player 0  start:  heads 0.6386  tails 0.3614
      player 1  start:  heads 0.9354  tails 0.0646
    """
    game, seed = load_expanded(game), checked_seed(seed)
    strategies = []
    for player, plex in enumerate(game.form.treeplexes):
        draws = np.random.Generator(np.random.Philox(key=[seed, player])).exponential(size=plex.sequences)
        strategies.append(normalised(game, player, draws))
    return Profile(game, tuple(strategies), {"method": "random", "seed": seed})


def normalised(game: ExpandedGame, player: int, weights: Floats) -> Floats:
    """Scale nonnegative weights to sum to 1 at each information set; uniform where they are all 0."""
    plex = game.form.treeplexes[player]
    strategy = np.ones(plex.sequences)
    if plex.sets:
        sums = np.add.reduceat(weights, plex.begin[:-1])
        total = np.repeat(sums, plex.sizes)
        even = np.repeat(1.0 / plex.sizes, plex.sizes)
        strategy[1:] = np.divide(weights[1:], total, out=even, where=total > 0)
    return strategy


def profile(
    game: Loadable,
    strategies: Sequence[Floats] | Mapping[int, Places | Profile] | str | PathLike[str],
    *,
    rest: Profile | None = None,
) -> Profile:
    """Build a profile from data: what players do at some information sets or at all of them.

    Parameters
    ----------
    game : whatever `load` takes
        The game. If its players forget, information sets are those that the game states, and the profile is one of the
        game's refinement.
    strategies : dict, list of arrays, or path
        For each player, what it does at its sets: `{player: {set: {action: probability}}}`. A set is given by name,
        number, pattern such as `J*`, or path of play. Instead of the inner dictionary, a profile gives its strategy of
        that player. Or: a CSV file as `export_csv` writes it. Or: one array of probabilities per player.
    rest : Profile, optional
        What players do at all other sets. Default: all actions are equally likely.

    Returns
    -------
    Profile
        One behaviour strategy per player.

    Raises
    ------
    UnknownNameError
        If the game has no such player, set or action.
    ParameterError
        If the probabilities at a set are not a distribution.

    Examples
    --------
    >>> import hannan as hn
    >>> timid = hn.profile("kuhn_poker", {0: {"*": {"p": 1}, "K": {"b": 1}}})
    >>> timid.at(0, "K"), timid.at(0, "J")
    ({'p': 0.0, 'b': 1.0}, {'p': 1.0, 'b': 0.0})
    """
    loaded = load(game)
    expanded = loaded.refined if isinstance(loaded, ForgetfulGame) else loaded.expanded()
    if isinstance(loaded, ForgetfulGame) and isinstance(strategies, Mapping):
        strategies = {
            player: places if isinstance(places, Profile) else parted(loaded, player, places)
            for player, places in strategies.items()
        }
    if isinstance(strategies, str | PathLike | Mapping):
        if rest is not None:
            check_profile(expanded, rest)
        others = replace(uniform(expanded) if rest is None else rest, facts={})
        return others.with_(strategies) if isinstance(strategies, Mapping) else _by_csv(others, strategies)
    if rest is not None:
        raise ParameterError("rest is for strategies that are given set by set; arrays leave nothing open")
    if isinstance(strategies, np.ndarray) or not isinstance(strategies, Sequence):
        raise ParameterError(f"{shown(strategies)} should be {FORM}, a CSV file, or a list of one array per player")
    return Profile(expanded, tuple(numbers(f"strategies[{p}]", one) for p, one in enumerate(strategies)))


def _by_csv(others: Profile, path: str | PathLike[str]) -> Profile:
    try:
        return others.with_(read_csv(others.game, path))
    except FileError:
        raise
    except HannanError as error:
        raise type(error)(f"{path}: {error}") from None


def check_is_profile(profile: object) -> None:
    """Refuse anything but a profile."""
    if not isinstance(profile, Profile):
        raise ParameterError(f"{shown(profile)} is not a profile; `solve` finds one, `read` and `uniform` return one")


def check_profile(game: ExpandedGame, profile: Profile) -> None:
    """Refuse anything but a profile of this game."""
    check_is_profile(profile)
    if profile.game is not game and profile.game.form.hash != game.form.hash:
        raise MismatchError(f"the strategy is for {profile.game.address}, not for {game.address}")


def reaches(game: ExpandedGame, profile: Profile) -> Floats:
    """Return the reach of every sequence of every player under the profile, in the order of `Flat`."""
    from hannan.kernels.fullwidth import passes
    from hannan.layouts.layout import flat_of

    check_profile(game, profile)
    strategy = np.concatenate(profile.strategies)
    reach = np.empty_like(strategy)
    for player in range(game.players):
        passes.spread(flat_of(game.form), player, strategy, reach)
    return reach
