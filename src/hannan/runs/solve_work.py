"""A solver as the work of a run: its iterations, its gap, its result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from os import PathLike
from typing import Any

from hannan.arguments import whole
from hannan.arrays import Known
from hannan.errors import ParameterError, RulesError, SizeError, UnsuitableError
from hannan.forms.game import LARGEST_PUBLIC, ExpandedGame, PublicGame
from hannan.forms.sizes import check_decisions
from hannan.forms.ties import TiedGame
from hannan.interrupts import Halted, patience
from hannan.measures.evaluation import Gaps, gaps
from hannan.measures.forgetful import forgetful_gaps
from hannan.measures.rollouts import rollouts, usual_plays
from hannan.pieces.workers import Workers
from hannan.runs.progress import DEFAULT, Ending, Limits, Measurement, Stop, Work
from hannan.runs.result import Result, ignored_gap
from hannan.solvers import METHODS, method_class
from hannan.solvers.base import Solver
from hannan.solvers.classes import blamed
from hannan.solvers.fullwidth.engine import FullWidth
from hannan.solvers.sampling.sampler import Sampling
from hannan.solvers.sampling.variance import Variance
from hannan.strategies.locks import Locked
from hannan.strategies.profile import Profile
from hannan.strategies.public import PublicStrategy
from hannan.strategies.strategy import Strategy

PAUSE = 0.1
"""Seconds after which a long iteration lets the run read the clock."""

HASTE = 10
"""After an interrupt, an estimate makes its number of plays divided by this."""

MOST_WALKS = 10**9
"""The most walks from which a variance is measured: the number may come from a checkpoint."""


class Solving(Work[Result]):
    """A solver at work. If its game is expanded, gaps are measured; else values are estimated."""

    def __init__(
        self,
        solver: Solver,
        *,
        seed: int = 0,
        why: str = "",
        variance: int | None = None,
        measure_every: int | None = None,
        lifts: bool = True,
        unlimited: bool = False,
    ) -> None:
        """variance: the number of walks per player that measure a sampler's variance; the sampler learns nothing there.

        `measure_every` is kept in checkpoints, for the run. `unlimited`: the caller gave no limit, so that the notes
        say when the run stops. `why` says why this method was chosen. If some sets are locked, `lifts` says whether
        the result is a profile of the game without the locks.
        """
        self.solver, self.why, self.variance = solver, why, variance
        self.measure_every, self._unlimited = measure_every, unlimited
        self.seed = solver.parameters.get("seed", seed)
        self._lifts, self.expanded = lifts, _measurable(solver)
        self._sampler = sampler_of(solver, variance)
        self._gaps: Gaps | None = None
        self._spread: Variance | None = None
        self._ignored: float | None = None
        self.workers: Workers | None = None
        """The workers that make the pieces of the solver's work; None: this process does."""
        self._last: tuple[int, Profile] | None = None
        """The iterations and the average at the last measurement, if making the average takes long."""

    @property
    def steps(self) -> int:
        return self.solver.iterations

    @property
    def most(self) -> int | None:
        return self.solver.most_iterations

    @property
    def estimates(self) -> bool:
        return not self.expanded

    @property
    def status(self) -> str:
        return self.solver.status()

    @property
    def slice(self) -> float:
        return super().slice if self.solver.round_seconds is None else self.solver.round_seconds

    @property
    def measured(self) -> bool:
        return self.expanded or self._sampler is not None

    @property
    def gap_text(self) -> str:
        game = self.solver.game
        if not isinstance(game, PublicGame) or self._gaps is None:
            return ""
        percent = game.form.rules.findings(self._gaps.gap / 2).get("exploitability_percent")
        return "" if percent is None else f"exploitability {percent:.3g} % of the pot"

    def notes(self, until: Limits) -> Sequence[str]:
        chosen = f"method {self.solver.method}: {self.why}" if self.why else ""
        game, gap = self.solver.game.address, self._unmeasured(until)
        ends = f"the run stops {until}" if self._unlimited and not self.solver.exact else ""
        return [note for note in (chosen, ends, ignored_gap(game, gap), self._idle(), self._unbusy()) if note]

    def _idle(self) -> str:
        """Return a note if no player can gain anything: most likely gains() is missing, or has another name."""
        game = self.solver.game
        if not isinstance(game, ExpandedGame) or game.form.entries > 0:  # public trees pay at their ends
            return ""
        return f"no player gains anything in {game.address}, whatever is played: do its rules define gains()?"

    def _unbusy(self) -> str:
        """Return a note if some workers have nothing to do, and what would give them work."""
        if self.workers is None or self.solver.pieces >= self.workers.count:
            return ""
        working = "1 worker works" if self.solver.pieces == 1 else f"{self.solver.pieces} workers work"
        return f"{working} at the same time, of {self.workers.count}: {self.solver.more_pieces}"

    @property
    def solved(self) -> bool:
        return self.solver.solved

    @property
    def blocked(self) -> Stop | None:
        return "memory" if self.solver.stopped else "interrupted" if self.solver.cancelled else None

    def check(self, until: Limits) -> None:
        solver, iterations = self.solver, until.iterations or 0
        if not (self.expanded or solver.exact) and until.iterations is None and until.seconds is None:
            raise ParameterError(
                f"{solver.game.address} is too large to measure a gap: say how many iterations or seconds"
            )
        if self.most is not None and not solver.exact and iterations > self.most:
            raise ParameterError(f"{iterations} iterations are too many: {solver.method} was planned for {self.most}")
        self._ignored = self._unmeasured(until)

    def _unmeasured(self, until: Limits) -> float | None:
        """Return the limit on the gap if it is ignored; else None."""
        return None if self.expanded or until == DEFAULT else until.gap

    def prepare(self) -> None:
        self.solver.prepare()
        self.solver.pause_after = PAUSE
        if isinstance(self.solver.game, ExpandedGame):
            check_decisions(self.solver.game.address, self.solver.game.form)

    def advance(self, steps: int, seconds: float | None) -> None:
        if seconds is not None:
            self.solver.give_up_after(seconds)
        with self._blamed("run()"):
            self.solver.run(steps)

    def _blamed(self, doing: str) -> AbstractContextManager[None]:
        """Turn an error of a user's method into a sentence about the method."""
        return nullcontext() if self.solver.home() is None else blamed(type(self.solver), doing)

    def measure(self) -> Measurement | None:
        if self.expanded:
            try:
                with self._blamed("its average"):
                    self._gaps = gaps(self.solver)
            except Halted:
                return None
            if self.solver.trains_average:
                self._last = self.steps, self._profile()
            self.solver.hear(self._gaps.gap)
        now = None
        if self._sampler is not None and self.variance is not None and not self.solver.stopped:
            now = self._spread = spread(self._sampler, self.variance)  # if tables are full, no more walks are made
        if self._gaps is None and now is None:
            return None
        known: tuple[Known, Known] = (
            (None, None) if self._gaps is None else (self._gaps.gap, self._gaps.evaluation.nash_conv)
        )
        return Measurement(*known) if now is None else Measurement(*known, now.total, now.given_visit)

    def heading(self) -> Mapping[str, Any]:
        solver = self.solver
        lasting = {name: value for name, value in solver.parameters.items() if name not in solver.changeable}
        heading = {"game": solver.game.address, "method": solver.method, "parameters": lasting}
        return heading if (home := solver.home()) is None else {**heading, "class": home}

    def save(self, path: str | PathLike[str], facts: Mapping[str, Any]) -> None:
        kept = {} if self.measure_every is None else {"measure_every": self.measure_every}
        self.solver.save(path, {**facts, "seed": self.seed, "why": self.why, "variance": self.variance, **kept})

    def outcome(self) -> Mapping[str, Any]:
        return {"story": self.solver.story} if self.solver.story else {}

    def result(self, ending: Ending) -> Result:
        self.solver.finish()
        if not self.expanded:
            return self._estimated(ending)
        if not self.solver.trains_average:
            assert self._gaps is not None
            return self._measured(ending, self._gaps, self.steps, self._profile())
        if self._gaps is None or self._last is None:  # halted before the first measurement
            begun = self.solver.untrained().profile()
            self._gaps, self._last = gaps(self.solver, begun), (0, begun)
        return self._measured(ending, self._gaps, *self._last)

    def _measured(self, ending: Ending, measured: Gaps, iterations: int, profile: Any) -> Result:
        facts = {
            "method": self.solver.method,
            "iterations": iterations,
            "gap": measured.gap,
            "nash_conv": measured.evaluation.nash_conv,
            "seed": self.seed,
        }
        common = self._common(ending)
        if isinstance(self.solver.game, TiedGame):
            facts["abstraction"] = self.solver.game.ties.digest
            common["findings"] = {**common["findings"], **forgetful_gaps(self.solver, profile).record()}
        return Result(
            **{**common, "iterations": iterations},
            updates=self.solver.parameters.get("updates"),
            gap=measured.gap,
            gap_name=measured.name,
            nash_conv=measured.evaluation.nash_conv,
            exploitability=measured.evaluation.exploitability,
            gains=measured.evaluation.gains,
            cce_gap=measured.cce_gap,
            values=measured.evaluation.values,
            half_widths=None,
            interval_half_widths=None,
            strategy=self._lifted(_noted(profile, facts)),
            unaveraged=self.steps - iterations,
        )

    def _profile(self) -> Any:
        """Return the average as a profile, or as a strategy on a public tree."""
        average = self.solver.average()
        return average if isinstance(average, PublicStrategy) else average.profile()

    def _estimated(self, ending: Ending) -> Result:
        """Return the result for a game that is not expanded: no gap, and values estimated from plays.

        An interrupted run makes fewer plays; a further interrupt ends them.
        """
        trained = True
        try:
            with patience(ending.enough):
                policy = self.solver.average()
        except Halted:
            policy, trained = self.solver.untrained(), False
        assert not isinstance(policy, Profile)
        if self.solver.exact:
            return self._proven(ending, policy)
        plays = usual_plays(policy)
        if ending.stop == "interrupted":
            plays //= HASTE
        ending.estimating(policy, plays)
        unestimated, estimate = "", None
        try:
            estimate = rollouts(policy, plays=plays, seed=self.seed, stop=ending.enough)
        except (MemoryError, SizeError, ParameterError) as error:  # an estimate must not lose a result that took hours
            unestimated = str(error) if isinstance(error, ParameterError) else ""
        made = 0 if estimate is None else estimate.plays
        return Result(
            **self._common(ending),
            **self._unknown(),
            values=estimate and estimate.values,
            half_widths=estimate and estimate.half_widths,
            interval_half_widths=None if estimate is None else estimate.interval_half_widths,
            strategy=policy,
            trained=trained,
            unestimated=unestimated,
            fewer_plays=made if made < plays else None,
        )

    def _proven(self, ending: Ending, policy: Strategy) -> Result:
        """Return the result of an exact method for a game that is not expanded: values, or only bounds."""
        values = self.solver.proven_values()
        common = self._common(ending)
        if ending.stop == "exact" and values is None:  # a depth limit gives bounds only
            common["stop"] = "iterations"
        return Result(
            **common,
            **self._unknown(),
            values=values,
            half_widths=None,
            interval_half_widths=None,
            strategy=policy,
        )

    def _common(self, ending: Ending) -> dict[str, Any]:
        total, given = (None, None) if self._spread is None else (self._spread.total, self._spread.given_visit)
        return {
            "game": self.solver.game.address,
            "method": self.solver.method,
            "parameters": self.heading()["parameters"],
            "why": "; ".join(filter(None, (self.why, self.solver.story))),
            "story": self.solver.story,
            "iterations": self.steps,
            "seconds": ending.seconds,
            "measure_seconds": ending.measuring if self.solver.trains_average else None,
            "stop": ending.stop,
            "seed": self.seed,
            "curve": ending.curve,
            "variance": total,
            "given_visit": given,
            "findings": self.solver.findings(),
            "ignored_gap": self._ignored,
            "stopped": self.solver.stopped,
        }

    def _unknown(self) -> dict[str, Any]:
        """Return the fields of a result whose gaps cannot be measured."""
        unmeasured = dict.fromkeys(("gap", "nash_conv", "exploitability", "gains", "cce_gap", "updates"))
        return {**unmeasured, "gap_name": "not measured"}

    def _lifted(self, profile: Any) -> Any:
        """Return a profile of the game itself, if some sets were locked only for this run."""
        return profile.game.lift(profile) if self._lifts and isinstance(profile.game, Locked) else profile


