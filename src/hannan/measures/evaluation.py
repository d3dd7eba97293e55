"""Measuring a strategy, or a solver's average: best responses over the whole game, and the gaps that follow.

Numbers are exact if the game is expanded. Otherwise plays estimate them, with bounds: see `measures.estimates`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Floats, Ints, Known
from hannan.errors import MismatchError, ParameterError, RulesError
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import ExpandedGame, PublicGame
from hannan.forms.loader import load
from hannan.kernels.vectors import LANES
from hannan.layouts.backend import Average
from hannan.layouts.public import PublicBackend, PublicSetup
from hannan.measures.bounds import Range
from hannan.solvers.base import Solver
from hannan.strategies.correlated import CorrelatedPlay
from hannan.strategies.given import Given, strategy_of, two_forms
from hannan.strategies.profile import Profile, reaches
from hannan.strategies.public import PublicStrategy
from hannan.strategies.stated import check_alike
from hannan.strategies.strategy import Strategy

RECORDED = (
    "game", "values", "half_widths", "interval_half_widths", "best_values", "gains", "nash_conv", "exploitability",
    "cce_gap", "shortfalls", "exact", "payoff_range", "confidence", "plays", "seed", "response_gains", "lower_bounds",
    "nash_conv_lower_bound", "uniform_lower_bounds", "responses", "refinements", "stop", "failed", "estimates",
    "seconds",
)  # fmt: skip
"""The keys of the JSON record of an evaluation, in this order; null if a number was not measured."""


@dataclass(frozen=True)
class Evaluation:
    """The values of a strategy, and what each player could add by its best deviation. None: not measured.

    With `exact`, values and gains are those of the whole game. Without it, `values` are estimated from plays, and
    `lower_bounds` say what best responses gain at least.
    """

    values: tuple[float, ...]
    """The expected utility of each player."""
    best_values: Known  # tuple[float, ...] | None
    """What a best response of each player against the others would earn."""
    gains: Known  # tuple[float, ...] | None
    """best_values minus values; never negative. For correlated play: what each player could add by deviating alone."""
    shortfalls: Known  # tuple[float, ...] | None
    """In a two-player zero-sum game with a known value: the value minus what each strategy guarantees."""
    game: str = ""
    exact: bool = True
    cce_gap: float | None = None
    """For correlated play: the largest gain."""
    payoff_range: tuple[Range, ...] | None = None
    """The least and the most that each player can earn in a play; None if not known."""
    estimates: Any = None  # Estimates | None
    """Estimates from plays. An exact evaluation has them only if the caller asked for plays."""
    refinements: Any = None  # Refinements | None
    """Which refinements of Nash equilibrium a profile satisfies, if the caller asked for them."""
    seconds: float | None = field(default=None, compare=False)

    @property
    def nash_conv(self) -> Known:
        """The sum of the gains; None for correlated play, and if the gains are not known."""
        return None if self.gains is None or self.cce_gap is not None else sum(self.gains)

    @property
    def exploitability(self) -> Known:
        """NashConv divided by the number of players."""
        return None if self.nash_conv is None else self.nash_conv / len(self.values)

    @property
    def half_widths(self) -> Known:
        """The largest error of each estimated value, at the stated confidence; None without a bound."""
        return None if self.exact or self.estimates is None else self.estimates.rollouts.half_widths

    @property
    def interval_half_widths(self) -> Known:
        """Half of the width of a normal interval around each estimated value: an approximation, not a bound."""
        return None if self.exact or self.estimates is None else self.estimates.rollouts.interval_half_widths

    @property
    def confidence(self) -> float | None:
        """The probability with which all bounds hold together."""
        return None if self.estimates is None else self.estimates.confidence

    @property
    def plays(self) -> int | None:
        """Plays for each player from which values are estimated."""
        return None if self.estimates is None else self.estimates.rollouts.plays

    @property
    def seed(self) -> int | None:
        """The seed of the random numbers of the plays."""
        return None if self.estimates is None else self.estimates.seed

    @property
    def responses(self) -> Known:
        """A response of each player; None if the evaluation did not look for responses."""
        return None if self.estimates is None else self.estimates.responses

    @property
    def response_gains(self) -> Known:
        """The estimated gain of each response."""
        return None if self.responses is None else tuple(response.gain for response in self.responses)

    @property
    def lower_bounds(self) -> Known:
        """A lower bound on the gain of a best response of each player."""
        return None if self.estimates is None else self.estimates.lower_bounds

    @property
    def nash_conv_lower_bound(self) -> float | None:
        """The sum of the lower bounds; None for correlated play."""
        return None if self.estimates is None else self.estimates.nash_conv

    @property
    def uniform_lower_bounds(self) -> tuple[float | None, ...] | None:
        """The lower bounds that the same effort finds against uniform play."""
        return None if self.estimates is None else self.estimates.uniform_lower_bounds

    @property
    def stop(self) -> str | None:
        """Why there are fewer plays or responses than the caller asked for: interrupted, or failed."""
        return None if self.estimates is None else self.estimates.stop

    @property
    def failed(self) -> dict[str, Any] | None:
        """The player whose response gave no legal answer, and its earnings in the plays before."""
        return None if self.estimates is None else self.estimates.failure

    def record(self) -> dict[str, Any]:
        """Return the numbers as one object that JSON can hold."""
        numbers = {name: getattr(self, name) for name in RECORDED}
        if self.responses is not None:
            numbers["responses"] = [response.record() for response in self.responses]
        if self.refinements is not None:
            numbers["refinements"] = self.refinements.record()
        return numbers | {"estimates": None if self.estimates is None else self.estimates.record()}

    def _repr_html_(self) -> str:
        from hannan.markup import facts, page

        known = {
            name: getattr(self, name)
            for name in RECORDED
            if name not in ("game", "responses", "refinements", "estimates")
        }
        return page(self.game, facts({name: fact for name, fact in known.items() if fact is not None}))

    def __repr__(self) -> str:
        values = [float(f"{x:.6g}") for x in self.values]
        if self.gains is None:
            least = self.nash_conv_lower_bound
            about = "" if self.exact else "about "
            return f"Evaluation(values {about}{values}{'' if least is None else f', NashConv at least {least:.6g}'})"
        gains = [float(f"{x:.6g}") for x in self.gains]
        if self.nash_conv is None:
            return f"Evaluation(CCE gap {self.cce_gap:.6g}, values {values}, gains {gains})"
        gaps = f"NashConv {self.nash_conv:.6g}, exploitability {self.exploitability:.6g}"
        return f"Evaluation({gaps}, values {values}, gains {gains})"


@dataclass(frozen=True)
class Response:
    """A best response of one player: a pure strategy, as probabilities, and what it earns."""

    player: int
    strategy: Floats  # [sequences]
    value: float
    profile: Strategy
    """The response together with the strategies of the other players."""
    gain: float
    """What the response earns minus what the player's own part of the strategy earned."""

    def __repr__(self) -> str:
        return f"Response(player {self.player} earns {self.value:.6g} in {self.profile.game.address})"


