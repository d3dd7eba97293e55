"""The method `auto` on two-player zero-sum games: it tries, forecasts, switches, and ends exactly if that is cheaper.

K. Jamieson, A. Talwalkar (2016), Non-stochastic best arm identification and hyperparameter optimization: methods share
a budget of iterations, and the one that falls behind gets no more. Here a paused method may come back.

Two first-order methods start from the same strategies. One iteration of `auto` is one iteration of each method that
runs. At iterations that grow by a fifth, every running method is measured, and its gap at `target` is forecast
(`runs.auto_forecast`). Then one method pauses, or runs again, or the finish of method `support` takes over and solves
the game exactly on the sequences that DCFR+ plays. These decisions read sizes, gaps and counts of iterations, and no
clock: the same game and target give the same bits on every machine that has memory for the finish. The one exception
is `race`, which runs the linear
program in a second thread from the start and lets the first to arrive win.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from hannan.arguments import count, limit, shown
from hannan.arrays import Floats
from hannan.errors import ParameterError, SizeError, UnsuitableError
from hannan.forms.game import Game, PublicGame
from hannan.forms.loader import Loadable
from hannan.forms.sequence import SLICE
from hannan.forms.sizes import Sizes
from hannan.interrupts import Halted
from hannan.layouts.backend import Average
from hannan.layouts.backends import Device
from hannan.layouts.layout import Kind, Precision
from hannan.measures.evaluation import average_of
from hannan.memory import ending_well, require
from hannan.runs.auto_beside import Beside
from hannan.runs.auto_forecast import FARTHEST, SURE, Costs
from hannan.runs.auto_rounds import Rounds
from hannan.runs.progress import Schedule, schedule
from hannan.solvers import parameters
from hannan.solvers.base import CorrelatedPlay, FormSolver, alike, part_of
from hannan.solvers.exact.finish import FINISH, MOST_ROUNDS, PLAYED, Finish
from hannan.solvers.exact.lp import SequenceFormLP
from hannan.solvers.exact.support import Support
from hannan.solvers.fullwidth.dcfr_plus import DCFRPlus
from hannan.solvers.fullwidth.engine import Engine, FullWidth, Updates
from hannan.solvers.fullwidth.pdcfr_plus import PDCFRPlus
from hannan.solvers.fullwidth.public import Kept
from hannan.solvers.guarantee import Guarantee
from hannan.solvers.parameters import by_name
from hannan.strategies.profile import Profile

LAST = 1
"""The place of the method from whose average the finish begins, DCFR+: unlike PDCFR+'s, it plays all that matters."""

PROGRAM, DONE = "lp.", "auto.done"
"""Names in a state: the prefix of the linear program's arrays, and the array of the iterations of each method."""


