"""Quantal response equilibria: at one λ, along the principal branch, or where observed choices are most likely."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from os import PathLike
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np

from hannan.arguments import Option, limit, positive, settled, shown
from hannan.arrays import Floats, Longs, frozen
from hannan.errors import HannanError, ParameterError, UnsuitableError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load_expanded
from hannan.measures.evaluation import values
from hannan.measures.likelihood import Fit, fit, log_likelihood, standard_error
from hannan.options import declaring
from hannan.runs.observations import read_observations
from hannan.solvers.exact.normalform import normal_form
from hannan.solvers.general.branch import Stand, System, between, branch
from hannan.solvers.general.choices import AgentChoices, PlanChoices
from hannan.solvers.general.polish import polish
from hannan.solvers.general.polish_tree import polish_tree
from hannan.strategies.profile import Profile

STEPS = 10_000
"""The most steps along a branch."""

NEAR = 1e-6
"""A branch without a largest λ ends at this regret, as a share of the range of payoffs."""

FINE, MOST_BETWEEN = 0.02, 20
"""The largest change of a probability between kept points, and the most points between two stands."""


class QreOptions(TypedDict, total=False):
    """The options of `qre`."""

    lambda_: Annotated[
        float | None, Option("The precision λ, 0 or more: at 0 every action is equally likely.", check=limit)
    ]
    path: Annotated[bool, Option("Keep the whole principal branch up to its end, also beyond a fitted λ.", False)]
    max_lambda: Annotated[
        float | None,
        Option("The λ at which the branch ends. Default: next to an equilibrium.", check=positive),
    ]
    data: Annotated[
        str | PathLike[str] | None,
        Option(
            "Observed choices: a CSV file with the columns player, set, action, count. Without a λ, the most likely "
            "one is fitted."
        ),
    ]
    normal: Annotated[
        bool,
        Option("Let players choose among plans for the whole game, not among actions at each information set.", False),
    ]


@dataclass(frozen=True, eq=False)
class QuantalBranch:
    """The principal branch of quantal response equilibria, point by point. λ may decrease along it."""

    lambdas: Floats  # [points]
    probabilities: Floats  # [points, actions]
    begin: Longs  # [choices + 1]  actions begin[c] … begin[c+1]-1 are those of choice c
    choices: tuple[str, ...]
    """The chooser of each choice: the player and its information set, or only the player."""
    actions: tuple[str, ...]
    """The actions of all choices, or plans, end to end."""
    turning_points: tuple[float, ...]
    """The λ at which the branch changes its direction in λ."""
    bifurcations: tuple[float, ...]
    """The λ at which another branch crosses."""
    ending: str
    """A sentence: how the branch ended."""
    limit: Profile | None
    """The Nash equilibrium next to the end of the branch, in all digits. None: none was found."""
    limit_regret: float | None
    """The most that a player could gain by deviating from `limit`."""

    def __post_init__(self) -> None:
        for array in (self.lambdas, self.probabilities, self.begin):
            frozen(array)

    def rows(self) -> list[tuple[float, str, str, float]]:
        """Return the branch as a table: λ, choice, action, probability."""
        owner = np.repeat(np.arange(len(self.choices)), np.diff(self.begin)).tolist()
        return [
            (rate, self.choices[owner[k]], self.actions[k], odds)
            for rate, row in zip(self.lambdas.tolist(), self.probabilities.tolist(), strict=True)
            for k, odds in enumerate(row)
        ]


@dataclass(frozen=True, eq=False)
class Quantal:
    """A quantal response equilibrium."""

    game: str
    form: str
    """agent: each information set chooses among its actions; normal: players choose among plans."""
    lambda_: float
    strategy: Profile
    payoffs: tuple[float, ...]
    regret: float
    """The most that a player could gain by deviating: at a finite λ this is not a Nash equilibrium."""
    log_likelihood: float | None = None
    """The log-likelihood of the observed choices."""
    standard_error: float | None = None
    """The standard error of a fitted λ."""
    observations: int | None = None
    at_end: bool | None = None
    """Whether the likelihood still grows at the end of the branch: then a larger λ may be more likely."""
    branch: QuantalBranch | None = None

    @property
    def profile(self) -> Profile:
        """The strategies."""
        return self.strategy

    def record(self) -> dict[str, Any]:
        """Return what `hannan qre --json` prints."""
        row: dict[str, Any] = {
            "game": self.game, "form": self.form, "lambda": self.lambda_, "strategies": written(self.strategy),
            "payoffs": list(self.payoffs), "regret": self.regret, "log_likelihood": self.log_likelihood,
            "standard_error": self.standard_error, "observations": self.observations, "at_end": self.at_end,
            "path": None,
        }  # fmt: skip
        if self.branch is not None:
            one = self.branch
            row["path"] = {
                "lambda": one.lambdas.tolist(), "begin": one.begin.tolist(), "choices": list(one.choices),
                "actions": list(one.actions), "probabilities": one.probabilities.tolist(),
                "turning_points": list(one.turning_points), "bifurcations": list(one.bifurcations),
                "ending": one.ending, "limit": None if one.limit is None else written(one.limit),
                "limit_regret": one.limit_regret,
            }  # fmt: skip
        return row


def written(profile: Profile) -> list[Any]:
    """Return strategies for JSON: a list of probabilities per player if all have one set, else a map of sets.

    A set that shares its name with another one of the player has its number after the name.
    """
    game, rows = profile.game, []
    single = all(plex.sets <= 1 for plex in game.form.treeplexes)
    for player, (plex, strategy) in enumerate(zip(game.form.treeplexes, profile.strategies, strict=True)):
        if single:
            rows.append(strategy[1:].tolist())
        else:
            names = [game.set_text(player, j) for j in range(plex.sets)]
            keys = [
                name if len(game.sets_named(player, name)) == 1 else f"{name} ({j})" for j, name in enumerate(names)
            ]
            rows.append({key: profile.at(player, j) for j, key in enumerate(keys)})
    return rows


@declaring(QreOptions)
def qre(game: Annotated[Loadable, Option("The game.")], **options: Unpack[QreOptions]) -> Quantal:
    """Compute a logit quantal response equilibrium, in which better actions are more likely as λ grows.

    Without options, the principal branch is followed from λ = 0 to its end, next to a Nash equilibrium. With
    `lambda_`, the result is the first equilibrium with this λ on the branch. With `data`, λ is fitted. The command
    `hannan qre` has the same options (docs/reference/options.md).

    Returns
    -------
    Quantal
        The equilibrium, its λ and its payoffs; with `path`, the whole branch.

    Raises
    ------
    ParameterError
        If an option has a wrong value.
    SizeError
        If the game is too large to expand.

    Examples
    --------
    >>> import hannan as hn
    >>> equilibrium = hn.qre([[9, 0], [0, 1]], lambda_=1.0)
    >>> round(equilibrium.strategy.at(1, 0)["0"], 4) < 0.5
    True
    """
    chosen = settled("qre", QreOptions, options, "game")
    target, most, data = chosen["lambda_"], chosen["max_lambda"], chosen["data"]
    if target is not None and (chosen["path"] or most is not None):
        raise ParameterError("lambda_ asks for one point, path and max_lambda for a branch: leave one of them out")
    loaded = load_expanded(game)
    choices = _choices(loaded, chosen["normal"])
    for name, given in (("lambda_", target), ("max_lambda", most)):
        if given is not None and given * choices.spread > choices.farthest:
            raise ParameterError(
                f"{name}={shown(given)} is more than floats can follow in {loaded.address}; it may be up to "
                f"{choices.farthest / choices.spread:.6g}"
            )
    counts = None if data is None else _observed(loaded, choices, data)
    system, end = System(choices), target if target is not None else most
    stands = _followed(choices, None if end is None else end * choices.spread)
    if target is not None and stands[-1].rate != target * choices.spread:
        raise HannanError(
            f"the principal branch of {loaded.address} was lost at λ = {stands[-1].rate / choices.spread:.6g}, as at a "
            f"bifurcation, and did not come to λ = {target:.6g}"
        )
    last, best = stands[-1], None
    rate, logs = last.rate, last.logs
    if counts is not None and target is None:
        best = fit(system, stands, counts)
        rate, logs = best.rate, best.logs
    kept = _branch(choices, stands) if target is None and (chosen["path"] or counts is None) else None
    strategy = _profile(choices, np.exp(logs))
    return Quantal(
        game=loaded.address,
        form="normal" if isinstance(choices, PlanChoices) else "agent",
        lambda_=target if target is not None else rate / choices.spread,
        strategy=strategy,
        payoffs=values(strategy),
        regret=choices.regret(logs),
        branch=kept,
        **_likelihood(system, counts, rate, logs, best),
    )


def _likelihood(system: System, counts: Floats | None, rate: float, logs: Floats, best: Fit | None) -> dict[str, Any]:
    """Return the log-likelihood of the observed choices, and the standard error of λ."""
    if counts is None:
        return {}
    error = standard_error(system, logs, rate, counts) if best is None else best.standard_error
    return {
        "log_likelihood": log_likelihood(logs, counts),
        "standard_error": None if best is None or error is None else error / system.spread,
        "observations": int(counts.sum()),
        "at_end": None if best is None else best.at_end,
    }


def _choices(game: ExpandedGame, normal: bool) -> AgentChoices | PlanChoices:
    """Return the choices of all players; refuse a game without choices."""
    if not any(plex.sets for plex in game.form.treeplexes):
        raise UnsuitableError(f"no player of {game.address} has a choice, so there is nothing to respond to")
    return PlanChoices(normal_form(game)) if normal else AgentChoices(game)


def _observed(game: ExpandedGame, choices: AgentChoices | PlanChoices, data: str | PathLike[str]) -> Floats:
    """Read the observed choices; a normal form has them only if every player has one information set."""
    if isinstance(choices, PlanChoices) and any(plex.sets != 1 for plex in game.form.treeplexes):
        raise UnsuitableError(
            f"players of {game.address} choose more than once, and observed choices are choices at information sets: "
            "leave out normal"
        )
    return read_observations(game, data)


def _followed(choices: AgentChoices | PlanChoices, end: float | None) -> list[Stand]:
    """Return the principal branch up to its end."""
    stands: list[Stand] = []
    for stand in branch(choices, STEPS, end):
        stands.append(stand)
        far = stand.rate >= choices.farthest or (
            stand.rate >= 1 and choices.regret(stand.logs) <= NEAR * choices.spread
        )
        if end is None and far:
            break
    return stands


def _dense(system: System, stands: Sequence[Stand]) -> list[Stand]:
    """Return the branch with more points where probabilities change much from one to the next."""
    points = [stands[0]]
    for one, other in pairwise(stands):
        apart = float(np.abs(np.exp(other.logs) - np.exp(one.logs)).max())
        parts = 1 if other.turned else min(ceil(apart / FINE), MOST_BETWEEN)
        for k in range(1, parts):
            rate = one.rate + (other.rate - one.rate) * k / parts
            found = between(system, one, other, rate)
            if found is not None:
                points.append(Stand(rate, found[0], one.tangent))
        points.append(other)
    return points


def _branch(choices: AgentChoices | PlanChoices, stands: Sequence[Stand]) -> QuantalBranch:
    """Return the branch for people, with the equilibrium at its end."""
    stands = _dense(System(choices), stands)
    last, spread = stands[-1], choices.spread
    names, actions = _names(choices)
    found, regret = _limit(choices, last)
    left = choices.regret(last.logs)
    if not last.settled:
        ending = f"The branch was lost at λ = {last.rate / spread:.6g}, as at a bifurcation"
    else:
        ending = f"The branch was followed to λ = {last.rate / spread:.6g}"
    ending += f"; there a player could gain up to {left:.3g} by deviating."
    ending += " No Nash equilibrium was found next to it." if found is None else " A Nash equilibrium is next to it."
    return QuantalBranch(
        lambdas=np.array([stand.rate for stand in stands]) / spread,
        probabilities=np.exp(np.stack([stand.logs for stand in stands])),
        begin=choices.begin,
        choices=names,
        actions=actions,
        turning_points=_places(spread, (stand for stand in stands if stand.turned)),
        bifurcations=_places(spread, (stand for stand in stands if stand.bifurcated)),
        ending=ending,
        limit=found,
        limit_regret=regret,
    )


def _places(spread: float, stands: Iterable[Stand]) -> tuple[float, ...]:
    return tuple(stand.rate / spread for stand in stands)


def _limit(choices: AgentChoices | PlanChoices, last: Stand) -> tuple[Profile | None, float | None]:
    """Return the equilibrium next to the last stand, if the branch is near one."""
    if not last.settled or choices.regret(last.logs) > 1e-2 * choices.spread:
        return None, None
    mixed = np.exp(last.logs)
    if isinstance(choices, PlanChoices):
        whole = polish(choices, mixed)
        if whole is None:
            return None, None
        return _profile(choices, whole), choices.regret_of(whole)
    sequences, regret = polish_tree(choices, last.logs)
    if regret > 1e-9 * choices.spread:
        return None, None
    return _profile(choices, choices.behaviour(sequences, mixed)), regret


def _profile(choices: AgentChoices | PlanChoices, mixed: Floats) -> Profile:
    """Return probabilities of actions or plans as a profile."""
    sums = np.repeat(np.add.reduceat(mixed, choices.begin[:-1]), np.diff(choices.begin))
    mixed = mixed / sums
    if isinstance(choices, PlanChoices):
        return choices.form.profile(choices.parted(mixed))
    return Profile(choices.game, choices.strategies(mixed), {"method": "qre"})


def _names(choices: AgentChoices | PlanChoices) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name every choice, and every action or plan."""
    if isinstance(choices, PlanChoices):
        form, players = choices.form, range(choices.form.players)
        plans = (form.plan_text(p, k) for p in players for k in range(len(form.plans[p])))
        return tuple(f"player {p}" for p in players), tuple(plans)
    game, plexes = choices.game, choices.game.form.treeplexes
    sets = (f"player {p}, {game.set_text(p, j)}" for p, plex in enumerate(plexes) for j in range(plex.sets))
    actions = (game.action_text(p, s) for p, plex in enumerate(plexes) for s in range(1, plex.sequences))
    return tuple(sets), tuple(actions)