def is_exact(strategy: Strategy) -> bool:
    """Return whether a strategy is a profile, or correlated play of profiles."""
    return all(isinstance(one, Profile) for _, one in strategy.members())


def exact_form(strategy: Strategy) -> Strategy:
    """Return the profile that plays in the same way, or correlated play of profiles. The game is expanded for it."""
    if is_exact(strategy):
        return strategy
    if isinstance(strategy, CorrelatedPlay):
        return CorrelatedPlay([one.profile() for one in strategy.strategies], strategy.weights)
    profile: Profile = strategy.profile()
    return profile


def evaluation_of(game: ExpandedGame, strategy: Strategy, value: float | None = None) -> Evaluation:
    """Measure a strategy of an expanded game exactly; see `evaluate`."""
    if isinstance(strategy, CorrelatedPlay) and len(strategy.strategies) > 1 and is_exact(strategy):
        return _correlated(game, strategy)
    return judge(game, *_appraised(game, reaches(game, strategy.profile())), value)


def _correlated(game: ExpandedGame, strategy: Strategy) -> Evaluation:
    """Measure correlated play. A player that deviates does not know which profile was drawn."""
    parts = [_against_several(game, player, strategy) for player in range(game.players)]
    earned = tuple(value for value, _, _ in parts)
    bests = tuple(max(best, value) for value, best, _ in parts)
    gains = tuple(best - value for best, value in zip(bests, earned, strict=True))
    return Evaluation(earned, bests, gains, None, cce_gap=max(gains))


