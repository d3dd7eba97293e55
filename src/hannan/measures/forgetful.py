"""Measurements under imperfect recall: best responses with the same recall, and regrets in the full game.

A best response under imperfect recall is NP-hard to find (D. Koller, N. Megiddo, 1992). Branch and bound looks for it:
the value of a best response of the full game, restricted to one action at some abstract sets, bounds the value of every
response that takes that action there. If the search ends, the number is exact; otherwise it lies between two bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np

from hannan.arrays import Bools, Floats, Ints
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.ties import TiedGame
from hannan.forms.treeplex import EMPTY, Treeplex
from hannan.measures.evaluation import gradient_of, respond
from hannan.solvers.base import Solver
from hannan.solvers.guarantee import NO_REGRET
from hannan.strategies.profile import Profile, reaches

MOST_WORK = 2**24
"""Steps of the search for one player's best response times the player's sequences, at most: seconds."""

CLOSE = 1e-9
"""Two bounds are one number if they differ by less than this share of the largest gain of a sequence."""


@dataclass(frozen=True)
class ForgetfulResponse:
    """The value of a best response with imperfect recall, between two bounds; they are equal if the search ended."""

    low: float
    """The value of a strategy that plays the same at tied sets."""
    high: float
    nodes: int
    """Steps that the search took."""

    @property
    def exact(self) -> bool:
        """Whether the search has ended."""
        return self.low == self.high


def forgetful_response(
    game: TiedGame, player: int, gradient: Floats, most_nodes: int | None = None
) -> ForgetfulResponse:
    """Search for the best response with imperfect recall against a gradient, [sequences of the player]."""
    plex, ties = game.form.treeplexes[player], game.ties.number[player]
    leaders = game.ties.leaders(player)
    close = CLOSE * float(np.abs(gradient).max(initial=0.0))
    worth = _worth(plex, gradient, np.ones(plex.sequences, np.bool_))
    heap: list[tuple[float, int, Bools]] = [(-float(worth[EMPTY]), 0, np.ones(plex.sequences, np.bool_))]
    low, nodes = -np.inf, 0
    most_nodes = max(1, MOST_WORK // plex.sequences) if most_nodes is None else most_nodes
    while heap and -heap[0][0] > low + close and nodes < most_nodes:
        _, _, allowed = heappop(heap)
        worth = _worth(plex, gradient, allowed)
        alike, branch = _alike(plex, ties, leaders, allowed, worth)
        low = max(low, float(_worth(plex, gradient, alike)[EMPTY]))
        if branch is None or float(worth[EMPTY]) <= low + close:
            continue
        members = np.flatnonzero(ties == branch)
        for k in np.flatnonzero(allowed[plex.begin[members[0]] : plex.begin[members[0] + 1]]).tolist():
            bound = allowed.copy()
            for j in members.tolist():
                bound[plex.begin[j] : plex.begin[j + 1]] = False
                bound[plex.begin[j] + k] = True
            nodes += 1
            high = float(_worth(plex, gradient, bound)[EMPTY])
            if high > low + close:
                heappush(heap, (-high, nodes, bound))
    high = max(low, -heap[0][0]) if heap else low
    return ForgetfulResponse(low, low if high <= low + close else high, nodes)


def _worth(plex: Treeplex, gradient: Floats, allowed: Bools) -> Floats:
    """Return the value of each sequence if play after it is the best among the allowed actions."""
    result = gradient.copy()
    for first, last in zip(plex.level_begin[-2::-1], plex.level_begin[:0:-1], strict=True):
        begin, end = plex.begin[first:last], plex.begin[last]
        some = np.where(allowed[begin[0] : end], result[begin[0] : end], -np.inf)
        np.add.at(result, plex.parent[first:last], np.maximum.reduceat(some, begin - begin[0]))
    return result


def _alike(plex: Treeplex, ties: Ints, leaders: Ints, allowed: Bools, worth: Floats) -> tuple[Bools, int | None]:
    """Return the actions of a strategy that plays the same at tied sets, and the abstract set where that costs most.

    The set is None if every abstract set has one allowed action, or play does not reach it.
    """
    free = np.where(allowed, worth, -np.inf)
    best = np.repeat(np.maximum.reduceat(free[1:], plex.begin[:-1] - 1), plex.sizes) if plex.sets else free[1:]
    reached = np.ones(plex.sequences, np.bool_)  # by the response with perfect recall
    for first, last in zip(plex.level_begin[:-1], plex.level_begin[1:], strict=True):
        a, b = plex.begin[first], plex.begin[last]
        taken = free[a:b] == best[a - 1 : b - 1]
        reached[a:b] = np.repeat(reached[plex.parent[first:last]], plex.sizes[first:last]) & taken
    comes = np.repeat(reached[plex.parent], plex.sizes)
    place = np.repeat(plex.begin[leaders] - plex.begin[:-1], plex.sizes) + np.arange(1, plex.sequences)
    cost, count = np.zeros(plex.sequences), np.zeros(plex.sequences)  # of each action, at the first member
    np.add.at(cost, place, np.where(allowed[1:], np.where(comes, best - worth[1:], 0.0), 0.0))
    np.add.at(count, place, comes.astype(np.float64))
    cost[1:][~allowed[1:]] = np.inf
    alike, worst, branch = np.zeros(plex.sequences, np.bool_), -1.0, None
    alike[EMPTY] = True
    for j in np.flatnonzero(leaders == np.arange(plex.sets)).tolist():
        mine = slice(int(plex.begin[j]), int(plex.begin[j + 1]))
        alike[int(plex.begin[j]) + int(cost[mine].argmin())] = True
        lost = float(cost[mine].min())
        if count[mine.start] > 0 and allowed[mine].sum() > 1 and lost > worst:
            worst, branch = lost, int(ties[j])
    alike[1:] = alike[place]
    return alike, branch


@dataclass(frozen=True)
class ForgetfulGaps:
    """What players with imperfect recall could gain, and the proven bounds on it."""

    verdict: str
    """The verdict on the map: well-formed, skew well-formed, or not proven."""
    abstraction: str
    """The digest of the map."""
    sets: tuple[int, ...]
    abstract_sets: tuple[int, ...]
    regret_bounds: tuple[float | None, ...]
    """A proven limit of each average regret in the full game; None if nothing is proven."""
    regrets: tuple[float, ...] | None
    """The average regrets in the full game: what each player could gain against the correlated average play."""
    abstract_gains: tuple[float | None, ...]
    """What each player could gain with the same recall; None if the search did not end."""
    abstract_gain_bounds: tuple[tuple[float, float], ...]
    """A lower and an upper bound on each of these gains."""

    def record(self) -> dict[str, Any]:
        """Return the fields that this record adds to the record of a result."""
        gains = self.abstract_gains
        known = None if None in gains else sum(gain for gain in gains if gain is not None)
        return {
            "recall": self.verdict,
            "abstraction": self.abstraction,
            "full_sets": self.sets,
            "abstract_sets": self.abstract_sets,
            "regrets": self.regrets,
            "regret_bounds": self.regret_bounds,
            "abstract_gains": gains,
            "abstract_gain_bounds": self.abstract_gain_bounds,
            "abstract_nash_conv": known,
        }


def forgetful_gaps(solver: Solver, profile: Profile) -> ForgetfulGaps:
    """Measure the average of a solver whose players have imperfect recall."""
    game = solver.game
    assert isinstance(game, TiedGame)
    earned, responses = _responses(game, profile)
    exact = tuple(max(one.low - own, 0.0) if one.exact else None for one, own in zip(responses, earned, strict=True))
    play, regrets = solver.correlated(), None
    if play is not None and play.gradient is not None:
        best = [respond(game, player, play.gradient)[0] for player in range(game.players)]
        regrets = tuple(max(high - own, 0.0) for high, own in zip(best, play.values, strict=True))
    promised = solver.guarantee.elsewhere == NO_REGRET.elsewhere and not solver.guarantee.caveat
    proven = promised and solver.parameters.get("updates") == "simultaneous"
    return ForgetfulGaps(
        verdict=game.recall.verdict,
        abstraction=game.ties.digest,
        sets=tuple(plex.sets for plex in game.form.treeplexes),
        abstract_sets=game.ties.counts,
        regret_bounds=game.recall.bounds if proven else (None,) * game.players,
        regrets=regrets,
        abstract_gains=exact,
        abstract_gain_bounds=tuple(
            (max(one.low - own, 0.0), max(one.high - own, 0.0)) for one, own in zip(responses, earned, strict=True)
        ),
    )


def best_forgetful_values(game: ForgetfulGame, profile: Profile) -> tuple[float, ...] | None:
    """Return the values of best responses with the same recall; None if they are not known.

    They are not known if a player is absent-minded, or if the search does not end.
    """
    if game.forgetting.absent_minded:
        return None
    _, responses = _responses(game.tied, profile)
    return tuple(one.low for one in responses) if all(one.exact for one in responses) else None


def _responses(game: TiedGame, profile: Profile) -> tuple[list[float], list[ForgetfulResponse]]:
    """Return what each player earns, and its best response with imperfect recall."""
    reach, begin = reaches(game, profile), 0
    earned, responses = [], []
    for player, plex in enumerate(game.form.treeplexes):
        gradient, own = gradient_of(game, player, reach)
        earned.append(own)
        responses.append(forgetful_response(game, player, gradient[begin : begin + plex.sequences]))
        begin += plex.sequences
    return earned, responses
