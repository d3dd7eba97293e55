"""The options of a search, declared once for `Searcher`, `search` and the command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypedDict

from hannan.arguments import SEED, Option, whole
from hannan.treesearch.ranges import Range
from hannan.treesearch.selection import RULES

SETS = "is-oos, is-rm"

RULE = Option(
    f"The selection rule: {', '.join(RULES)}; for games that hide more than a joint move: {SETS}; or "
    "file.py:Class (docs/howto/own.md). Default: rm-mean."
)


class SearcherOptions(TypedDict, total=False):
    """The options of a search: where it begins, how its rule explores, and what its tree is like."""

    at: Annotated[
        str,
        Option(
            'The position to search from: moves joined by colons, as in "(1,5):(2,3)". Default: the start of play.', ""
        ),
    ]
    gamma: Annotated[
        float | None, Option("How much the rule explores, from 0 to 1. Default: 0.1; 0.6 for oos and is-oos.")
    ]
    seed: Annotated[int, SEED]
    bounds: Annotated[
        Range | str | None,
        Option(
            "The least and the most that player 0 can gain from the position on, as LOW,HIGH, for rules without "
            "bounds()."
        ),
    ]
    tree: Annotated[
        Literal["incremental", "full"],
        Option(
            "incremental: each walk adds a leaf, and untried cells come first. full: all nodes are "
            "built first, and the rule alone selects.",
            "incremental",
        ),
    ]
    nodes: Annotated[
        int,
        Option(
            "The largest number of nodes in the tree. A search goes on when the tree is full.", 10_000_000, check=whole
        ),
    ]
    returns: Annotated[
        Literal["sample", "mean"] | None,
        Option("What nodes return. Default: mean if the rule's name ends in -mean, else sample."),
    ]
    explore: Annotated[
        Literal["own", "star", "plus"],
        Option(
            "own: as the rule does. star (A*): play uniformly with probability gamma, and learn nothing then. plus "
            "(A+): do so at visits 1, 4, 9, …",
            "own",
        ),
    ]
    unvisited: Annotated[
        Literal["skip", "zero"],
        Option("Whether an update leaves out cells without a visit (skip), or counts them as 0 (zero).", "skip"),
    ]
    first_visits: Annotated[
        Literal["counted", "printed", "selected"],
        Option(
            "counted: each cell of a node is tried once before the rule selects, and the node's mean counts these "
            "visits. printed (Algorithm 1 as printed): the node's mean leaves them out. selected: the rule selects "
            "from the first visit of a node on. For an incremental tree.",
            "counted",
        ),
    ]
    c: Annotated[float, Option("The constant of the upper confidence bound.", 2.0, takers="uct and uct-random")]
    margin: Annotated[
        float,
        Option("Actions whose bounds are this close to the best are tied.", 0.01, takers="uct-random"),
    ]
    rollout: Annotated[
        str | Callable[..., Any] | None,
        Option(
            "The strategy that plays on from new leaves: a function from a state and a player to probabilities, "
            "or file.py:function. Default: random play."
        ),
    ]
    evaluation: Annotated[
        str | Callable[..., Any] | None,
        Option(
            "What judges new leaves without playing on: a function from a state to what player 0 can still "
            "expect to gain, or file.py:function."
        ),
    ]
