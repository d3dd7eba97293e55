"""Searching simultaneous moves: one function from the game and the rule to a run, and one to its result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any

from hannan import arguments
from hannan.arguments import check_trust
from hannan.errors import ParameterError, UnknownNameError, nearest
from hannan.forms.loader import Loadable
from hannan.forms.trust import Trust
from hannan.runs.past import past_in
from hannan.runs.progress import Limits, Schedule, limits
from hannan.runs.run import EVERY, PathTo, Run, finishing
from hannan.runs.search_work import Searching, SearchResult, resumed
from hannan.runs.status_line import Watcher, expansion_line
from hannan.treesearch.searcher import Searcher
from hannan.treesearch.userrule import SelectionRule

DOUBLING = Schedule(first=10, spacing=2.0)
"""The gap is measured at 10, 20, 40, … iterations, as in the paper's figures."""

DEFAULT = Limits(iterations=100_000)

KNOWN = (
    "gamma", "seed", "bounds", "tree", "nodes", "returns", "explore", "unvisited", "c", "margin", "rollout",
    "evaluation",
)  # fmt: skip


def check_names(given: Iterable[str], others: Sequence[str] = ()) -> None:
    """Refuse parameters that a search does not have."""
    known = (*KNOWN, *others)
    for name in given:
        if name not in known:
            raise UnknownNameError(f"search has no parameter {arguments.shown(name)}{nearest(name, known)}")


@finishing("this search", ("checkpoint",))
def search(
    game: Loadable | None = None,
    rule: str | SelectionRule | type[SelectionRule] | None = None,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    from_: str | None = None,
    exploration: bool | None = None,
    measure: bool | None = None,
    checkpoint: PathTo | None = None,
    every: float = EVERY,
    resume: PathTo | None = None,
    log: PathTo | None = None,
    progress: bool | Watcher | None = None,
    trust: Trust = False,
    **parameters: Any,
) -> Run[SearchResult]:
    """Search a game in which only the current joint move is hidden, from its rules, and return what to play.

    `rule` is rm-mean by default; it may be a `hannan.methods.SelectionRule` (docs/own.md). `from_` is the position,
    moves joined by colons. Stops after so many iterations or seconds, or at 100,000 iterations. Other parameters
    (gamma, seed, bounds, nodes, …) are those of `Searcher`. The strategies keep the rule's exploration, unless
    `exploration=False`. Where the game is small enough to expand, gains are measured exactly, which may take longer
    than the search; with `measure=False` nothing is expanded or measured, and the strategy is a policy. Checkpoint,
    resume, log and progress are as for `solve`. A `rollout` or an `evaluation` that a checkpoint names is code: give it
    again, or agree with `trust=True`.
    """
    check_trust(trust)
    until = DEFAULT if iterations is None and seconds is None else limits(None, iterations, seconds)
    check_names(parameters)
    past = None
    for name, wanted in (("exploration", exploration), ("measure", measure)):
        if wanted is not None:
            arguments.truth(name, wanted)
    if measure is False and log is not None:
        raise ParameterError("a log holds measurements, and measure=False makes none: leave one of the two out")
    with expansion_line() if progress is True else nullcontext():
        if resume is not None:
            said = {name: value for name, value in {"rule": rule, "path": from_}.items() if value is not None}
            work, facts = resumed(resume, game, {**parameters, **said}, trust)
            past = past_in(resume, facts)
            work.exploration = work.exploration if exploration is None else exploration
            work.measures = work.measures if measure is None else measure
        else:
            if game is None:
                raise ParameterError("say which game to search, or from which checkpoint to go on")
            searcher = Searcher(
                game, "rm-mean" if rule is None else rule, path="" if from_ is None else from_, **parameters
            )
            work = Searching(searcher, exploration=exploration is not False, measure=measure is not False)
        work.expand()
    return Run(
        work, until, past=past, schedule=DOUBLING, checkpoint=checkpoint, every=every, log=log, progress=progress
    )
