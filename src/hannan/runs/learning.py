"""Measured learning in small games: how far play is from equilibria along a run, and whether it cycles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from typing import Any

import numpy as np

from hannan.arguments import seed as checked_seed
from hannan.arguments import whole
from hannan.arrays import Floats
from hannan.errors import ParameterError, SizeError, UnsuitableError
from hannan.forms.loader import Loadable, load_expanded
from hannan.interrupts import go_on
from hannan.kernels.fullwidth.records import DECAY
from hannan.measures.itinerary import Course, itinerary
from hannan.runs.equilibria import equilibria
from hannan.runs.solve import AUTO, make_solver, split_method
from hannan.solvers import METHODS, method_class
from hannan.solvers.exact.normalform import NormalForm, normal_form
from hannan.solvers.fullwidth.engine import Backed
from hannan.solvers.general.distance import MOST_CELLS, correlated_distance
from hannan.solvers.general.fictitious import fictitious_play
from hannan.solvers.general.point import Point
from hannan.solvers.general.replicator import replicator
from hannan.strategies.profile import Profile, normalised, random_profile, uniform

FICTITIOUS, REPLICATOR = "fictitious-play", "replicator"
"""Dynamics that are not methods of `solve`."""

STEP = 0.1
"""The time of one iteration of the replicator equation, if payoffs have a range of 1."""

MOST_LISTED = 400
"""The most combinations of plans for which all Nash equilibria are looked for; in larger games, one is."""

MOST_NUMBERS = 50_000_000
"""The most probabilities that a run may keep."""

Mixed = tuple[Floats, ...]


@dataclass(frozen=True)
class Distances:
    """The distances of play from equilibria."""

    ce: float
    """Total variation distance to the correlated equilibria."""
    cce: float
    """Total variation distance to the coarse correlated equilibria."""
    nash: float | None
    """Distance to the nearest known Nash equilibrium: the largest total variation distance of any player's mixed
    strategy. None of correlated play, and if no equilibrium is known."""
    gain: float
    """The most that a player could gain by one plan of its own."""


@dataclass(frozen=True)
class LearningPoint:
    """One measurement along a run."""

    iteration: int
    current: Distances
    """Of the play of this iteration."""
    average: Distances
    """Of the average strategies, drawn independently."""
    joint: Distances
    """Of the correlated average of all play so far."""


@dataclass(frozen=True)
class Learning:
    """A run of a learning method, measured against the equilibria of a game."""

    game: str
    method: str
    iterations: int
    seed: int | None
    equilibria: int
    """The number of known Nash equilibria."""
    complete: bool
    """Whether these are all equilibria, or all extreme ones."""
    curve: tuple[LearningPoint, ...]
    course: Course
    cycle: tuple[tuple[str, ...], ...]
    """The plans that are the likeliest in turn, if play cycles."""
    period: int | None
    growth: float | None
    amplitude: float
    pure: bool
    """Whether the current play ends nearest to a pure equilibrium, within 0.01 of it."""

    @property
    def last(self) -> LearningPoint:
        """The last measurement."""
        return self.curve[-1]

    def record(self) -> dict[str, Any]:
        """Return the numbers as one object that JSON can hold."""
        return asdict(self)

    def __repr__(self) -> str:
        now = self.last
        nash = (
            "" if now.current.nash is None else f", Nash {now.current.nash:.3g} and on average {now.average.nash:.3g}"
        )
        return (
            f"Learning({self.game} by {self.method}: {self.course}{nash}, joint play CE {now.joint.ce:.3g}, "
            f"CCE {now.joint.cce:.3g}, {self.iterations:,} iterations)"
        )


def learning(
    game: Loadable,
    method: str = "cfr",
    *,
    iterations: int = 1000,
    seed: int | None = None,
    start: Sequence[Sequence[float]] | None = None,
) -> Learning:
    """Run a learning method on a small game, and measure how far play is from equilibria.

    All players move at once. Distances are total variation distances, 0 to 1, between distributions over combinations
    of plans. Measured are the play of an iteration, the average strategies, and the correlated average play, at
    iterations 1, 2, 5, 10, … and the last one.

    Parameters
    ----------
    game
        A game or its address. It has at most 4,096 combinations of plans.
    method
        A full-width method, einr or komwu, with parameters as in "cfr-hedge(rate=0.1)"; fictitious-play, or replicator
        (the replicator equation of two players; an iteration is a Runge–Kutta step of time 0.1 over the range of
        payoffs).
    iterations
        How many iterations there are.
    seed
        Begin from a profile that is drawn uniformly by this seed. Default: the method's own start, uniform play.
    start
        Begin from these probabilities of plans, one list for each player, instead.

    """
    loaded = load_expanded(game)
    form = normal_form(loaded)
    if form.payoffs[0].size > MOST_CELLS:
        raise SizeError(
            f"{loaded.address} has {form.payoffs[0].size:,} combinations of plans; learning is measured up to "
            f"{MOST_CELLS:,}"
        )
    iterations = whole("iterations", iterations)
    seed = None if seed is None else checked_seed(seed)
    plans = sum(len(mine) for mine in form.plans)
    if iterations * plans > MOST_NUMBERS:
        raise SizeError(f"{iterations:,} iterations of {plans:,} plans are more than {MOST_NUMBERS:,} numbers")
    played = _play(form, method, _started(form, seed, start), iterations)  # refuse before looking for equilibria
    first = next(played)
    known = equilibria(loaded, all=form.payoffs[0].size <= MOST_LISTED)
    nash = [_plans(form, point) for point in known.points]
    path, stations = np.empty((iterations, plans)), np.empty(iterations, np.int64)
    sums = [np.zeros(len(mine)) for mine in form.plans]
    joint, weight, curve = np.zeros(form.payoffs.shape[1:]), 0.0, []
    for t in range(1, iterations + 1):
        go_on()
        mixed, decay = first if t == 1 else next(played)
        together = _product(mixed)
        joint = joint * decay + together
        weight = weight * decay + 1.0
        sums = [old * decay + new for old, new in zip(sums, mixed, strict=True)]
        path[t - 1] = np.concatenate(mixed)
        stations[t - 1] = int(np.ravel_multi_index([int(part.argmax()) for part in mixed], together.shape))
        if t == iterations or str(t).rstrip("0") in ("1", "2", "5"):
            average = tuple(part / part.sum() for part in sums)
            curve.append(
                LearningPoint(
                    t,
                    _independent(form, mixed, nash),
                    _independent(form, average, nash),
                    _measured(form, joint / weight, None),
                )
            )
    found = itinerary(stations, path)
    end = curve[-1].current
    near = min(nash, key=lambda one: _apart(mixed, one), default=None)
    pure = near is not None and all(float(part.max()) == 1.0 for part in near)
    return Learning(
        game=loaded.address,
        method=method,
        iterations=iterations,
        seed=seed,
        equilibria=len(nash),
        complete=known.complete,
        curve=tuple(curve),
        course=found.course,
        cycle=tuple(
            tuple(form.plan_text(p, int(k)) for p, k in enumerate(np.unravel_index(station, joint.shape)))
            for station in found.cycle
        ),
        period=found.period,
        growth=found.growth,
        amplitude=found.amplitude,
        pure=pure and end.nash is not None and end.nash <= 0.01,
    )


def _started(form: NormalForm, seed: int | None, start: Any) -> Profile | None:
    """Return the start of play; None: the method's own start."""
    if seed is not None and start is not None:
        raise ParameterError("seed and start exclude each other: one draws the start, the other gives it")
    if start is not None:
        return form.profile(list(start) if isinstance(start, tuple) else start)
    return None if seed is None else random_profile(form.game, seed)


