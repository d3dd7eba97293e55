"""Algorithm 6.1: play a black box, keep a confidence sequence of pseudogames, solve, and bound the Nash gap.

Sound for any strategies: with the promised probability the true game lies between the two games of the pseudogame, so
that β̂*(y) − α̂*(x) bounds the Nash gap of (x, y). Exact solving makes the bound tight. `regretting` has Algorithm 7.2.
"""

from __future__ import annotations

import copy
import math
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.certificates.bounding import meet, zero_sum
from hannan.certificates.exploring import Explorer, Walk, explorer
from hannan.certificates.induction import Induction, perfect
from hannan.certificates.learning import FullWidth
from hannan.certificates.merging import Expansion, Merger
from hannan.certificates.playing import BoxError, Playthrough, play, play_ahead, replay
from hannan.certificates.pseudogame import Confidence, Pair, Pseudogame, extended
from hannan.certificates.seeds import Uniforms, seed_of
from hannan.certificates.solving import InterruptedSolveError, LinearProgramming, Method, Solved
from hannan.certificates.trunk import Trunk
from hannan.errors import STRAY, HannanError, ParameterError, UnsuitableError, nearest
from hannan.rules.bounds import wrong_bounds
from hannan.rules.box import Box, View
from hannan.rules.promises import told

ROUNDING = 1e-10
"""Shown bounds are widened by this share of the range of payoffs, which is more than rounding takes from them."""

Fixed = Callable[[Trunk], Sequence[np.ndarray]]
"""Returns the strategies that are to be certified, at the sets of a trunk."""


class Automatic(Method):
    """Backward induction while information is perfect, then our own full-width method."""

    name = "auto"

    def __init__(self) -> None:
        self._learner, self._induction = FullWidth(), Induction()

    def strategies(self, trunk: Trunk, game: Pseudogame, side: int) -> Pair:
        method: Method = self._induction if perfect(trunk) else self._learner
        return method.strategies(trunk, game, side)

    def state(self) -> dict[str, np.ndarray]:
        return self._learner.state()

    def restore(self, state: dict[str, np.ndarray]) -> None:
        self._learner.restore(state)


METHODS: dict[str, type[Method]] = {
    "auto": Automatic,
    "cfr": FullWidth,
    "lp": LinearProgramming,
    "induction": Induction,
}


@dataclass(frozen=True)
class Bound:
    """What is proven at one moment."""

    playthroughs: int
    lower: float
    """What player 0's strategy earns it at least."""
    upper: float
    """What player 1's strategy leaves player 0 at most."""
    trunk: int
    expanded: int
    gaps: tuple[float, ...] | None = None
    """Of correlated play: what each player could add at most by deviating."""

    @property
    def gap(self) -> float:
        """The bound on the Nash gap; of correlated play, the largest of the players' gaps."""
        return self.upper - self.lower if self.gaps is None else max(self.gaps)


