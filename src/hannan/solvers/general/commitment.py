"""Stackelberg commitment: one player announces its strategy, and the other plays a best response to it.

V. Conitzer and T. Sandholm (2006), Computing the optimal strategy to commit to: for each plan of the follower, a
linear program finds the leader's best strategy to which that plan is a best reply. Ties go to the leader. The leader's
strategy is a plan over sequences, so only the follower's plans are listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.arguments import place
from hannan.arrays import Floats, frozen
from hannan.errors import HannanError, SizeError, UnsuitableError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load_expanded
from hannan.forms.treeplex import EMPTY, flow, worth
from hannan.interrupts import go_on
from hannan.solvers.exact.linear import LinearProgram
from hannan.solvers.exact.normalform import plan_counts, plans_of, taken
from hannan.strategies.profile import Profile, normalised

MOST_PLANS = 2_000
"""The most plans of a follower."""

TIE = 1e-12
"""A plan must pay the leader more by at least this to be preferred, so that rounding does not decide."""


@dataclass(frozen=True, eq=False)
class Commitment:
    """The best strategy to commit to, and the follower's answer."""

    game: ExpandedGame
    leader: int
    profile: Profile
    """The leader's announced strategy, and the follower's best reply that is best for the leader."""
    reach: Floats  # [sequences of the leader]
    values: tuple[float, ...]
    gain: float
    """The gain of the follower's best other answer, measured on the profile: 0 up to rounding."""
    plans: int
    """The number of the follower's plans that are a best reply to some strategy of the leader."""

    def __post_init__(self) -> None:
        frozen(self.reach)

    def record(self) -> dict[str, Any]:
        """Return the numbers and both strategies as one object that JSON can hold."""
        strategies = []
        for player, plex in enumerate(self.game.form.treeplexes):
            names = [self.game.set_text(player, j) for j in range(plex.sets)]
            strategies.append({name: self.profile.at(player, j) for j, name in enumerate(names)})
        return {
            "game": self.game.address, "leader": self.leader, "values": self.values, "gain": self.gain,
            "plans": self.plans, "strategies": strategies,
        }  # fmt: skip

    def __repr__(self) -> str:
        values = [float(f"{value:.6g}") for value in self.values]
        return f"Commitment({self.game.address}: player {self.leader} leads, values {values})"


def stackelberg(game: Loadable, leader: int = 0) -> Commitment:
    """Find the strategy that a player of a two-player game should announce, if the other answers it best.

    Of several best replies the follower takes the one that is best for the leader (a strong Stackelberg equilibrium).
    """
    expanded = load_expanded(game)
    if expanded.players != 2:
        raise UnsuitableError(
            f"{expanded.address} has {expanded.players} players: commitment is computed for one leader and one follower"
        )
    leader = place("leader", leader, 2)
    follower = 1 - leader
    counts = plan_counts(expanded)
    if counts[follower] > MOST_PLANS:
        raise SizeError(
            f"player {follower} of {expanded.address} has {counts[follower]:,} plans; a follower may have "
            f"{MOST_PLANS:,}"
        )
    pays = _against_plans(expanded, leader)  # [players][sequences of the leader, plans of the follower]
    program = _Announcement(expanded, leader, pays[follower])
    best, reach, answer, possible = -np.inf, None, -1, 0
    for plan in range(counts[follower]):
        go_on()
        found = program.best(pays[leader][:, plan], plan)
        if found is None:
            continue
        possible += 1
        value = float(found @ pays[leader][:, plan])
        if value > best + TIE * max(1.0, abs(best) if np.isfinite(best) else 1.0):
            best, reach, answer = value, found, plan
    if reach is None:
        raise HannanError(
            f"no plan of player {follower} of {expanded.address} is a best reply: its payoffs are too far apart"
        )
    return _measured(expanded, leader, reach, answer, possible)


def _against_plans(game: ExpandedGame, leader: int) -> list[Floats]:
    """Return the gain of each player from each sequence of the leader against each plan of the follower."""
    from scipy.sparse import csr_array

    follower, form = 1 - leader, game.form
    plays = _plays(game, follower)
    shape = tuple(form.treeplexes[p].sequences for p in (leader, follower))
    places = (form.sequence(leader), form.sequence(follower))
    return [csr_array((form.payoff(p), places), shape=shape) @ plays.T for p in range(2)]


def _plays(game: ExpandedGame, player: int) -> Floats:
    """Return which sequences each plan of a player plays, [plans, sequences]."""
    plex = game.form.treeplexes[player]
    return taken(plex, plans_of(plex)).astype(np.float64)


class _Announcement:
    """The leader's program: strategies to which one plan of the follower is a best reply."""

    def __init__(self, game: ExpandedGame, leader: int, replies: Floats) -> None:
        self.plex, self.replies = game.form.treeplexes[leader], replies
        self.flow = flow(self.plex)
        self.scale = float(np.abs(replies).max(initial=0.0)) or 1.0

    def best(self, goal: Floats, plan: int) -> Floats | None:
        """Return the probabilities of sequences that earn the leader most; None if the plan is never a best reply."""
        from scipy.sparse import csc_array, vstack

        better = (self.replies - self.replies[:, [plan]]).T / self.scale
        matrix = vstack([self.flow, csc_array(np.delete(better, plan, axis=0))])
        lower, upper = np.zeros(self.plex.sequences), np.ones(self.plex.sequences)
        lower[EMPTY] = 1.0
        least = np.concatenate((np.zeros(self.plex.sets), np.full(better.shape[0] - 1, -np.inf)))
        cost = goal / (float(np.abs(goal).max(initial=0.0)) or 1.0)
        solution = LinearProgram(cost, matrix, lower, upper, least).solve()
        return np.maximum(solution.columns, 0.0) if solution.ending == "optimal" else None


def _measured(game: ExpandedGame, leader: int, reach: Floats, answer: int, possible: int) -> Commitment:
    """Measure the announced strategy and the answer: values, and the gain of another answer."""
    follower = 1 - leader
    plexes, form = game.form.treeplexes, game.form
    theirs = _plays(game, follower)[answer]
    parts = [np.empty(0), np.empty(0)]
    parts[leader], parts[follower] = normalised(game, leader, reach), normalised(game, follower, theirs)
    weights = reach[form.sequence(leader)]
    gradient = np.zeros(plexes[follower].sequences)
    np.add.at(gradient, form.sequence(follower), form.payoff(follower) * weights)
    gain = float(worth(plexes[follower], gradient)[EMPTY] - gradient @ theirs)
    joint = weights * theirs[form.sequence(follower)]
    values = tuple(float((form.payoff(p) * joint).sum()) for p in range(2))
    return Commitment(game, leader, Profile(game, (parts[0], parts[1])), reach, values, max(0.0, gain), possible)