def _play(form: NormalForm, method: str, start: Profile | None, iterations: int) -> Iterator[tuple[Mixed, float]]:
    """Yield each player's mixed strategy in each iteration, and the factor by which earlier averages decay."""
    begun = tuple(form.mixed(uniform(form.game) if start is None else start))
    if method == FICTITIOUS:
        for played in fictitious_play(form.payoffs, begun):
            yield played, 1.0
        return
    if method == REPLICATOR:
        if form.players != 2:
            raise UnsuitableError(f"{REPLICATOR} is for two players; {form.game.address} has {form.players}")
        if not all((part > 0).all() for part in begun):
            raise ParameterError(f"{REPLICATOR} begins where every plan has a positive probability")
        flat = form.payoffs.reshape(2, -1)
        span = float((flat.max(axis=1) - flat.min(axis=1)).max()) or 1.0
        one, other = replicator(form.payoffs, (begun[0], begun[1]), STEP / span * iterations, iterations)
        for pair in zip(one, other, strict=True):
            yield pair, 1.0
        return
    if not isinstance(method, str) or split_method(method)[0] == AUTO:
        raise ParameterError(f"method={method!r} should name a full-width method, einr, komwu, or {FICTITIOUS}")
    updates: Any = None if "updates" in split_method(method)[1] else "simultaneous"
    solver, _ = _solver(form, method, updates)
    if start is not None:
        solver.warm_start(start, 1)
    while True:
        mixed = form.mixed(solver.current())
        decay = float(solver.rows(solver.iterations + 1, 1)[0, 0, DECAY])
        yield mixed, decay
        solver.run(1)


def _solver(form: NormalForm, method: str, updates: Any) -> tuple[Backed, str]:
    """Return the solver of a method whose play is known at each iteration; refuse any other."""
    name = split_method(method)[0]
    kind = name if isinstance(name, type) else method_class(name)
    if not issubclass(kind, Backed):
        known = ", ".join(one for one in METHODS if issubclass(method_class(one), Backed))
        raise UnsuitableError(f"{kind.method} keeps no play of an iteration; {known}, {FICTITIOUS} and {REPLICATOR} do")
    solver, why = make_solver(form.game, method, updates)
    assert isinstance(solver, Backed)
    return solver, why


def _plans(form: NormalForm, point: Point) -> Mixed:
    """Return an equilibrium as probabilities of plans."""
    if point.space == "plans":
        return point.strategies
    behaviour = tuple(normalised(form.game, player, part) for player, part in enumerate(point.strategies))
    return tuple(form.mixed(Profile(form.game, behaviour)))


def _product(mixed: Mixed) -> Floats:
    """Return the joint play of independent mixed strategies, [plans of player 0, …]."""
    result: Floats = reduce(np.multiply.outer, mixed)
    return result


def _independent(form: NormalForm, mixed: Mixed, nash: list[Mixed]) -> Distances:
    """Measure independent play."""
    return _measured(form, _product(mixed), min((_apart(mixed, one) for one in nash), default=None))


def _apart(one: Mixed, other: Mixed) -> float:
    """Return the largest total variation distance of a player's two mixed strategies."""
    return max(float(np.abs(x - y).sum()) / 2 for x, y in zip(one, other, strict=True))


def _measured(form: NormalForm, play: Floats, nash: float | None) -> Distances:
    """Measure joint play."""
    play = play / play.sum()
    gain = 0.0
    for player in range(form.players):
        rest = play.sum(axis=player)
        table = np.moveaxis(form.payoffs[player], player, 0)
        earned = float((form.payoffs[player] * play).sum())
        gain = max(gain, float((table * rest).reshape(len(table), -1).sum(axis=1).max()) - earned)
    return Distances(correlated_distance(form, play, "ce"), correlated_distance(form, play, "cce"), nash, gain)