def _measurable(solver: Solver) -> bool:
    """Return whether gaps are measured exactly: on a public tree by methods that work on it, else if it is expanded."""
    game = solver.game
    if isinstance(game, PublicGame):
        return isinstance(solver, FullWidth) or game.form.histories <= LARGEST_PUBLIC
    return isinstance(game, ExpandedGame)


def _noted(strategy: Any, facts: dict[str, Any]) -> Any:
    """Return a strategy with other facts."""
    if isinstance(strategy, PublicStrategy):
        return PublicStrategy.made(strategy.game, strategy.probability, facts)
    return replace(strategy, facts=facts)


def sampler_of(solver: Solver, variance: int | None) -> Sampling | None:
    """Return the solver as a sampler if its variance was asked for; refuse a method that does not sample."""
    if variance is None:
        return None
    whole("variance", variance, most=MOST_WALKS)
    if not isinstance(solver, Sampling):
        known = ", ".join(name for name in METHODS if issubclass(method_class(name), Sampling))
        raise UnsuitableError(f"{solver.method} does not sample: a variance is measured of {known}")
    return solver


def spread(sampler: Sampling, walks: int) -> Variance:
    """Measure the variance of a sampler's estimates."""
    variance = sampler.variance(walks)
    if not math.isfinite(variance.total) or not math.isfinite(variance.given_visit):
        raise RulesError(f"the estimates on {sampler.game.address} are too large: the sums of their squares overflow")
    return variance
