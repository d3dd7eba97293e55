"""How good is a profile: best responses over the whole game, and the gaps that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hannan.arrays import Floats, Ints
from hannan.forms.game import ExpandedGame
from hannan.forms.loading import Loadable, load_expanded
from hannan.strategies.asked import Asked
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile, reaches


@dataclass(frozen=True)
class Evaluation:
    """What a profile is worth, and what each player could add by its best deviation."""

    values: tuple[float, ...]
    """The expected utility of each player."""
    best_values: tuple[float, ...]
    """What a best response would earn each player against the others."""
    gains: tuple[float, ...]
    """best_values minus values; never negative."""
    shortfalls: tuple[float, ...] | None
    """Two-player zero-sum with a known value: the value minus what each strategy guarantees."""

    @property
    def nash_conv(self) -> float:
        """The sum of the gains."""
        return sum(self.gains)

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of players."""
        return self.nash_conv / len(self.gains)


@dataclass(frozen=True)
class Response:
    """A best response of one player: a pure strategy, as probabilities, and what it earns."""

    player: int
    strategy: Floats  # [sequences]
    value: float
    profile: Profile
    """The strategy, with what the others do."""


def evaluate(game: Loadable, strategy: Profile | Policy | Asked, value: float | None = None) -> Evaluation:
    """Measure a profile, or a policy of a game that can be expanded, exactly.

    `value` is the value of the game to player 0, if known; the catalogue's is used where there is one. It is needed
    for the shortfalls alone.
    """
    game = load_expanded(game)
    reach = reaches(game, strategy.profile() if isinstance(strategy, Policy | Asked) else strategy)
    values, bests = [], []
    for player in range(game.players):
        earned, best, _ = _against(game, player, reach)
        values.append(earned)
        bests.append(max(best, earned))  # a best response cannot be worse; the two sums may round differently
    gains = tuple(best - earned for best, earned in zip(bests, values, strict=True))
    shortfalls = None
    value = game.known_value if value is None else value
    if game.form.competitive and value is not None:
        total = game.form.total or 0.0
        shortfalls = (value - (total - bests[1]), (total - value) - (total - bests[0]))
    return Evaluation(tuple(values), tuple(bests), gains, shortfalls)


def best_response(game: Loadable, profile: Profile, player: int) -> Response:
    """Return a pure best response of `player` to the others' strategies in `profile`, and its value."""
    game = load_expanded(game)
    game.check_player(player)
    _, value, best = _against(game, player, reaches(game, profile))
    strategy = pure(game, player, best)
    strategies = (*profile.strategies[:player], strategy, *profile.strategies[player + 1 :])
    both = Profile(game, strategies, {"method": "best response", "player": player})
    return Response(player, strategy, value, both)


def pure(game: ExpandedGame, player: int, choices: Ints) -> Floats:
    """Return the pure strategy that takes action number choices[j] at each set j, as probabilities [sequences]."""
    plex = game.form.treeplexes[player]
    strategy = np.zeros(plex.sequences)
    strategy[0] = 1.0
    strategy[plex.begin[:-1] + choices] = 1.0
    return strategy


def respond(game: ExpandedGame, player: int, gradient: Floats) -> tuple[float, Ints]:
    """Return the best value against a gradient over all sequences, and the choice at each set of `player`."""
    from hannan.kernels.fullwidth import passes
    from hannan.layouts.flat import flat_of

    flat = flat_of(game.form)
    best = np.zeros(flat.set_begin[-1], np.int32)
    value = passes.respond(flat, player, gradient.copy(), best)
    return float(value), best[flat.set_begin[player] : flat.set_begin[player + 1]]


def _against(game: ExpandedGame, player: int, reach: Floats) -> tuple[float, float, Ints]:
    """Return what `player` earns, what its best response earns, and that response's choices."""
    from hannan.kernels.fullwidth import passes
    from hannan.layouts.flat import flat_of

    flat = flat_of(game.form)
    gradient = np.zeros_like(reach)
    passes.gradient(flat, player, reach, gradient)
    mine = slice(flat.sequence_begin[player], flat.sequence_begin[player + 1])
    value, best = respond(game, player, gradient)
    return float(np.sum(gradient[mine] * reach[mine])), value, best