class Certification:
    """A certification under way."""

    def __init__(
        self,
        box: Box,
        *,
        method: str | Method = "auto",
        confidence: Confidence | None = None,
        bounds: tuple[float, float] | None = None,
        every: int = 100,
        expansion: Expansion = "path",
        explore: str | Explorer = "optimistic",
        fixed: Fixed | None = None,
        seed: int = 0,
        scale: float = 1.0,
    ) -> None:
        """`bounds` are on all that player 0 can gain; solve after `every` so many playthroughs.

        `fixed` gives strategies to certify instead of finding some. `scale` multiplies every radius: anything but 1
        proves nothing, and is for tests of the tests.
        """
        self.box, self.seed, self.every, self.expansion = box, seed, every, expansion
        self.confidence = confidence or Confidence()
        self.method, self.explore, self.fixed, self.scale = self._method(method), explorer(explore), fixed, scale
        self.given = bounds
        self._bounds: tuple[Any, Any] = (0.0, 0.0)
        self.trunk = self._tree(box.players, bounds)
        self.merger = Merger(box, self.trunk, expansion)
        self.playthroughs = 0
        self.simulator_seconds = self.solve_seconds = 0.0
        self.quickest = math.inf
        """Seconds of the quickest solve."""
        self.kept: Pair = (np.ones(1), np.ones(1))
        """The strategies that a certificate would hold now; uniform at sets that are newer."""
        self.plans: list[Pair] = [(np.ones(1), np.ones(1))]
        self.actions = array("q")
        """The actions of all playthroughs, one after another, and how many there are of each."""
        self.lengths = array("q")
        self.failed: list[tuple[int, int]] = []
        """The playthroughs at which a simulator failed twice, and at which depth."""
        self._ahead: dict[int, Playthrough | HannanError] = {}
        self._game: tuple[int, Pseudogame] | None = None  # the last one, and after how many playthroughs

    @staticmethod
    def _method(method: str | Method) -> Method:
        if isinstance(method, Method):
            return method
        if method not in METHODS:
            raise ParameterError(f"method={method!r} is not known{nearest(str(method), METHODS)}")
        return METHODS[method]()

    def _tree(self, players: int, bounds: tuple[float, float] | None) -> Trunk:
        """Return a trunk of the root alone, with bounds on all that can be gained."""
        if players not in (1, 2):
            raise UnsuitableError(
                f"{self.box!r}: Nash gaps are certified for two players, zero-sum, and for one; equilibrium='cce' "
                "certifies coarse correlated equilibria of any number of players"
            )
        self._bounds = self._range(bounds)
        return Trunk(players, *self._bounds)

    def _root(self) -> View:
        """Show the root of the box."""
        try:
            return self.box.reset(seed_of(self.seed, 1))
        except HannanError:
            raise
        except STRAY as error:
            raise BoxError(f"node r: reset() raised {told(error)}") from error

    def _unbounded(self) -> ParameterError:
        return ParameterError(
            f"{self.box.name or 'the box'} does not bound what can be gained; give bounds, such as --bounds=-10,10"
        )

    def _range(self, bounds: tuple[float, float] | None) -> tuple[float, float]:
        view = self._root()
        low, high = (-np.inf, np.inf) if bounds is None else bounds
        if view.bounds is not None:
            if (sentence := wrong_bounds(view.bounds, self.box.players)) is not None:
                raise BoxError(f"node r: {sentence}")
            gain = float(view.gains[0])
            least, most = zero_sum(view.bounds)
            both = meet(low, high, gain + least, gain + most)
            if both is None:
                raise ParameterError(
                    f"bounds={bounds!r} leave nothing of what the box says, {gain + least:g} to {gain + most:g}"
                )
            low, high = both
        if not np.isfinite(high - low):
            raise self._unbounded()
        return low, high

    def advance(
        self,
        playthroughs: int,
        until: Callable[[], bool] = lambda: False,
        note: Callable[[Playthrough, int], None] | None = None,
        settled: Callable[[], None] = lambda: None,
    ) -> bool:
        """Play so many more times, and solve where it is due; say whether there was a solve.

        `until` ends it early. `note` is told every playthrough after it was counted, with the depth of its first new
        node; `settled` is called after every solve.
        """
        solved = False
        for _ in range(playthroughs):
            record = self.next()
            depth = self.add(record)
            if note is not None:
                note(record, depth)
            if self.settle():
                solved = True
                settled()
            if until():
                break
        return solved

    def next(self) -> Playthrough:
        """Play once, as the last solve says; nothing is counted yet."""
        t = self.playthroughs + 1
        record = self._ahead.pop(t, None)
        if record is None:
            boxes = self.box.workers()
            if len(boxes) == 1:
                record = self._played(boxes[0], t)
            else:
                self._ahead = play_ahead(boxes, range(t, self._horizon(t) + 1), self._played)
                record = self._ahead.pop(t)
        if isinstance(record, HannanError):
            self._ahead.clear()
            raise record
        self.simulator_seconds += record.simulating
        if self.box.seeded and t & (t - 1) == 0:
            replay(self.box, record)
        return record

    def _played(self, box: Box, t: int) -> Playthrough:
        return play(box, seed_of(self.seed, t), Walk(self.trunk, self._plan(t), Uniforms(self.seed, t)))

    def _horizon(self, t: int) -> int:
        """Return the last playthrough that follows the same strategies as playthrough t."""
        size = self.box.batch
        return min(-(-t // size) * size, self.next_due(t))

    def _plan(self, t: int) -> Sequence[np.ndarray]:
        """Return the strategies that playthrough t follows."""
        return self.plans[t % len(self.plans)]

    def add(self, record: Playthrough) -> int:
        """Count a playthrough; return at which depth its first new node was."""
        depth = self.merger.add(record)
        self.playthroughs += 1
        actions = record.actions
        self.actions.extend(actions)
        self.lengths.append(len(actions))
        if record.failed:
            self.failed.append((self.playthroughs, len(record.views) - 1))
        return depth

    def due(self, t: int) -> bool:
        """Say whether there is a solve after playthrough t."""
        return self.next_due(t) == t

    def next_due(self, t: int) -> int:
        """Return the first playthrough from t on after which there is a solve."""
        return -(-t // self.every) * self.every

    def settle(self) -> bool:
        """Solve where that is due at this number of playthroughs; say whether it was."""
        if not self.due(self.playthroughs):
            return False
        begun = time.perf_counter()
        game = self.pseudogame()
        solved = self._solved(game, self.method)
        self.kept = solved.pessimistic
        self.plans = list(self.explore(game, solved))
        took = time.perf_counter() - begun
        self.solve_seconds += took
        self.quickest = min(self.quickest, took)
        return True

    @property
    def setup(self) -> dict[str, Any]:
        """What a certification that goes on must have in common with the one that began."""
        return {
            "box": self.box.name or type(self.box).__name__,
            "players": self.box.players,
            "method": self.method.name,
            "radius": self.confidence.radius,
            "confidence": self.confidence.level,
            "every": self.every,
            "expansion": self.expansion,
            "seed": self.seed,
            "range": [_listed(bound) for bound in self._bounds],
        }

    def take(self, trunk: Trunk, actions: np.ndarray, lengths: np.ndarray, failed: np.ndarray) -> None:
        """Go on from what a checkpoint holds."""
        self.trunk = trunk
        self.failed = [(int(t), int(depth)) for t, depth in failed]
        self.actions, self.lengths = (array("q", part.astype(np.int64).tobytes()) for part in (actions, lengths))
        self.merger = Merger(self.box, trunk, self.expansion)
        self.playthroughs, self._game = len(lengths), None

    def strategies(self) -> dict[str, np.ndarray]:
        """Return the strategies that are kept, for a file."""
        return {f"strategy{player}": strategy for player, strategy in enumerate(self.kept)}

    def state(self) -> dict[str, np.ndarray]:
        """Return what the next playthroughs and solves depend on, for a checkpoint."""
        state = {f"method_{name}": array for name, array in self.method.state().items()}
        for number, plan in enumerate(self.plans):
            state |= {f"plan{number}_{player}": strategy for player, strategy in enumerate(plan)}
        return state

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take what `strategies` and `state` returned; the trunk is there."""
        self.kept = state["strategy0"], state["strategy1"]
        numbers = range(sum(name.startswith("plan") for name in state) // 2)
        self.plans = [(state[f"plan{k}_0"], state[f"plan{k}_1"]) for k in numbers]
        if not self.plans:
            raise ValueError("it does not say what the next playthroughs follow")
        self.method.restore({name[7:]: part for name, part in state.items() if name.startswith("method_")})

    def pseudogame(self) -> Pseudogame:
        """Return the pseudogame of this moment."""
        if self._game is None or self._game[0] != self.playthroughs:
            rho = self.confidence.radii(self.trunk, self.playthroughs, self.scale)
            self._game = self.playthroughs, Pseudogame.of(self.trunk, rho)
        return self._game[1]

    def _solved(self, game: Pseudogame, method: Method) -> Solved:
        """Solve, and keep of old and new pessimistic strategies what guarantees more, each player's apart."""
        if self.fixed is not None:
            x, y = self.fixed(self.trunk)
            return Solved((x, y), (x, y))
        old = extended(self.kept, game)
        try:
            solved = method.solve(self.trunk, game)
        except InterruptedSolveError:  # what there was before is sound, too
            return Solved(old, extended(self.plans[0], game))
        new = solved.pessimistic
        (low, high), (lower, upper) = game.guarantees(old), game.guarantees(new)
        x = new[0] if lower >= low else old[0]
        y = new[1] if upper <= high else old[1]
        return Solved((x, y), solved.optimistic)

    def finish(self) -> None:
        """Solve once more for what is returned, where the last solve is older; later solves do not notice."""
        if not self.due(self.playthroughs) or self.playthroughs == 0:
            game = self.pseudogame()
            self.kept = self._solved(game, copy.deepcopy(self.method)).pessimistic

    def bound(self) -> Bound:
        """Return what the kept strategies guarantee on the trunk of this moment."""
        game = self.pseudogame()
        self.kept = extended(self.kept, game)
        lower, upper = game.bounds(self.kept)
        slack = ROUNDING * max(1.0, game.high - game.low)
        return Bound(self.playthroughs, lower - slack, upper + slack, self.trunk.nodes.used, self.trunk.expanded)


def _listed(bound: Any) -> Any:
    return list(bound) if isinstance(bound, tuple) else bound
