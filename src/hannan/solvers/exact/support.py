"""Exact equilibria of games whose linear program is large: a first-order method, then a finish on its support.

Linear programs are finished from a good start by identifying the active constraints and Newton's method on them
(N. Megiddo (1991), On finding primal- and dual-optimal bases; Y. Ye (1992), On the finite convergence of interior-point
algorithms for linear programming). Here the start is the average of a CFR variant, and the program is restricted to the
sequences that it plays (`finish`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np

from hannan.arguments import choice, count
from hannan.arrays import Floats
from hannan.errors import ParameterError, UnsuitableError
from hannan.forms.game import ExpandedGame, Game, PublicGame
from hannan.forms.loader import Loadable
from hannan.forms.sizes import Sizes
from hannan.interrupts import Halted
from hannan.memory import ending_well, require
from hannan.solvers.base import FormSolver, alike, part_of
from hannan.solvers.exact.finish import FINISH, MOST_ROUNDS, Finish
from hannan.solvers.fullwidth.dcfr_plus import DCFRPlus
from hannan.solvers.fullwidth.engine import FullWidth
from hannan.solvers.fullwidth.pdcfr_plus import PDCFRPlus
from hannan.solvers.guarantee import Guarantee
from hannan.solvers.parameters import by_name
from hannan.strategies.profile import Profile

First = Literal["pdcfr+", "dcfr+"]

FIRST: dict[str, type[FullWidth]] = {"pdcfr+": PDCFRPlus, "dcfr+": DCFRPlus}

BEGUN, STAGE = "first.", "support.stage"
"""Names in a state: the prefix of the first method's arrays, and the array with its iterations, the iterations at which
the finish begins, and whether it is under way."""


class Support(FormSolver):
    """Run a first-order method, find which sequences it plays, and solve the game exactly on these.

    After `begin` iterations of the method `first`, each further iteration is a round of the finish. A round solves the
    game restricted to the sequences in play, near the present profile, by an interior-point method. It moves the
    solution onto its face, which takes it to the last digit, and measures both best responses in the whole game. If
    their sum is rounding (1e-12 of the range of payoffs), the answer is exact, and the sum is its proof. Otherwise the
    sequences that gain join the restriction. If 12 rounds are not enough, the first method continues to twice its
    iterations, and the finish begins anew from a better profile.
    """

    method = "support"
    guarantee = Guarantee(
        "the profile is a Nash equilibrium", rate="at once after its support is found, but for rounding"
    )
    meanings = by_name(
        first="the method that finds the support",
        begin="iterations of that method before the finish begins",
    )

    def __init__(self, game: Loadable, *, first: First = "dcfr+", begin: int = 1000) -> None:
        choice("first", first, get_args(First))
        if count("begin", begin) == 0:
            raise ParameterError("begin=0: the finish needs a profile to begin with; take 100 or more")
        super().__init__(game)
        self.first, self.begin = first, begin
        _refuse_unsuitable(self.game)
        require(self.memory(Sizes.of_form(self.game.form)), f"support on {self.game.address}")
        self._first = FIRST[first](self.game)
        self._next = begin
        self._finish: Finish | None = None
        self._finishing = False

    @staticmethod
    def _view(game: Game) -> Any:
        if isinstance(formed := game.formed(), PublicGame):
            raise UnsuitableError(f"support works on no public tree: take dcfr on {formed.address}")
        return game.expanded()

    @classmethod
    def memory(cls, sizes: Sizes) -> int:
        return FullWidth.memory(sizes) + Finish.memory(sizes)

    @property
    def usual_gap(self) -> float | None:
        """0: without a limit the method runs until the answer is exact."""
        return 0.0

    @property
    def solved(self) -> bool:
        return self._finish is not None and self._finish.solved

    @property
    def story(self) -> str:
        return f"{self.first} found the support, and the finish is exact" if self.solved else ""

    def prepare(self) -> None:
        import scipy.sparse.linalg  # noqa: F401

        self._first.prepare()

    def run(self, iterations: int) -> None:
        """Run this many more iterations of the first method, or rounds of the finish; none once the game is solved."""
        left = count("iterations", iterations)
        while left > 0 and not self.solved:
            if self._finishing:
                if not self._round():
                    return
                left -= 1
                if self.pause_after is not None:  # the run checks its limits, and saves
                    return
            else:
                some = min(left, self._next - self._first.iterations)
                self._first.run(some)
                self.iterations += some
                left -= some
                if self._first.iterations == self._next:
                    self._begin()

    def _begin(self) -> None:
        """Begin the finish from the average of the first method."""
        if self._finish is None:
            self._finish = Finish(self.game)
        self._finish.begin(self._first.average().strategies)
        self._next, self._finishing = 2 * self._next, True

    def _round(self) -> bool:
        """Make a round; return False if it was halted, which changes nothing."""
        assert self._finish is not None
        try:
            with ending_well(f"support on {self.game.address}"):
                self._finish.round()
        except Halted:
            return False
        self.iterations += 1
        self._finishing = self._finish.rounds < MOST_ROUNDS
        return True

    def average(self) -> Profile:
        """Return the answer of the finish while it runs or is exact, else the average of the first method."""
        if self._finish is None or not (self._finishing or self.solved):
            return Profile(self.game, self._first.average().strategies, self._facts)
        return Profile(self.game, self._finish.answer, self._facts)

    def current(self) -> Profile:
        if self.solved or self._finishing:
            return self.average()
        return Profile(self.game, self._first.current().strategies, self._facts)

    @property
    def _facts(self) -> dict[str, Any]:
        return {"method": self.method, "iterations": self.iterations}

    def warm_start(self, profile: Profile, weight: int | None = None) -> None:
        self._first.warm_start(profile, weight)

    def state(self) -> dict[str, Floats]:
        arrays = {f"{BEGUN}{name}": array for name, array in self._first.state().items()}
        finish = {} if self._finish is None else self._finish.state()
        return {**arrays, **finish, STAGE: np.array([self._first.iterations, self._next, self._finishing], np.float64)}

    def accepts(self, state: Mapping[str, Floats]) -> bool:
        first, finish = part_of(state, BEGUN), {name for name in state if name.startswith(FINISH)}
        if state.keys() != {f"{BEGUN}{name}" for name in first} | finish | {STAGE}:
            return False
        if not alike(np.zeros(3), state[STAGE]):
            return False
        done, ahead, finishing = state[STAGE].tolist()
        whole = all(number >= 0 and number == int(number) for number in (done, ahead))
        if not whole or done > ahead or finishing not in (0.0, float(bool(finish))):
            return False
        return self._first.accepts(first) and (not finish or Finish(self.game).accepts(state))

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        done, ahead, finishing = state[STAGE].tolist()
        self._first.restore(int(done), part_of(state, BEGUN))
        self.iterations, self._next, self._finishing = iterations, int(ahead), bool(finishing)
        self._finish = None
        if any(name.startswith(FINISH) for name in state):
            self._finish = Finish(self.game)
            self._finish.restore(state)


def _refuse_unsuitable(game: ExpandedGame) -> None:
    """Refuse a game that is not two-player zero-sum (or constant-sum)."""
    if game.form.competitive:
        return
    kind = "one player" if game.players == 1 else f"{game.players} players"
    if game.players == 2:
        kind = "two players whose utilities have no constant sum"
    raise UnsuitableError(
        f"method support solves two-player zero-sum games, and {game.address} has {kind}; take cfr, whose average play "
        "approaches a coarse correlated equilibrium"
    )
