"""Measuring a strategy of any kind of game: exactly where it is expanded, by playing where it is only played."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

from hannan.arguments import number
from hannan.errors import PlayerError, UnsuitableError
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load
from hannan.forms.trust import Trust
from hannan.measures.bounds import Range
from hannan.measures.estimates import Effort, Estimates, Looked, Saying, estimate
from hannan.measures.evaluation import Evaluation, evaluation_of, is_exact, values
from hannan.measures.ranges import given_range, payoff_range
from hannan.strategies.correlated import CorrelatedPlay
from hannan.strategies.given import Given, strategy_of, two_forms
from hannan.strategies.strategy import Strategy


def evaluate(
    game: Given,
    strategy: Given | None = None,
    value: float | None = None,
    *,
    exact: bool | None = None,
    response: Looked | None = None,
    plays: int | None = None,
    seconds: float | None = None,
    walks: int | None = None,
    seed: int = 0,
    confidence: float = 0.95,
    bounds: Range | None = None,
    trust: Trust = False,
    saying: Saying | None = None,
) -> Evaluation:
    """Measure a strategy: `evaluate(strategy)`, or `evaluate(game, strategy)` where it does not know its game.

    A strategy is whatever `solve`, `read`, `certify` or `respond` return, a file, a callable with its game, or a policy
    of another library. Where the game is expanded, the numbers are exact. Elsewhere values are estimated from plays,
    with bounds on their error, and a response of each player bounds what best responses gain from below. `exact`: True
    expands the game, however large; False plays it, however small.

    value: of the game to player 0, if known, for the shortfalls; the catalogue's, where there is one. response: how to
    find a response of each player: auto, learned, search, local, exact or none; or a strategy or a callable whose parts
    are the responses. plays: for each estimate of a value. seconds: for all of it, 30 without this and without walks.
    walks: of each way to learn, or at each choice of a search; without seconds no clock is asked. seed: where the
    random numbers begin. confidence: with which all bounds hold together. bounds: the least and the most that anybody
    can earn in a play, where neither the tree nor the rules say so. Where one of response, plays, seconds and walks is
    given, a small game is played too, beside the exact numbers. saying: shows what is being done.
    """
    began = perf_counter()
    value = None if value is None else number("value", value)
    if strategy is not None and isinstance(loaded := load(game), ForgetfulGame):
        return _forgetful(loaded, strategy_of(strategy, loaded.refined, trust=trust), began)
    given = two_forms(game, strategy, trust=trust)
    known = None if exact is False else _exact_form(given, game if strategy is not None else None, exact is True)
    asked = exact is False or any(wish is not None for wish in (response, plays, seconds, walks))
    measured = None if known is None else evaluation_of(known.game.expanded(), known, value)
    ranges = payoff_range(given.game.played(), given_range(bounds))
    estimates = None
    if asked or measured is None:
        effort = Effort(plays, seconds, walks, seed, confidence, bounds, began)
        try:
            estimates = estimate(given if known is None else known, response, effort=effort, saying=saying)
        except PlayerError as error:
            if error.partial is not None:
                error.partial = _joined(given, measured, error.partial, ranges, began)
            raise
    return _joined(given, measured, estimates, ranges, began)


def _joined(
    strategy: Strategy,
    measured: Evaluation | None,
    estimates: Estimates | None,
    ranges: tuple[Range, ...] | None,
    began: float,
) -> Evaluation:
    """Return one record of exact numbers and of what plays have told."""
    if measured is None:
        assert estimates is not None
        measured = Evaluation(estimates.rollouts.values, None, None, None, exact=False)
    return replace(
        measured, game=strategy.game.address, payoff_range=ranges, estimates=estimates, seconds=perf_counter() - began
    )


def _exact_form(strategy: Strategy, game: Any, wanted: bool) -> Strategy | None:
    """Return the strategy as one of an expanded game; None where it is measured by playing.

    game: what was given beside the strategy. wanted: the game is expanded, however large.
    """
    if is_exact(strategy):
        return strategy
    expanded = any(isinstance(one, ExpandedGame) for one in (strategy.game, None if game is None else load(game)))
    if not (expanded or wanted):
        return None
    try:
        if isinstance(strategy, CorrelatedPlay):
            return CorrelatedPlay([one.profile() for one in strategy.strategies], strategy.weights)
        return strategy.profile()
    except UnsuitableError:
        if wanted:
            raise
        return None  # a rule that may draw: what it does is known by playing alone


def _forgetful(game: ForgetfulGame, strategy: Strategy, began: float) -> Evaluation:
    """Return what a strategy earns where somebody forgets: best responses, and so gains, are not defined by it."""
    earned = values(game, strategy)
    return Evaluation(earned, None, None, None, game.address, seconds=perf_counter() - began)
