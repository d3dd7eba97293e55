"""Certifying: play a black box, count what it draws, and bound the gap of strategies whenever that is due.

What Algorithms 6.1 (`resolving`) and 7.2 (`regretting`) have in common. Both are sound for any strategies: with the
promised probability the true game lies between the two games of the pseudogame.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.arguments import shown
from hannan.certificates.ahead import Ahead
from hannan.certificates.bounds import meet, not_zero_sum, zero_sum
from hannan.certificates.families import Families
from hannan.certificates.merger import Expansion, Merger
from hannan.certificates.playthrough import Playthrough, UnderWay
from hannan.certificates.pseudogame import Confidence, Pair
from hannan.certificates.seeds import seed_of
from hannan.certificates.spread import Flight, Spread
from hannan.certificates.stage import following
from hannan.certificates.trunk import LEAF, ROOT, Trunk
from hannan.errors import STRAY, BoxError, HannanError, ParameterError, UnsuitableError
from hannan.exclusion import exclusive, guard
from hannan.rules.bounds import Bounds, wrong_bounds
from hannan.rules.box import Box, View
from hannan.rules.promises import told, wrong_gains

ROUNDING, ROUNDING_OF_GAINS = 1e-10, 1e-11
"""Shown bounds are widened by these shares of the range of payoffs, or of the largest gain where that is far larger,
which is more than rounding takes from them."""

NOTHING_KNOWN = -np.inf, np.inf

EXCLUSIVE = ("advance", "finish", "take", "restore")
"""The methods that change a certification: one thread at a time calls them."""

Fixed = Callable[[Trunk], Sequence[np.ndarray]]
"""Returns the strategies that are to be certified, at the sets of a trunk."""


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
    rounds: float | None = None
    """Of Algorithm 7.2: the gap of the averages that follows from all rounds, ε̄ or ε̃ of section 7.3."""
    of: tuple[int, ...] = ()
    """The players of whose strategies rounds prove more than counts, so that `lower` and `upper` rest on them."""

    @property
    def gap(self) -> float:
        """The bound on the Nash gap; of correlated play, the largest of the players' gaps."""
        return self.upper - self.lower if self.gaps is None else max(self.gaps)


