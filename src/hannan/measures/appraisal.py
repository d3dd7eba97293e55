"""Measuring a strategy of any kind of game: exactly if the game is expanded, by plays if it is only played."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Annotated, Any, Unpack

from hannan.arguments import SEED, TRUST, Option, between, number, settled
from hannan.errors import PlayerError, UnsuitableError
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load
from hannan.forms.trust import Trust
from hannan.forms.workers import open_workers
from hannan.measures.bounds import Range
from hannan.measures.estimates import Effort, Estimates, Looked, Saying, estimate
from hannan.measures.evaluation import Evaluation, evaluation_of, exact_form, is_exact, public_evaluation, values
from hannan.measures.forgetful import best_forgetful_values
from hannan.measures.ranges import given_range, payoff_range
from hannan.options import declaring
from hannan.pieces.options import SpreadOptions
from hannan.strategies.given import Given, strategy_of, two_forms
from hannan.strategies.profile import Profile
from hannan.strategies.public import PublicStrategy
from hannan.strategies.strategy import Strategy


class EvaluateOptions(SpreadOptions, total=False):
    """The options of `evaluate`."""

    exact: Annotated[
        bool | None,
        Option(
            "True expands the game, however large; False plays it, however small. Default: exact numbers if the game "
            "is expanded, else estimates."
        ),
    ]
    response: Annotated[
        Looked | None,
        Option(
            "How to find a response of each player: auto, learned, search, local, exact (in an expanded game) or none; "
            "a strategy, or a callable from what a player has seen to an action, whose parts are the responses; or a "
            "search of your own: file.py:Class, in Python also the class (docs/howto/own.md). The command takes the "
            "file of a strategy or callable. Default: auto. If given, a small game is played too, in addition to the "
            "exact numbers; the same holds for plays, seconds and walks."
        ),
    ]
    plays: Annotated[
        int | None, Option("Plays for each estimate of a value. Default: 100,000; 2,000 for plain-Python rules.")
    ]
    seconds: Annotated[
        float | None,
        Option(
            "Seconds for the whole evaluation, not counting compilation, which happens once. Default: 30, if walks has "
            "no value."
        ),
    ]
    walks: Annotated[
        int | None,
        Option(
            "The number of walks of each method that learns a response, or the number of plays that a search simulates "
            "from each choice. If seconds is not given, the time is unlimited."
        ),
    ]
    seed: Annotated[int, SEED]
    confidence: Annotated[
        float,
        Option("The probability with which all bounds hold together, including bounds on values.", 0.95, check=between),
    ]
    bounds: Annotated[
        Range | str | None,
        Option(
            "The least and the most that any player can earn in a play, as LOW,HIGH. Default: the range that the tree "
            "or the rules state. If they state none, the result has intervals and no bounds."
        ),
    ]
    refinements: Annotated[
        bool,
        Option(
            "Also report which refinements of Nash equilibrium the strategy satisfies: strict, perfect, proper, "
            "sequential and more. Each is decided in fractions, or null with the reason. For small games.",
            False,
        ),
    ]
    trust: Annotated[Trust, TRUST]
    saying: Annotated[
        Saying | None,
        Option("Called with the name of each step and the most seconds that it may take.", python_only=True),
    ]


@declaring(EvaluateOptions)
def evaluate(
    game: Annotated[
        Given, Option("The game that the strategy is for. In Python a strategy that knows its game is enough.")
    ],
    strategy: Annotated[
        Given | None,
        Option(
            "The strategy to measure: a strategy file, a checkpoint, or the word `uniform`. The command also takes "
            "`file.py:function`, a function from what a player has seen to probabilities. Python also takes the result "
            "of `solve`, `read`, `certify` or `respond`, a callable, or a policy of another library."
        ),
    ] = None,
    value: Annotated[
        float | None,
        Option("The value of the game to player 0, for the shortfalls. Default: the catalogue's, if it has one."),
    ] = None,
    **options: Unpack[EvaluateOptions],
) -> Evaluation:
    """Measure how good a strategy is: its values, and what each player could gain by deviating.

    A strategy that knows its game is enough: `evaluate(strategy)`; otherwise call `evaluate(game, strategy)`. If the
    game is expanded, the numbers are exact. Otherwise values are estimated from plays, with bounds on their error, and
    a response of each player gives a lower bound on what a best response gains. The command `hannan evaluate` has the
    same options (docs/reference/options.md).

    Returns
    -------
    Evaluation
        Values, gains, NashConv and exploitability. A number that was not measured is None.

    Raises
    ------
    MismatchError
        If the strategy is for another game.
    UnsuitableError
        If an option does not apply to the strategy or its game.

    Examples
    --------
    >>> import hannan as hn
    >>> hn.evaluate(hn.uniform("kuhn_poker"))
    Evaluation(NashConv 0.916667, exploitability 0.458333, values [0.125, -0.125], gains [0.375, 0.541667])
    >>> hn.evaluate("matching_pennies", "uniform").nash_conv
    0.0
    """
    began = perf_counter()
    chosen = settled("evaluate", EvaluateOptions, options, "strategy", "value")
    exact, response, trust = chosen["exact"], chosen["response"], chosen["trust"]
    plays, seconds, walks = chosen["plays"], chosen["seconds"], chosen["walks"]
    bounds = given_range(chosen["bounds"])
    value = None if value is None else number("value", value)
    if strategy is not None and isinstance(loaded := load(game), ForgetfulGame):
        wishes = (value, response, plays, seconds, walks)
        _refuse_split(chosen["on"])
        if exact is False or chosen["refinements"] or any(wish is not None for wish in wishes):
            raise UnsuitableError(
                f"{loaded.forgetting}. Such a game has exact values only: leave the other options out. Gains can be "
                f"measured on {loaded.refined.address}"
            )
        return _forgetful(loaded, strategy_of(strategy, loaded.refined, trust=trust), began)
    given = two_forms(game, strategy, trust=trust)
    public = isinstance(given, PublicStrategy) and exact is not False
    named = game if strategy is not None else None
    known = None if exact is False or public else _exact_form(given, named, exact is True)
    judged = _judged(given, known) if chosen["refinements"] else None
    asked = exact is False or any(wish is not None for wish in (response, plays, seconds, walks))
    if not asked and (known is not None or public):
        _refuse_split(chosen["on"])
    measured = None if known is None else evaluation_of(known.game.expanded(), known, value)
    if isinstance(given, PublicStrategy) and public:
        measured = public_evaluation(given, value)
    ranges = payoff_range(given.game.played(), bounds)
    estimates = None
    if asked or measured is None:
        effort = Effort(plays, seconds, walks, chosen["seed"], chosen["confidence"], bounds, began)
        try:
            with open_workers(chosen) as workers:
                estimates = estimate(
                    given if known is None else known, response, effort=effort, saying=chosen["saying"], workers=workers
                )  # fmt: skip
        except PlayerError as error:
            if error.partial is not None:
                error.partial = _joined(given, measured, error.partial, ranges, began)
            raise
    return _joined(given, measured, estimates, ranges, began, judged)


def _refuse_split(on: str) -> None:
    """Refuse workers if nothing is played."""
    if on != "serial":
        raise UnsuitableError(
            "exact numbers are one computation, which cannot be split: leave `on` out, or ask for plays as well"
        )


def _judged(given: Strategy, known: Strategy | None) -> Any:
    """Return which refinements a profile satisfies; refuse a strategy of a game that is not expanded."""
    from hannan.solvers.general.refinements import refinements

    if known is None:
        raise UnsuitableError(
            f"refinements are decided in games that can be expanded, and {given.game.address} can only be played"
        )
    return refinements(known)


def _joined(
    strategy: Strategy,
    measured: Evaluation | None,
    estimates: Estimates | None,
    ranges: tuple[Range, ...] | None,
    began: float,
    judged: Any = None,
) -> Evaluation:
    """Return one record of the exact numbers, of the estimates from plays, and of the refinements."""
    if measured is None:
        assert estimates is not None
        measured = Evaluation(estimates.rollouts.values, None, None, None, exact=False)
    return replace(
        measured, game=strategy.game.address, payoff_range=ranges, estimates=estimates, refinements=judged,
        seconds=perf_counter() - began,
    )  # fmt: skip


def _exact_form(strategy: Strategy, game: Any, wanted: bool) -> Strategy | None:
    """Return the strategy as one of an expanded game; None if it is to be measured by plays.

    game: the game that the caller gave in addition to the strategy, or None. wanted: expand the game, however large.
    """
    if is_exact(strategy):
        return strategy
    expanded = any(isinstance(one, ExpandedGame) for one in (strategy.game, None if game is None else load(game)))
    if not (expanded or wanted):
        return None
    try:
        return exact_form(strategy)
    except UnsuitableError:
        if wanted:
            raise
        return None  # a rule that may draw: its probabilities are known only from plays


def _forgetful(game: ForgetfulGame, strategy: Strategy, began: float) -> Evaluation:
    """Return the values of a strategy in a game with imperfect recall, and each player's gain without more memory.

    The gains are known if the search for responses with the same recall ends, and if no player is absent-minded.
    """
    earned = values(game, strategy)
    best = best_forgetful_values(game, strategy) if isinstance(strategy, Profile) else None
    gains = None
    if best is not None:
        best = tuple(max(pair) for pair in zip(best, earned, strict=True))
        gains = tuple(high - own for high, own in zip(best, earned, strict=True))
    return Evaluation(earned, best, gains, None, game.address, seconds=perf_counter() - began)