class Auto(FormSolver):
    """PDCFR+ and DCFR+ from one start: the better method continues, or an exact finish ends the run if cheaper."""

    method = "auto"
    guarantee = Guarantee("average profile → Nash", rate="O(1/√T), or at once by an exact finish")
    changeable = ("threads", "device", "target", "race")
    meanings = by_name(
        target="the gap that decides which method runs; a run sets it to its limit. none: the lowest gap at any time",
        support="whether the exact finish of method support may end the run",
        race="run the linear program in a second thread from the start; which one wins depends on the clock",
        **parameters.meanings(FullWidth),
    )

    def __init__(
        self,
        game: Loadable,
        *,
        target: float | None = 1e-4,
        support: bool = True,
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
        for name, flag in (("support", support), ("race", race)):
            if not isinstance(flag, bool):
                raise ParameterError(f"{name}={shown(flag)} should be true or false")
        super().__init__(game)
        self.target, self.support, self.race = target, support, race
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
        self._rounds = Rounds(tuple(one.method for one in self.methods), LAST)
        self._finish: Finish | None = None
        self._program: SequenceFormLP | None = None
        self._worth: dict[
            int, tuple[int, Average]
        ] = {}  # of each method: its iterations, and the values of its average
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
        return self._program is not None or (self._finish is not None and self._finish.solved)

    @property
    def story(self) -> str:
        return self._rounds.story(self._winner if self.solved else "")

    def findings(self) -> dict[str, Any]:
        return {"winner": self._winner}

    @property
    def _winner(self) -> str:
        """The method whose strategies are the answer."""
        if self._program is not None:
            return SequenceFormLP.method
        return Support.method if self._finished else self.methods[self._rounds.leader].method

    @property
    def _finished(self) -> bool:
        """Whether the finish has better strategies than both methods."""
        return self._finish is not None and self._finish.gap < self._rounds.lowest

    def prepare(self) -> None:
        for one in self.methods:
            one.prepare()
        if self.race and not self.solved and self._beside is None:
            self._beside = Beside(self.game)

    def finish(self) -> None:
        if self._beside is not None:
            self._beside.cancel()

    def run(self, iterations: int) -> None:
        """Run this many more iterations of each running method, or rounds of the finish; none once it is solved."""
        left = count("iterations", iterations)
        while left > 0 and not self.solved:
            if self._beside is not None and (program := self._beside.arrived()) is not None:
                self._program = program
                self.iterations += 1
            elif self._rounds.exact:
                if not self._round():
                    return
                left -= 1
                if self.pause_after is not None:  # the run checks its limits, and saves
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
        """Return the predicted cost of the finish, in iterations; None if it may not take over.

        It is guessed. If the guess may be far off, and is tempting, the systems are set up, which tells how far.
        """
        if not self.support or self.target is None:
            return None
        if not self._rounds.lefts(self.target):
            return None
        played, payoffs = self._in_play()
        guess = self._costs.guess(played, payoffs)
        if self._costs.even:
            return guess
        look, assumed = self._costs.look(played, payoffs), self._rounds.dearer if self._rounds.looked else SURE
        if self._rounds.tempting(self.iterations, self.target, guess * assumed, look):
            try:
                with ending_well(f"auto on {self.game.address}"):
                    exact = self._costs.finish(played, *self._begun().factors())
            except SizeError:  # it does not fit into memory
                exact = FARTHEST
            self._rounds.look(self.iterations, SURE * exact / guess)
        return guess * self._rounds.dearer if self._rounds.looked else None

    def _in_play(self) -> tuple[int, int]:
        """Return how many sequences, and how many payoffs, are in play."""
        form, plans = self.game.form, self.methods[LAST].plans()
        first, second = (one > PLAYED * one[0] for one in np.split(plans, [form.treeplexes[0].sequences]))
        rows, payoffs = np.repeat(first, np.diff(form.first)), 0
        for low in range(0, form.entries, SLICE):
            part = slice(low, low + SLICE)
            payoffs += int(np.count_nonzero(rows[part] & second[form.others[0, part]]))
        return int(np.count_nonzero(first) + np.count_nonzero(second)), payoffs

    def _round(self) -> bool:
        """Make a round of the finish, or begin it. Return False if it was halted, which changes nothing."""
        try:
            with ending_well(f"auto on {self.game.address}"):
                finish = self._finish
                if finish is None or finish.rounds >= MOST_ROUNDS:
                    finish = self._begun()
                    if self._finish is not None:
                        finish.remember(self._finish)
                finish.round()
        except Halted:
            return False
        except SizeError:  # it does not fit into memory: the first-order methods continue
            self._finish = None
            self._rounds.fail()
            return True
        self._finish = finish
        self.iterations += 1
        if finish.rounds >= MOST_ROUNDS and not self.solved:
            self._rounds.fail()
        return True

    def _begun(self) -> Finish:
        """Return a finish that begins from the average of the method at LAST."""
        require(Finish.memory(Sizes.of_form(self.game.form)), f"an exact finish on {self.game.address}")
        finish = Finish(self.game)
        finish.begin(self.methods[LAST].average().strategies)
        return finish

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
        return self._named(self._best() or self._answer.average())

    def current(self) -> Profile:
        return self._named(self._best() or self._answer.current())

    def _best(self) -> Profile | None:
        """Return the answer of the finish if it is the best so far."""
        if self._program is not None or not self._finished:
            return None
        assert self._finish is not None
        return Profile(self.game, self._finish.answer)

    def _named(self, profile: Profile) -> Profile:
        return Profile(self.game, profile.strategies, {"method": self.method, "iterations": self.iterations})

    def correlated(self) -> CorrelatedPlay | None:
        return None if self._finished else self._answer.correlated()

    def measured(self) -> Average | None:
        if self.solved or self._finished or self.iterations == 0:
            return None
        return self._measured(self._rounds.leader)

    def warm_start(self, profile: Profile, weight: int | None = None) -> None:
        for one in self.methods:
            one.warm_start(profile, weight)

    def state(self) -> dict[str, Floats]:
        arrays = {f"{one.method}.{name}": array for one in self.methods for name, array in one.state().items()}
        if self._finish is not None:
            arrays |= self._finish.state()
        if self._program is not None:
            arrays |= {f"{PROGRAM}{name}": array for name, array in self._program.state().items()}
        done = np.array([float(one.iterations) for one in self.methods])
        return {**arrays, **self._rounds.state(), DONE: done}

    def accepts(self, state: Mapping[str, Floats]) -> bool:
        parts = [(one, part_of(state, f"{one.method}.")) for one in self.methods]
        program, finish = part_of(state, PROGRAM), {name for name in state if name.startswith(FINISH)}
        known = {f"{one.method}.{name}" for one, part in parts for name in part} | finish | {DONE}
        if state.keys() != known | {f"{PROGRAM}{name}" for name in program} | self._rounds.state().keys():
            return False
        if not alike(np.zeros(len(parts)), state[DONE]) or np.any(state[DONE] < 0) or np.any(state[DONE] % 1):
            return False
        return (
            self._rounds.accepts(state)
            and all(one.accepts(part) for one, part in parts)
            and (not program or SequenceFormLP(self.game).accepts(program))
            and (not finish or Finish(self.game).accepts(state))
        )

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        self._rounds.restore(state)
        for one, done in zip(self.methods, state[DONE].tolist(), strict=True):
            one.restore(int(done), part_of(state, f"{one.method}."))
        self._program = self._finish = None
        if program := part_of(state, PROGRAM):
            self._program = SequenceFormLP(self.game)
            self._program.restore(1, program)
        if any(name.startswith(FINISH) for name in state):
            self._finish = Finish(self.game)
            self._finish.restore(state)
        self.iterations = iterations
        self._worth.clear()
