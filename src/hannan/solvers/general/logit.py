"""One equilibrium by the logit branch: of a normal form, and of a tree without listing its plans.

T. L. Turocy (2005), A dynamic homotopy interpretation of the logistic quantal response equilibrium correspondence: as λ
grows without bound, the principal branch of generic games leads to a Nash equilibrium. T. L. Turocy (2010), Computing
sequential equilibria using agent quantal response equilibria: in the agent form the limit is sequential.

`branch` follows the branch; `polish` finds the equilibrium at its end in all digits. If the branch is lost at a
bifurcation, the method says so and yields nothing, because the strategies there are not an equilibrium. Each player's
payoffs are divided by their range first, so that λ has the same meaning for all players.
"""

from __future__ import annotations

import numpy as np

from hannan.forms.game import ExpandedGame
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.branch import Stand, branch
from hannan.solvers.general.choices import AgentChoices, PlanChoices
from hannan.solvers.general.point import Ending, Point, Points
from hannan.solvers.general.polish import EXACT, polish
from hannan.solvers.general.polish_tree import polish_tree

STEPS = 5_000
"""The most steps along the branch."""

SURE, CLEAR = 1e-4, 1e3
"""A branch is polished once the regret, as a share of the spread of payoffs, is at most the first number, and λ times
the spread is at least the second."""


class Record:
    """Facts about a branch, for the sentence at its end."""

    def __init__(self, choices: PlanChoices | AgentChoices) -> None:
        self.spread, self.farthest, self.steps = choices.spread, choices.farthest, 0
        self.turns: list[float] = []
        self.crossings: list[float] = []
        self.last: Stand | None = None

    def add(self, stand: Stand) -> None:
        """Add the next stand."""
        self.steps += 1
        self.last = stand
        if stand.turned:
            self.turns.append(stand.rate / self.spread)
        if stand.bifurcated:
            self.crossings.append(stand.rate / self.spread)

    def ending(self, found: bool) -> Ending:
        """Return the sentence."""
        last = self.last
        assert last is not None
        rate = last.rate / self.spread
        crossed = "".join(f"; another branch crosses it at λ = {x:.6g}" for x in self.crossings[:3])
        if found:
            return Ending(False, f"the logit branch leads to one equilibrium{crossed}")
        if not last.settled:
            return Ending(
                False,
                f"the logit branch was lost at λ = {rate:.6g}, as at a bifurcation; the strategies there are no "
                f"equilibrium{crossed}",
            )
        why = "the steps were used up" if last.rate < self.farthest else "floats hold no more of it"
        return Ending(
            False, f"the logit branch was followed to λ = {rate:.6g}, where {why}; no equilibrium yet{crossed}"
        )


def logit(form: NormalForm, *, steps: int = STEPS) -> Points:
    """Yield the equilibrium that the logit branch of a normal form leads to."""
    choices = PlanChoices(form, level=True)
    record, due = Record(choices), CLEAR
    for stand in branch(choices, steps):
        record.add(stand)
        if not _ready(choices, stand, due):
            continue
        due = 2 * stand.rate
        mixed = np.exp(stand.logs)
        found = polish(choices, mixed, _near(choices, stand))
        if found is not None:
            yield Point(choices.parted(found), regret=choices.gain_of(found))
            return record.ending(True)
        if stand.rate >= choices.farthest:
            break
    return record.ending(False)


def agent_logit(game: ExpandedGame, *, steps: int = STEPS) -> Points:
    """Yield the equilibrium that the logit branch of the agent form leads to; probabilities are of sequences.

    If Newton's method does not reach it in all digits, the visited point with the least regret is yielded; its
    `regret` says how good it is.
    """
    agents = AgentChoices(game, level=True)
    if agents.begin[-1] == 0:
        yield Point(agents.parted(np.ones(1)), space="sequences", regret=0.0)
        return Ending(True, "no player has a choice")
    record = Record(agents)
    due, best = CLEAR, (np.ones(1), np.inf)
    for stand in branch(agents, steps):
        record.add(stand)
        if not _ready(agents, stand, due):
            continue
        due = 2 * stand.rate
        found, regret = polish_tree(agents, stand.logs)
        if regret < best[1]:
            best = found, regret
        if regret <= EXACT * agents.spread or stand.rate >= agents.farthest:
            break
    if best[1] <= SURE * agents.spread:
        yield Point(agents.parted(best[0]), space="sequences", regret=agents.gain_of(best[0]))
        return record.ending(True)
    return record.ending(False)


def _ready(choices: PlanChoices | AgentChoices, stand: Stand, due: float) -> bool:
    """Return whether a stand may be next to the end of its branch: λ has grown to `due`, or it is an equilibrium."""
    if stand.rate >= choices.farthest:
        return True
    regret = choices.regret(stand.logs)
    last = not stand.settled and stand.rate >= CLEAR
    return regret <= (SURE if stand.rate >= due or last else EXACT) * choices.spread


def _near(choices: PlanChoices, stand: Stand) -> float:
    """Return how far the limit of a branch may be from a stand.

    In generic games the distance is proportional to 1/λ. In others it may be proportional to a root of that, which
    shows at the end of the branch.
    """
    last = stand.rate >= choices.farthest or not stand.settled
    return 0.1 if last else max(1e-6, min(10.0 / max(stand.rate, 1.0), 0.1))
