"""How good is a profile, or a solver's average: best responses over the whole game, and the gaps that follow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hannan.arguments import number, shown
from hannan.arrays import Floats, Ints
from hannan.errors import MismatchError, ParameterError, RulesError
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load, load_expanded
from hannan.solvers.base import Solver
from hannan.strategies.asked import Asked
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile, reaches
from hannan.strategies.stated import check_alike


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

    def _repr_html_(self) -> str:
        from hannan.markup import facts, page

        names = ("values", "best_values", "gains", "nash_conv", "exploitability", "shortfalls")
        return page("evaluation", facts({name: getattr(self, name) for name in names}))

    def __repr__(self) -> str:
        values, gains = ([float(f"{x:.6g}") for x in numbers] for numbers in (self.values, self.gains))
        gaps = f"NashConv {self.nash_conv:.6g}, exploitability {self.exploitability:.6g}"
        return f"Evaluation({gaps}, values {values}, gains {gains})"


@dataclass(frozen=True)
class Response:
    """A best response of one player: a pure strategy, as probabilities, and what it earns."""

    player: int
    strategy: Floats  # [sequences]
    value: float
    profile: Profile
    """The strategy, with what the others do."""

    def __repr__(self) -> str:
        return f"Response(player {self.player} earns {self.value:.6g} in {self.profile.game.address})"


def evaluate(game: Loadable, strategy: Profile | Policy | Asked, value: float | None = None) -> Evaluation:
    """Measure a profile, or a policy of a game that can be expanded, exactly.

    `value` is the value of the game to player 0, if known; the catalogue's is used where there is one. It is needed
    for the shortfalls alone.
    """
    value = None if value is None else number("value", value)
    return evaluation_of(load_expanded(game), strategy, value)


def evaluation_of(game: ExpandedGame, strategy: Profile | Policy | Asked, value: float | None = None) -> Evaluation:
    """Measure a strategy of an expanded game; see `evaluate`."""
    reach = reaches(game, strategy.profile() if isinstance(strategy, Policy | Asked) else strategy)
    each = [_against(game, player, reach) for player in range(game.players)]
    return judge(game, [earned for earned, _, _ in each], [best for _, best, _ in each], value)


def judge(
    game: ExpandedGame, values: Sequence[float], best_values: Sequence[float], value: float | None = None
) -> Evaluation:
    """Return the evaluation of a profile that earns `values`, where best responses earn `best_values`."""
    bests = [max(pair) for pair in zip(best_values, values, strict=True)]  # the two sums may round differently
    gains = tuple(best - earned for best, earned in zip(bests, values, strict=True))
    shortfalls = None
    value = game.known_value if value is None else value
    if game.form.competitive and value is not None:
        total = game.form.total or 0.0
        shortfalls = (value - (total - bests[1]), (total - value) - (total - bests[0]))
    return Evaluation(tuple(values), tuple(bests), gains, shortfalls)


def correlated_gains(profiles: Sequence[Profile]) -> list[float]:
    """Return what each player could add by deviating alone, where one of these profiles is drawn and then played."""
    game, gains = profiles[0].game, []
    for player in range(game.players):
        total, earned = np.zeros(sum(plex.sequences for plex in game.form.treeplexes)), 0.0
        for profile in profiles:
            gradient, value = _gradient(game, player, reaches(game, profile))
            total += gradient / len(profiles)
            earned += value / len(profiles)
        gains.append(max(respond(game, player, total)[0] - earned, 0.0))
    return gains


def values(game: Loadable, profile: Profile) -> tuple[float, ...]:
    """Return the expected utility of each player, also in a game in which somebody forgets."""
    loaded = load(game)
    expanded = loaded.refined if isinstance(loaded, ForgetfulGame) else loaded.expanded()
    reach = reaches(expanded, profile)  # refuses a profile of another game
    if isinstance(loaded, ForgetfulGame):
        check_alike(loaded, profile.strategies)
    return tuple(_gradient(expanded, player, reach)[1] for player in range(expanded.players))


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
    from hannan.layouts.layout import flat_of

    flat = flat_of(game.form)
    best = np.zeros(flat.set_begin[-1], np.int32)
    value = passes.respond(flat, player, gradient.copy(), best)
    return float(value), best[flat.set_begin[player] : flat.set_begin[player + 1]]


def _against(game: ExpandedGame, player: int, reach: Floats) -> tuple[float, float, Ints]:
    """Return what `player` earns, what its best response earns, and that response's choices."""
    gradient, earned = _gradient(game, player, reach)
    return earned, *respond(game, player, gradient)


def _gradient(game: ExpandedGame, player: int, reach: Floats) -> tuple[Floats, float]:
    """Return what each sequence of `player` gains against the others' reach, and what its own reach earns it."""
    from hannan.kernels.fullwidth import passes
    from hannan.layouts.layout import flat_of

    flat, gradient = flat_of(game.form), np.zeros_like(reach)
    passes.gradient(flat, player, reach, gradient)
    mine = slice(flat.sequence_begin[player], flat.sequence_begin[player + 1])
    return gradient, float(np.sum(gradient[mine] * reach[mine]))


@dataclass(frozen=True)
class Gaps:
    """How far the average profile of a solver is from equilibrium."""

    evaluation: Evaluation
    cce_gap: float | None
    gap: float
    name: str
    """Which gap it is: NashConv, or the CCE gap."""


def gaps(solver: Solver, profile: Profile | None = None) -> Gaps:
    """Measure the gaps exactly: where the solver's state lies, or on the plain layout; of its average, or a profile."""
    game, average = solver.game.expanded(), solver.measured()
    if average is None:
        evaluation = evaluation_of(game, solver.average() if profile is None else profile)
        cce = cce_gap(solver, evaluation)
    else:
        evaluation = judge(game, average.values, average.best_values)
        cce = _against_play(solver, average.correlated_best_values or evaluation.best_values)
    if not all(map(math.isfinite, (*evaluation.values, *evaluation.best_values, cce or 0.0))):
        raise RulesError(
            f"the payoffs of {solver.game.address} are too large or too small: their sums overflow, or the rates that "
            f"{solver.method} takes for them; measure them in other units"
        )
    if game.form.competitive or cce is None:
        return Gaps(evaluation, cce, evaluation.nash_conv, "NashConv")
    return Gaps(evaluation, cce, cce, "CCE gap")


def cce_gap(solver: Solver, evaluation: Evaluation | None = None) -> float | None:
    """Return the largest gain of any player against the correlated average play, where the solver keeps it."""
    if not isinstance(solver, Solver):
        raise ParameterError(f"{shown(solver)} is no solver, such as hannan.CFR(game)")
    if evaluation is not None and not isinstance(evaluation, Evaluation):
        raise ParameterError(f"evaluation={shown(evaluation)} should be what `evaluate` returns")
    if evaluation is not None and len(evaluation.values) != solver.game.players:
        raise MismatchError(f"the evaluation is of {len(evaluation.values)} players; {solver.game.address} has others")
    play = solver.correlated()
    if play is None:
        return None
    game = solver.game.expanded()
    if play.gradient is None:
        return _against_play(solver, (evaluation or evaluation_of(game, solver.average())).best_values)
    return _against_play(solver, [respond(game, player, play.gradient)[0] for player in range(game.players)])


def _against_play(solver: Solver, best_values: Sequence[float]) -> float | None:
    """Return the largest gain against the correlated average play, from what best responses to it earn."""
    play = solver.correlated()
    if play is None:
        return None
    gains = [best - value for best, value in zip(best_values, play.values, strict=True)]
    return math.nan if any(map(math.isnan, gains)) else max(0.0, *gains)
