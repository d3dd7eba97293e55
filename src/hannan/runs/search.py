"""Searching simultaneous moves: a function that makes a run from a game and a rule, and one that returns its result."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated, Any, TypedDict, Unpack

from hannan.arguments import Option, declared, settled
from hannan.errors import ParameterError
from hannan.forms.loader import Loadable
from hannan.options import declaring
from hannan.runs.options import LoggedOptions
from hannan.runs.past import past_in
from hannan.runs.progress import Limits, Schedule, limits
from hannan.runs.run import Run, finishing
from hannan.runs.search_work import Searching, SearchResult, resumed, searcher_of
from hannan.runs.status_line import expansion_line
from hannan.treesearch.options import RULE, SearcherOptions
from hannan.treesearch.userrule import SelectionRule

DOUBLING = Schedule(first=10, spacing=2.0)
"""The gap is measured at 10, 20, 40, … iterations, as in the paper's figures."""

DEFAULT = Limits(iterations=100_000)


class _SearchTerms(TypedDict, total=False):
    iterations: Annotated[int | None, Option("Stop after this many walks. Default: 100,000, if seconds has no value.")]
    seconds: Annotated[float | None, Option("Stop after this many seconds of searching.")]
    exploration: Annotated[bool | None, Option("Keep the rule's exploration in the strategies.", True)]
    measure: Annotated[
        bool | None,
        Option(
            "Measure gains exactly if the game is small enough to expand, which may take longer than the search. "
            "Without it nothing is expanded, and the strategy is a policy.",
            True,
        ),
    ]


class SearchOptions(SearcherOptions, _SearchTerms, LoggedOptions, total=False):
    """The options of `search`."""


@finishing("this search", ("checkpoint",))
@declaring(SearchOptions)
def search(
    game: Annotated[
        Loadable | None,
        Option(
            "The game. Only the current joint move may be hidden, unless the rule searches information sets. A resumed "
            "search needs it if it is not built in."
        ),
    ] = None,
    rule: Annotated[str | SelectionRule | type[SelectionRule] | None, RULE] = None,
    **options: Unpack[SearchOptions],
) -> Run[SearchResult]:
    """Search the game tree from one position by Monte Carlo tree search, and return what to play there.

    The search stops at the first limit that is reached: iterations or seconds. Ctrl-C ends it with the result so far.
    If a checkpoint names a `rollout`, an `evaluation` or a rule of your own, that is code: give it again, or agree to
    run it with `trust`. The command `hannan search` has the same options (docs/reference/options.md).

    Returns
    -------
    SearchResult
        The strategies at the position (`averages` and `frequencies`), the move to play, the value, and the
        measurements.

    Raises
    ------
    UnsuitableError
        If more than the current joint move is hidden and the rule does not search information sets.
    UnknownNameError
        If the game does not exist.
    ParameterError
        If the selection rule does not exist, or an option has a wrong type or value.

    Examples
    --------
    >>> import hannan as hn
    >>> result = hn.search("matching_pennies", iterations=1000, seed=1)
    >>> result.nodes, result.nash_conv < 0.1
    (5, True)
    """
    chosen = settled("search", SearchOptions, options, "rule")
    iterations, seconds, trust = chosen["iterations"], chosen["seconds"], chosen["trust"]
    until = DEFAULT if iterations is None and seconds is None else limits(None, iterations, seconds)
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    parameters = {name: value for name, value in given.items() if name in declared(SearcherOptions)}
    past, resume = None, chosen["resume"]
    if chosen["measure"] is False and chosen["log"] is not None:
        raise ParameterError("a log holds measurements, and measure=False makes none: leave one of the two out")
    with expansion_line() if chosen["progress"] is True else nullcontext():
        if resume is not None:
            work, facts = resumed(resume, game, parameters if rule is None else {**parameters, "rule": rule}, trust)
            past = past_in(resume, facts)
            work.exploration = given.get("exploration", work.exploration)
            work.measures = given.get("measure", work.measures)
        else:
            if game is None:
                raise ParameterError("name the game to search, or the checkpoint to continue from")
            searcher = searcher_of(game, "rm-mean" if rule is None else rule, **parameters)
            work = Searching(
                searcher, exploration=chosen["exploration"] is not False, measure=chosen["measure"] is not False
            )
        work.expand()
    return Run(
        work, until, past=past, schedule=DOUBLING, checkpoint=chosen["checkpoint"], every=chosen["every"],
        log=chosen["log"], progress=chosen["progress"],
    )  # fmt: skip
