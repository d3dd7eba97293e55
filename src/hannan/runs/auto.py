"""The method `auto` on two-player zero-sum games: it tries, forecasts, switches, and ends exactly if that is cheaper.

K. Jamieson, A. Talwalkar (2016), Non-stochastic best arm identification and hyperparameter optimization: methods share
a budget of iterations, and the one that falls behind gets no more. Here a paused method may come back.

Two first-order methods start from the same strategies. One iteration of `auto` is one iteration of each method that
runs. At iterations that grow by a fifth, every running method is measured, and its gap at `target` is forecast
(`runs.auto_forecast`). Then one method pauses, or runs again, or the linear program takes over. These decisions read
sizes, gaps and counts of iterations, and no clock: the same game and target give the same bits on every machine. The
one exception is `race`, which runs the linear program in a second thread from the start and lets the first to arrive
win.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from hannan.arguments import count, limit, shown
from hannan.arrays import Floats
from hannan.errors import HannanError, ParameterError, UnsuitableError
from hannan.forms.game import Game, PublicGame
from hannan.forms.loader import Loadable
from hannan.forms.sizes import Sizes
from hannan.layouts.backend import Average
from hannan.layouts.backends import Device
from hannan.layouts.layout import Kind, Precision
from hannan.measures.evaluation import average_of
from hannan.memory import require
from hannan.runs.auto_beside import Beside
from hannan.runs.auto_forecast import Costs
from hannan.runs.auto_rounds import Rounds
from hannan.runs.progress import Schedule, schedule
from hannan.solvers import parameters
from hannan.solvers.base import CorrelatedPlay, FormSolver, alike
from hannan.solvers.exact.lp import SequenceFormLP
from hannan.solvers.fullwidth.dcfr_plus import DCFRPlus
from hannan.solvers.fullwidth.engine import Engine, FullWidth, Updates
from hannan.solvers.fullwidth.pdcfr_plus import PDCFRPlus
from hannan.solvers.fullwidth.public import Kept
from hannan.solvers.guarantee import Guarantee
from hannan.solvers.parameters import by_name
from hannan.strategies.profile import Profile

PLAYED = 1e-3
"""A sequence that the average plays with at least this probability counts as played in equilibrium."""

PROGRAM, DONE = "lp.", "auto.done"
"""Names in a state: the prefix of the linear program's arrays, and the array that says whether it has solved the game
and how many iterations each method has done."""


class Auto(FormSolver):
    """PDCFR+ and DCFR+ from one start: the better method continues, or a linear program ends the run if cheaper."""

    method = "auto"
    guarantee = Guarantee("average profile → Nash", rate="O(1/√T), or at once by the linear program")
    changeable = ("threads", "device", "target", "race")
    meanings = by_name(
        target="the gap that decides which method runs; a run sets it to its limit. none: the lowest gap at any time",
        lp="whether the linear program may take over",
        race="run the linear program in a second thread from the start; which one wins depends on the clock",
        **parameters.meanings(FullWidth),
    )

    def __init__(
        self,
        game: Loadable,
        *,
        target: float | None = 1e-4,
        lp: bool = True,
        race: bool = False,
        updates: Updates = "alternating",
        precision: Kept = "auto",
        layout: Kind | Literal["auto"] = "auto",
        payoffs: Precision = "float64",
        threads: int = 1,
        device: Device = "cpu",
    ) -> None:
        if target is not None:
            limit("target", target)
        for name, flag in (("lp", lp), ("race", race)):
            if not isinstance(flag, bool):
                raise ParameterError(f"{name}={shown(flag)} should be true or false")
        if race and not lp:
            raise ParameterError("race=true runs the linear program, which lp=false forbids: leave one of them out")
        super().__init__(game)
        self.target, self.lp, self.race = target, lp, race
        form = self.game.form
        if not form.competitive:
            raise UnsuitableError(
                f"auto as a solver needs a two-player zero-sum game, and {self.game.address} is not one: use cfr with "
                "updates=simultaneous, or hannan.solve, which chooses a method"
            )
        require(self.memory(Sizes.of_form(form)), f"auto on {self.game.address}")
        self.updates, self.precision, self.layout = updates, precision, layout
        self.payoffs, self.threads, self.device = payoffs, threads, device
        engine: Engine = {
            "updates": updates, "precision": precision, "layout": layout, "payoffs": payoffs, "threads": threads,
            "device": device,
        }  # fmt: skip
        self.methods: tuple[FullWidth, ...] = (PDCFRPlus(self.game, **engine), DCFRPlus(self.game, **engine))
        self._costs = Costs.of(form)
        self._checks: Schedule = schedule(None, self.distance)
        self._rounds = Rounds(tuple(one.method for one in self.methods))
        self._program: SequenceFormLP | None = None
        self._worth: dict[
            int, tuple[int, Average]
        ] = {}  # of each method: its iterations, and the values of its average
        self._patience: float | None = None
        self._beside: Beside | None = None

    @staticmethod
    def _view(game: Game) -> Any:
        if isinstance(formed := game.formed(), PublicGame):
            raise UnsuitableError(f"auto as a solver works on no public tree: take dcfr on {formed.address}")
        return game.expanded()

    @classmethod
    def memory(cls, sizes: Sizes) -> int:
        return FullWidth.memory(sizes) + sizes.learning_bytes

    @property
    def distance(self) -> int:
        return self._costs.distance

    @property
    def solved(self) -> bool:
        return self._program is not None and self._program.iterations > 0

    @property
    def story(self) -> str:
        return self._rounds.story(self.solved)

    def findings(self) -> dict[str, Any]:
        return {"winner": "lp" if self.solved else self.methods[self._rounds.leader].method}

    def prepare(self) -> None:
        for one in self.methods:
            one.prepare()
        if self.race and not self.solved and self._beside is None:
            self._beside = Beside(self.game)

    def finish(self) -> None:
        if self._beside is not None:
            self._beside.cancel()

    def give_up_after(self, seconds: float) -> None:
        self._patience = seconds

    def run(self, iterations: int) -> None:
        """Run this many more iterations of each running method; nothing once the linear program has solved the game."""
        left = count("iterations", iterations)
        while left > 0 and not self.solved:
            if self._beside is not None and (program := self._beside.arrived()) is not None:
                self._arrive(program)
            elif self._rounds.exact:
                if not self._solve():
                    return
            else:
                left -= self._advance(left)

    def _advance(self, most: int) -> int:
        """Iterate to the next check, or `most` iterations; return how many there were."""
        check = self._checks.after(self.iterations)
        some = min(most, check - self.iterations)
        for k in self._rounds.running:
            self.methods[k].run(some)
        self.iterations += some
        if self.iterations == check:
            self._check()
        return some

    def _check(self) -> None:
        """Measure every running method, and decide which methods continue."""
        for k in self._rounds.running:
            worth = self._measured(k)
            gap = sum(max(best - value, 0.0) for best, value in zip(worth.best_values, worth.values, strict=True))
            self._rounds.note(k, self.methods[k].iterations, gap)
        self._rounds.decide(self.iterations, self.target, self._exact_cost())

    def _exact_cost(self) -> float | None:
        """Return the predicted cost of the linear program, in iterations; None if it may not take over."""
        if not self.lp or self.race or self.target is None:
            return None
        plans, support = self.methods[self._rounds.leader].plans(), 0
        begin = 0
        for plex in self.game.form.treeplexes:
            mine = plans[begin : begin + plex.sequences]
            support += int(np.count_nonzero(mine > PLAYED * mine[0]))
            begin += plex.sequences
        return self._costs.exact(support)

    def _solve(self) -> bool:
        """Let the linear program take over. Return False if it was interrupted: the next `run` starts it again."""
        program = SequenceFormLP(self.game)
        if self._patience is not None:
            program.give_up_after(self._patience)
        try:
            program.run(1)
        except HannanError:  # out of time, or payoffs too far apart in size: the first-order methods continue
            self._rounds.fail()
            return True
        if program.iterations == 0:
            return False
        self._arrive(program)
        return True

    def _arrive(self, program: SequenceFormLP) -> None:
        self._program = program
        self.iterations += 1

    def _measured(self, k: int) -> Average:
        """Return the values of a method's average; they are measured once at each iteration."""
        one = self.methods[k]
        if k not in self._worth or self._worth[k][0] != one.iterations:
            self._worth[k] = one.iterations, one.measured() or average_of(self.game, one.plans())
        return self._worth[k][1]

    @property
    def _answer(self) -> FormSolver:
        """The solver with the best strategies: the linear program, or the method with the lowest last measured gap."""
        return self._program if self._program is not None else self.methods[self._rounds.leader]

    def average(self) -> Profile:
        return self._named(self._answer.average())

    def current(self) -> Profile:
        return self._named(self._answer.current())

    def _named(self, profile: Profile) -> Profile:
        return Profile(self.game, profile.strategies, {"method": self.method, "iterations": self.iterations})

    def correlated(self) -> CorrelatedPlay | None:
        return self._answer.correlated()

    def measured(self) -> Average | None:
        return None if self.solved or self.iterations == 0 else self._measured(self._rounds.leader)

    def warm_start(self, profile: Profile, weight: int | None = None) -> None:
        for one in self.methods:
            one.warm_start(profile, weight)

    def state(self) -> dict[str, Floats]:
        arrays = {f"{one.method}.{name}": array for one in self.methods for name, array in one.state().items()}
        program = SequenceFormLP(self.game) if self._program is None else self._program
        arrays |= {f"{PROGRAM}{name}": array for name, array in program.state().items()}
        done = [float(self.solved), *(float(one.iterations) for one in self.methods)]
        return {**arrays, **self._rounds.state(), DONE: np.array(done)}

    def accepts(self, state: Mapping[str, Floats]) -> bool:
        ours = self.state()
        if ours.keys() != state.keys() or not alike(ours[DONE], state[DONE]) or state[DONE][0] not in (0.0, 1.0):
            return False
        if any(done < 0 or done != int(done) for done in state[DONE].tolist()):
            return False
        parts = [(one, _part(state, f"{one.method}.")) for one in self.methods]
        program = SequenceFormLP(self.game)
        return (
            self._rounds.accepts(state)
            and all(one.accepts(part) for one, part in parts)
            and program.accepts(_part(state, PROGRAM))
        )

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        self._rounds.restore(state)
        solved, *counts = state[DONE].tolist()
        for one, done in zip(self.methods, counts, strict=True):
            one.restore(int(done), _part(state, f"{one.method}."))
        self._program = None
        if solved:
            self._program = SequenceFormLP(self.game)
            self._program.restore(1, _part(state, PROGRAM))
        self.iterations = iterations
        self._worth.clear()


def _part(state: Mapping[str, Floats], prefix: str) -> dict[str, Floats]:
    """Return the arrays of one part of a state, under its own names."""
    return {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}