def judge(
    game: ExpandedGame | PublicGame, values: Sequence[float], best_values: Sequence[float], value: float | None = None
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


def values(game: Given, strategy: Given | None = None) -> tuple[float, ...]:
    """Compute the expected utility of each player: `values(strategy)` or `values(game, strategy)`.

    The values are exact, also in a game with imperfect recall.

    Parameters
    ----------
    game : whatever `load` or `read` takes
        The game; or the strategy, if it knows its game.
    strategy : Strategy, Result, path or text, optional
        The strategies of all players.

    Returns
    -------
    tuple of float
        One value per player.

    Raises
    ------
    SizeError
        If the game is too large to expand; `rollouts` estimates its values.

    Examples
    --------
    >>> import hannan as hn
    >>> [round(value, 6) for value in hn.values(hn.uniform("kuhn_poker"))]
    [0.125, -0.125]
    """
    loaded = None if strategy is None else load(game)
    if isinstance(loaded, ForgetfulGame):
        refined, total = loaded.refined, np.zeros(loaded.players)
        for share, one in exact_form(strategy_of(strategy, refined)).members():
            reach = reaches(refined, one.profile())  # refuses a profile of another game
            check_alike(loaded, one.profile().strategies)
            total += [share * gradient_of(refined, player, reach)[1] for player in range(loaded.players)]
        return tuple(total.tolist())
    given = two_forms(game, strategy)
    expanded = given.game.expanded()
    exact = exact_form(given)
    return tuple(_against_several(expanded, player, exact)[0] for player in range(expanded.players))


def best_response(game: Given, strategy: Given | None = None, player: int | None = None) -> Response:
    """Compute a pure best response of one player to the strategies of the others, and its value.

    Call `best_response(strategy, player=0)`, or give the game first: `best_response(game, strategy, 0)`.

    Parameters
    ----------
    game : whatever `load` or `read` takes
        The game; or the strategy, if it knows its game.
    strategy : Strategy, Result, path or text, optional
        The strategies of all players. The strategy of the responding player is not used. To correlated play, the
        response is one of a player who does not know which strategy was drawn.
    player : int
        The player who responds, counted from 0.

    Returns
    -------
    Response
        `value` is what the player earns, and `strategy` is the response.

    Raises
    ------
    ParameterError
        If `player` is missing, or the game has no such player.
    SizeError
        If the game is too large to expand.

    Examples
    --------
    >>> import hannan as hn
    >>> hn.best_response(hn.uniform("kuhn_poker"), player=0).value
    0.5
    """
    if player is None:
        given, player = strategy_of(game), strategy
    else:
        given = two_forms(game, strategy)
    given.game.check_player(player)  # type: ignore[arg-type]  # raises if the game has no such player
    player = int(player)  # type: ignore[arg-type]
    exact = exact_form(given)
    expanded = exact.game.expanded()
    earned, value, best = _against_several(expanded, player, exact)
    mine, facts = pure(expanded, player, best), {"method": "best response", "player": player}
    parts = []
    for share, one in exact.members():
        others = one.profile().strategies
        parts.append((share, Profile(expanded, (*others[:player], mine, *others[player + 1 :]), facts)))
    shares, profiles = zip(*parts, strict=True)
    both = profiles[0] if len(profiles) == 1 else CorrelatedPlay(profiles, shares)
    return Response(player, mine, value, both, max(value - earned, 0.0))


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


def _against_several(game: ExpandedGame, player: int, strategy: Strategy) -> tuple[float, float, Ints]:
    """Return what `player` earns in correlated play, what its best response earns, and that response's choices."""
    total, earned = np.zeros(sum(plex.sequences for plex in game.form.treeplexes)), 0.0
    for share, one in strategy.members():
        gradient, value = gradient_of(game, player, reaches(game, one.profile()))
        total += share * gradient
        earned += share * value
    return earned, *respond(game, player, total)


def _appraised(game: ExpandedGame, reach: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return what each player earns, and what each player's best response earns."""
    from hannan.kernels.gains import appraise
    from hannan.layouts.layout import flat_of

    flat, found = flat_of(game.form), np.empty(2 * game.players)
    appraise(flat, reach, np.empty_like(reach), np.empty(len(flat.first), np.int32), found)
    numbers = tuple(found.tolist())
    return numbers[: game.players], numbers[game.players :]


def gradient_of(game: ExpandedGame, player: int, reach: Floats) -> tuple[Floats, float]:
    """Return the gradient of `player` over its sequences against the others' reach, and the value of its own reach."""
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
    """The gap: NashConv, the CCE gap, or the method's own."""


def gaps(solver: Solver, profile: Profile | None = None) -> Gaps:
    """Measure the gaps of a solver's average, or of `profile`, exactly: on the solver's layout, or on the plain one."""
    average = solver.measured()
    game = solver.game.formed()
    if average is None:
        full = game if isinstance(game, ExpandedGame) else game.expanded()
        evaluation = evaluation_of(full, solver.average() if profile is None else profile)
        cce = cce_gap(solver, evaluation)
    else:
        evaluation = judge(game, average.values, average.best_values)
        cce = _against_play(solver, average.correlated_best_values or evaluation.best_values)
    if not all(map(math.isfinite, (*evaluation.values, *evaluation.best_values, cce or 0.0))):
        raise RulesError(
            f"the payoffs of {solver.game.address} are too large or too small: their sums overflow, or the step sizes "
            f"that {solver.method} derives from them do; state the payoffs in other units"
        )
    if (own := solver.own_gap()) is not None:
        return Gaps(evaluation, cce, own[1], own[0])
    if game.form.competitive or cce is None:
        return Gaps(evaluation, cce, evaluation.nash_conv, "NashConv")
    return Gaps(evaluation, cce, cce, "CCE gap")


def average_of(game: ExpandedGame, plans: Floats) -> Average:
    """Measure average play given as weights of all sequences, [sequences]; each player's weights have one scale."""
    reach, begin = plans.copy(), 0
    for plex in game.form.treeplexes:
        mine = reach[begin : begin + plex.sequences]
        mine /= mine[0] if mine[0] > 0 else 1.0
        begin += plex.sequences
    return Average(*_appraised(game, reach), None)


def public_evaluation(strategy: PublicStrategy, value: float | None = None) -> Evaluation:
    """Measure a strategy on a public tree exactly: best responses over the whole game, in doubles."""
    backend = PublicBackend(PublicSetup(strategy.game.form, kept="float64", fixed=strategy.game.fixed))
    backend.write("total", np.concatenate([strategy.probability.astype(np.float64), np.zeros(LANES)]))
    average = backend.measure()
    return judge(strategy.game, average.values, average.best_values, value)


def cce_gap(solver: Solver, evaluation: Evaluation | None = None) -> float | None:
    """Return the largest gain of any player against the correlated average play; None if the solver keeps none."""
    if not isinstance(solver, Solver):
        raise ParameterError(f"solver={shown(solver)} should be a solver, such as hannan.CFR(game)")
    if evaluation is not None and not isinstance(evaluation, Evaluation):
        raise ParameterError(f"evaluation={shown(evaluation)} should be what `evaluate` returns")
    if evaluation is not None and len(evaluation.values) != solver.game.players:
        raise MismatchError(
            f"the evaluation is of {len(evaluation.values)} players, and {solver.game.address} has "
            f"{solver.game.players}: give the evaluation of a strategy of this game"
        )
    play = solver.correlated()
    if play is None:
        return None
    formed = solver.game.formed()
    game = formed if isinstance(formed, ExpandedGame) else formed.expanded()
    if play.gradient is None:
        return _against_play(solver, (evaluation or evaluation_of(game, solver.average())).best_values)
    return _against_play(solver, [respond(game, player, play.gradient)[0] for player in range(game.players)])


def _against_play(solver: Solver, best_values: Sequence[float]) -> float | None:
    """Return the largest gain against the correlated average play, given the values of best responses to it."""
    play = solver.correlated()
    if play is None:
        return None
    gains = [best - value for best, value in zip(best_values, play.values, strict=True)]
    return math.nan if any(map(math.isnan, gains)) else max(0.0, *gains)
