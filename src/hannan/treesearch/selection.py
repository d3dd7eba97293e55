"""The selection rules of the search: their names and parameters, and the errors of their walks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan import arguments
from hannan.arrays import Floats
from hannan.errors import HannanError, ParameterError, UnsuitableError
from hannan.kernels.mcts import records
from hannan.kernels.mcts.records import SearchPlan, SearchWalk
from hannan.kernels.statuses import NOT_CONSTANT_SUM, OUTSIDE_BOUNDS
from hannan.rules.complaints import complaint
from hannan.rules.plain import Rules
from hannan.treesearch.userrule import SelectionRule, user_rule


@dataclass(frozen=True)
class Rule:
    """A selection rule: its kernel, whether nodes return means, and its default exploration."""

    code: int
    mean: bool
    gamma: float
    line: str
    averages: bool = False
    """Whether its answer is the average strategy; else it is how often each action was played."""
    users: SelectionRule | None = None
    """The user's rule; None for a built-in rule."""


RULES = {
    "rm": Rule(records.RM, False, 0.1, "regret matching on the means of the cells"),
    "rm-mean": Rule(records.RM, True, 0.1, "regret matching; nodes return the mean of their visits"),
    "exp3": Rule(records.EXP3, False, 0.1, "exponential weights of sampled rewards"),
    "exp3-mean": Rule(records.EXP3, True, 0.1, "exponential weights; nodes return the mean of their visits"),
    "exp3-ix": Rule(records.EXP3_IX, False, 0.1, "exponential weights with implicit exploration and a falling rate"),
    "hedge": Rule(records.HEDGE, False, 0.1, "exponential weights on the means of the cells"),
    "rm+": Rule(records.RM_PLUS, False, 0.1, "regret matching plus on the means of the cells"),
    "uct": Rule(records.UCT, False, 0.0, "upper confidence bounds, the first of ties; need not converge"),
    "uct-random": Rule(records.UCT_RANDOM, False, 0.0, "upper confidence bounds, random ties; need not converge"),
    "oos": Rule(records.OOS, False, 0.6, "online outcome sampling", averages=True),
    "random": Rule(records.RANDOM, False, 0.0, "every action alike"),
}


def rule_of(given: Any) -> tuple[str, Rule]:
    """Return a rule and its name in files. It is given by name, as `file.py:Class`, or as the user's class."""
    if given in ("is-oos", "is-rm"):
        raise ParameterError(
            f"rule={given} searches information sets: hn.search and hannan search take it, a Searcher of positions and "
            "the player search(…) do not. In a match take mccfr-os(iterations=…), or the strategy of a search"
        )
    own = None if isinstance(given, str) and given in RULES else user_rule(given)
    if own is None:
        name = arguments.choice("rule", given, RULES)
        return name, RULES[name]
    said = (type(own).__doc__ or own.name).partition("\n")[0]
    return own.name, Rule(records.USERS, own.mean, own.gamma, said, own.averages, own)


EXPLORING = {"own": records.OWN, "star": records.STAR, "plus": records.PLUS}
"""What explores: the rule itself; A*, which plays uniformly with probability gamma and then learns nothing; A+, which
does so at visits 1, 4, 9, …"""


FIRST_VISITS = {"counted": records.COUNTED, "printed": records.PRINTED, "selected": records.SELECTED}
"""How the first visits of a node's cells are treated. counted: they come before the rule selects, and the node's mean
counts them. printed: they come before, and the mean leaves them out (Algorithm 1 as printed). selected: the rule
selects from the first visit on."""


def check_first_visits(first_visits: str, tree: str) -> None:
    """Refuse any `first_visits` but "counted" in a full tree."""
    if tree == "full" and first_visits != "counted":
        raise ParameterError(
            f"first_visits={arguments.shown(first_visits)} is for tree='incremental'. With tree='full' no cell is "
            "tried before the rule selects: leave first_visits out"
        )


def plan_of(
    named: Rule,
    *,
    gamma: Any,
    returns: Any,
    explore: Any,
    unvisited: Any,
    c: Any,
    margin: Any,
    judge: int,
    apart: int,
    low: float,
    high: float,
    first_visits: str = "counted",
) -> SearchPlan:
    """Check the parameters of a rule; return the plan for the kernels."""
    arguments.choice("explore", explore, EXPLORING)
    scale = 1.0 / (high - low) if high > low else 1.0
    return SearchPlan(
        rule=named.code,
        mean=int(named.mean if returns is None else returns == "mean"),
        explore=EXPLORING[explore],
        judge=judge,
        apart=apart,
        gamma=named.gamma if gamma is None else arguments.number("gamma", gamma, 0.0, 1.0),
        constant=arguments.limit("c", c),
        margin=arguments.limit("margin", margin),
        low=float(low),
        scale=scale,
        unvisited=math.nan if unvisited == "skip" else (0.0 - low) * scale,
        first_visits=FIRST_VISITS[first_visits],
        **_addresses(named.users),
    )


def _addresses(rule: SelectionRule | None) -> dict[str, int]:
    """Return the addresses of the functions and constants of a user's rule; the rule must outlive the search."""
    if rule is None:
        return {}
    from hannan.kernels.pointers import address_of

    play, learn = map(address_of, rule.compiled)
    return {"play": play, "learn": learn, "constants": rule.constants.ctypes.data}


def shares(plan: SearchPlan, sums: Floats, averages: bool, exploration: bool, begin: Any = None) -> Floats:
    """Return counts of actions, or sums of strategies, as probabilities, with the exploration or without it.

    begin: for several sets, where the actions of each set begin, and where the last ones end. Default: one set.
    """
    greedy = plan.rule in (records.UCT, records.UCT_RANDOM, records.RANDOM)
    gamma = 0.0 if greedy or plan.explore == records.PLUS else plan.gamma
    if plan.rule == records.OOS and not averages:
        gamma /= 2  # one player explores at a time
    begin = np.array([0, len(sums)]) if begin is None else begin
    size = np.repeat(np.diff(begin), np.diff(begin))
    plays = _normal(sums, begin)
    if averages and exploration and plan.rule != records.OOS:
        plays = (1 - gamma) * plays + gamma / size
    elif not averages and not exploration:
        plays = _normal(np.maximum(plays - gamma / size, 0.0), begin)
    return plays


def _normal(sums: Floats, begin: Any) -> Floats:
    """Return the sums of each set as probabilities, equal ones if all sums of the set are 0."""
    size = np.diff(begin)
    total = np.repeat(np.add.reduceat(sums, begin[:-1]), size)
    even: Floats = np.repeat(1 / size, size)
    return np.divide(sums, total, out=even, where=total > 0)


def walk_error(status: int, plan: SearchPlan, walk: SearchWalk, rules: Rules, where: str, state: Any) -> HannanError:
    """Return the error for a status with which a walk stopped at a node."""
    if status == NOT_CONSTANT_SUM:
        return UnsuitableError(
            f"search is for two-player zero-sum games, and utilities have no constant sum here: they add up to "
            f"{walk.here[2]:g} at one end of play and to {walk.here[3]:g} at {where}; take cfr, whose average play "
            "approaches a coarse correlated equilibrium"
        )
    if status == OUTSIDE_BOUNDS:
        return ParameterError(
            f"player 0 gains less than {plan.low:g} or more than {plan.low + 1 / plan.scale:g} at {where}: correct the "
            "bounds (given, or of the rules) or the evaluation"
        )
    return complaint(status, rules, where, lambda: state)
