"""Whole strategies from the tree of a search: a profile if the game is expanded, else a policy."""

from __future__ import annotations

from collections import deque
from itertools import product
from typing import Any

import numpy as np

from hannan.errors import UnsuitableError
from hannan.forms.game import ExpandedGame
from hannan.kernels.mcts import records
from hannan.rules.plain import CHANCE, END, movers
from hannan.rules.positions import moves
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile
from hannan.strategies.strategy import Strategy
from hannan.treesearch.answers import AnswerTable
from hannan.treesearch.searcher import Searcher

SETS = 100_000
"""The most information sets in a policy."""


def strategy_of(
    searcher: Searcher, *, averages: bool | None = None, exploration: bool = True, expand: bool = True
) -> Strategy:
    """Return both players' strategies at the positions of the tree, uniform elsewhere.

    With `expand`, if the game is small enough and the search stands at its start, expand the game and return a profile;
    else return a policy.
    """
    wanted = searcher.averages if averages is None else averages
    if expand and isinstance(searcher.game, ExpandedGame) and not searcher.position:
        return profile_of(searcher, wanted, exploration)
    return policy_of(searcher, wanted, exploration)


def profile_of(searcher: Searcher, averages: bool, exploration: bool) -> Profile:
    """Return a profile of the whole game, expanded, from a search that stands at its start."""
    from hannan.kernels.mcts.averages import gather

    game = searcher.game.expanded()
    if searcher.position:
        raise UnsuitableError(
            "the search stands at a later position, so it has no profile of the whole game: take its policy"
        )
    tree, grown = game.tree, searcher.tree
    first, second = tree.treeplexes
    sums = np.zeros(first.sequences), np.zeros(second.sequences)
    match = np.zeros(tree.nodes, np.int32)
    match[0] = 1 if searcher.nodes else 0
    part = records.AVERAGE if averages else records.COUNT
    gather(
        tree.children, tree.turn, tree.slot_begin, tree.slots, (first.begin, second.begin), grown.node, grown.cell,
        grown.stat, match, part, sums,
    )  # fmt: skip
    strategies = []
    for plex, total in zip(tree.treeplexes, sums, strict=True):
        plays = np.ones(plex.sequences)
        low = int(plex.begin[0])
        plays[low:] = searcher.shares(total[low:], averages, exploration, plex.begin - low)
        strategies.append(plays)
    return Profile(game, tuple(strategies), _facts(searcher))


def policy_of(searcher: Searcher, averages: bool, exploration: bool, most: int = SETS) -> Policy:
    """Return a policy for the positions of the tree, the earliest first; it is uniform on the way to the first node."""
    rules, table, tree = searcher.game.rules, AnswerTable(searcher.game), searcher.tree
    state, last = table.lead(searcher.position)
    waiting = deque([(0, state, tuple(last))] if searcher.nodes else [])
    while waiting and len(table.rows) < most:
        node, state, own = waiting.popleft()
        turn = rules.turn(state)
        if turn == END:
            continue
        following: list[tuple[Any, tuple[int, ...]]]
        if turn == CHANCE:
            following = [(outcome, own) for outcome, _ in rules.chance(state)]
        else:
            both, bases = searcher.numbers(node, averages), {}
            for player in movers(turn):
                plays = searcher.shares(both[player], averages, exploration).tolist()
                bases[player] = table.enter(own[player], rules.observe(state, player), plays)
            sizes = [range(len(both[player])) for player in movers(turn)]
            after = [dict(zip(movers(turn), joint, strict=True)) for joint in product(*sizes)]
            lasts = [tuple(bases[p] + chosen[p] if p in chosen else own[p] for p in range(2)) for chosen in after]
            following = list(zip(moves(rules, state), lasts, strict=True))
        for k, (move, lasting) in enumerate(following):
            child = int(tree.cell[tree.node[node, records.CELLS] + k])
            if child > 0:
                waiting.append((child, rules.after(state, move), lasting))
    return table.policy(_facts(searcher))


def _facts(searcher: Searcher) -> dict[str, Any]:
    return {"method": f"search({searcher.rule})", "iterations": searcher.iterations, "path": searcher.path}