class Certification(ABC):
    """A certification under way."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        guard(cls, EXCLUSIVE)

    def __init__(
        self,
        box: Box,
        *,
        method: str,
        confidence: Confidence | None = None,
        bounds: tuple[float, float] | None = None,
        every: int = 100,
        expansion: Expansion = "path",
        fixed: Fixed | None = None,
        seed: int = 0,
        scale: float = 1.0,
        batch: int | None = None,
    ) -> None:
        """`bounds` are on all that player 0 can gain; a measurement is due after each `every` playthroughs.

        `fixed` gives strategies to certify instead of finding some. `scale` multiplies every radius: anything but 1
        proves nothing, and is for tests of the tests. `batch` playthroughs follow one profile in Algorithm 7.2; as many
        as the box says, if it is None.
        """
        self.box, self.seed, self.every, self.expansion = box, seed, every, expansion
        self.confidence = confidence or Confidence()
        self.method, self.fixed, self.scale = method, fixed, scale
        self.given = bounds
        self._bounds: tuple[Any, Any] = (0.0, 0.0)
        self.trunk = self._tree(box.players, bounds)
        if box.similar:
            self.trunk.families = Families()
        self.merger = Merger(box, self.trunk, expansion)
        self.playthroughs = 0
        self.simulator_seconds = self.solve_seconds = 0.0
        self.kept: Pair = (np.ones(1), np.ones(1))
        """The strategies that a certificate would hold now; uniform at sets that are newer."""
        self.actions = array("q")
        """The actions of all playthroughs, one after another, and how many there are of each."""
        self.lengths = array("q")
        self.failed: list[tuple[int, int]] = []
        """The playthroughs at which a simulator failed twice, and at which depth."""
        self.repeated: Callable[[int], bool] = lambda t: t & (t - 1) == 0
        """Says which playthroughs are made twice where the box can repeat itself: when t is a power of 2."""
        self.batch = batch or box.batch
        """Playthroughs under one profile; then as many iterations of Algorithm 7.2."""
        self.spread: Spread | None = None
        """The workers that make playthroughs; None: this process."""
        self._ahead: Ahead | Flight | None = None
        self._proven: Bound | None = None  # of this moment, once it is known

    def _tree(self, players: int, bounds: tuple[float, float] | None) -> Trunk:
        """Return a trunk of the root alone, with bounds on all that can be gained."""
        if players not in (1, 2):
            raise UnsuitableError(
                f"{shown(self.box)}: Nash gaps are certified for two players, zero-sum, and for one; equilibrium='cce' "
                "certifies coarse correlated equilibria of any number of players"
            )
        view = self._root()
        if (sentence := not_zero_sum(view.gains, view.bounds)) is not None:
            raise UnsuitableError(f"node r: {sentence}")
        told = NOTHING_KNOWN if view.bounds is None else zero_sum(view.bounds)
        (self._bounds,) = self._ranges(view, [told], bounds)
        return Trunk(players, *self._bounds)

    def _root(self) -> View:
        """Show the root of the box, whose gains are used before a playthrough is looked at."""
        try:
            view = self.box.reset(seed_of(self.seed, 1))
        except HannanError:
            raise
        except STRAY as error:
            raise BoxError(f"node r: reset() raised {told(error)}") from error
        gains = getattr(view, "gains", None)
        sentence = wrong_gains(gains, self.box.players)
        if sentence is None and view.bounds is not None:
            sentence = wrong_bounds(view.bounds, self.box.players)
        if sentence is not None:
            raise BoxError(f"node r: {sentence}")
        return view

    def _ranges(
        self, view: View, told: Bounds, bounds: tuple[float, float] | None, whose: str = ""
    ) -> list[tuple[float, float]]:
        """Return what players can gain in all: what the box tells at the root, met with what was given."""
        ranges = []
        for player, (least, most) in enumerate(told):
            gain = float(view.gains[player])
            both = meet(*(bounds or NOTHING_KNOWN), gain + least, gain + most)
            if both is None:
                raise ParameterError(
                    f"bounds={shown(bounds)} leave nothing of what the box says{whose.format(player)}, "
                    f"{gain + least:g} to {gain + most:g}"
                )
            if not np.isfinite(both[1] - both[0]):
                raise ParameterError(
                    f"{self.box.name or 'the box'} does not bound what can be gained; give bounds, such as "
                    "--bounds=-10,10"
                )
            ranges.append(both)
        return ranges

    @exclusive
    def advance(
        self,
        playthroughs: int,
        until: Callable[[], bool] = lambda: False,
        note: Callable[[Playthrough, int], None] | None = None,
        settled: Callable[[], None] = lambda: None,
    ) -> bool:
        """Run `playthroughs` more playthroughs and solve when due; return whether there was a solve.

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
        if self._ahead is None or t not in self._ahead:
            self._ahead = self._begin_playing(t)
        try:
            record = self._ahead.take(t)
        except BaseException:
            self._ahead = None
            raise
        self.simulator_seconds += record.simulating
        return record

    def _begin_playing(self, t: int) -> Ahead | Flight:
        """Begin the playthroughs from t on that follow the strategies of this moment."""
        horizon = self._horizon(t)
        if self.spread is not None:
            return self.spread.begin(self.trunk, self._plans(), self.seed, range(t, horizon + 1), self._twice)
        size = self.box.batch  # a box that does not wait has nothing to begin
        return Ahead(range(t, min(-(-t // size) * size, horizon) + 1), self._playing)

    def _playing(self, t: int) -> UnderWay[Playthrough]:
        plans = self._plans()
        return following(self.box, self.trunk, plans[t % len(plans)], self.seed, t, self._twice(t))

    def _twice(self, t: int) -> bool:
        """Return whether playthrough t is made twice."""
        return self.box.seeded and self.repeated(t)

    def _horizon(self, t: int) -> int:
        """Return the last playthrough that follows the same strategies as playthrough t."""
        return self.next_due(t)

    @abstractmethod
    def _plans(self) -> Sequence[Sequence[np.ndarray]]:
        """Return the strategies of this moment; playthrough t follows number t modulo their number."""

    def add(self, record: Playthrough) -> int:
        """Count a playthrough; return at which depth its first new node was."""
        depth = self.merger.add(record)
        self._proven = None
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

    @abstractmethod
    def rehearse(self) -> None:
        """Do once, before the first playthrough, what is done after playthroughs: it compiles, and changes nothing."""

    @abstractmethod
    def settle(self) -> bool:
        """Solve, or measure, where that is due at this number of playthroughs; say whether it was."""

    @abstractmethod
    def finish(self) -> None:
        """Do so once more for what is returned, where the last time is longer ago; what comes later does not notice."""

    def rounding(self, wide: float, utility: int = 0) -> float:
        """Return by how much bounds are widened, given the range of what a player can gain."""
        nodes = self.trunk.nodes
        gains = np.nanmax(np.abs(nodes.view("gain")[:, utility]), initial=0.0)  # of leaves they are not known
        largest = max(float(gains), abs(float(nodes.low[ROOT, utility])), abs(float(nodes.high[ROOT, utility])))
        return max(ROUNDING * max(1.0, wide), ROUNDING_OF_GAINS * largest)

    def bound(self) -> Bound:
        """Return what the kept strategies guarantee on the trunk of this moment; it is worked out once."""
        if self._proven is None:
            self._proven = self._prove()
        return self._proven

    @abstractmethod
    def _prove(self) -> Bound:
        """Work out what the kept strategies guarantee."""

    def _bounded(self, lower: float, upper: float) -> Bound:
        """Return guarantees, widened, and no worse than what the bounds of the box say of any strategy."""
        nodes = self.trunk.nodes
        gain = 0.0 if nodes.kind[ROOT] == LEAF else float(nodes.gain[ROOT, 0])
        low, high = gain + float(nodes.least[ROOT, 0]), gain + float(nodes.most[ROOT, 0])
        slack = self.rounding(high - low)
        return Bound(
            self.playthroughs, max(lower, low) - slack, min(upper, high) + slack, nodes.used, self.trunk.expanded
        )

    @property
    def setup(self) -> dict[str, Any]:
        """What a certification that goes on must have in common with the one that began."""
        unusual = {} if self.batch == self.box.batch else {"batch": self.batch}
        if self.box.similar:
            unusual |= {"similar": True}
        return unusual | {
            "box": self.box.name or type(self.box).__name__,
            "players": self.box.players,
            "method": self.method,
            "radius": self.confidence.radius,
            "confidence": self.confidence.level,
            "every": self.every,
            "expansion": self.expansion,
            "seed": self.seed,
            "range": [_listed(bound) for bound in self._bounds],
        }

    @property
    def restarts(self) -> int:
        """How often simulators were started again."""
        return self.box.restarts + (0 if self.spread is None else self.spread.restarts)

    @property
    def trouble(self) -> str:
        """Why a simulator last gave no answer; empty if all always answered."""
        return self.box.trouble or ("" if self.spread is None else self.spread.trouble)

    def take(self, trunk: Trunk, actions: np.ndarray, lengths: np.ndarray, failed: np.ndarray) -> None:
        """Go on from what a checkpoint holds."""
        self.trunk, self._proven = trunk, None
        self.failed = [(int(t), int(depth)) for t, depth in failed]
        self.actions, self.lengths = (array("q", part.astype(np.int64).tobytes()) for part in (actions, lengths))
        self.merger = Merger(self.box, trunk, self.expansion)
        self.playthroughs = len(lengths)

    def strategies(self) -> dict[str, np.ndarray]:
        """Return the strategies that are kept, for a file."""
        return {f"strategy{player}": strategy for player, strategy in enumerate(self.kept)}

    def proof(self) -> tuple[dict[str, np.ndarray], dict[str, Any] | None]:
        """Return the sums over rounds of Algorithm 7.2, for a file, and what else it says of them; nothing without."""
        return {}, None

    @abstractmethod
    def state(self) -> dict[str, np.ndarray]:
        """Return what the next playthroughs and measurements depend on, for a checkpoint."""

    @abstractmethod
    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take what `strategies` and `state` returned; the trunk is there."""


def _listed(bound: Any) -> Any:
    return list(bound) if isinstance(bound, tuple) else bound
