"""Certifications: play a black box, count its draws, and bound the gap of strategies whenever a solve is due.

This is the common part of Algorithms 6.1 and 7.2. Both are sound for any strategies: with the
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
"""Shown bounds are widened by these shares of the range of payoffs, or of the largest gain if that is far larger. This
is more than the rounding errors."""

NOTHING_KNOWN = -np.inf, np.inf

EXCLUSIVE = ("advance", "finish", "take", "restore")
"""The methods that change a certification: one thread at a time calls them."""

Fixed = Callable[[Trunk], Sequence[np.ndarray]]
"""A function that returns the strategies to certify, at the sets of a trunk."""


@dataclass(frozen=True)
class Bound:
    """The bounds that are proven at one moment."""

    playthroughs: int
    lower: float
    """The least that player 0's strategy earns."""
    upper: float
    """The most that player 0 can earn against player 1's strategy."""
    trunk: int
    expanded: int
    gaps: tuple[float, ...] | None = None
    """For correlated play: the most that each player could add by deviating."""
    rounds: float | None = None
    """For Algorithm 7.2: the gap of the averages that follows from all rounds, ε̄ or ε̃ of section 7.3."""
    of: tuple[int, ...] = ()
    """The players for whose strategies rounds prove more than counts: `lower` and `upper` rest on rounds there."""

    @property
    def gap(self) -> float:
        """The bound on the Nash gap; for correlated play, the largest of the players' gaps."""
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

        `fixed` gives strategies to certify; without it, the certification finds some. `scale` multiplies every radius:
        any value but 1 proves nothing, and is for tests of the tests. `batch` playthroughs follow one profile in
        Algorithm 7.2; None: the number that the box recommends.
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
        """The actions of all playthroughs, one after another, and the number of actions of each playthrough."""
        self.lengths = array("q")
        self.failed: list[tuple[int, int]] = []
        """The playthroughs at which a simulator failed twice, and at which depth."""
        self.repeated: Callable[[int], bool] = lambda t: t & (t - 1) == 0
        """Whether playthrough t is made twice if the box can repeat itself: if t is a power of 2."""
        self.batch = batch or box.batch
        """Playthroughs under one profile; then as many iterations of Algorithm 7.2."""
        self.spread: Spread | None = None
        """The workers that make playthroughs; None: this process."""
        self._ahead: Ahead | Flight | None = None
        self._proven: Bound | None = None  # of the counts so far, once it is known

    def _tree(self, players: int, bounds: tuple[float, float] | None) -> Trunk:
        """Return a trunk with only the root, with bounds on all that can be gained."""
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
        """Show the root of the box, whose gains are needed before the first playthrough."""
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
        """Return the ranges of all that players can gain: those of the box at the root, narrowed by `bounds`."""
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

        `until` ends it early. `note` is called with every counted playthrough and the depth of its first new
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
        """Make one playthrough with the strategies of the last solve, without counting it."""
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
        """Begin the playthroughs from t on that follow the current strategies."""
        horizon = self._horizon(t)
        if self.spread is not None:
            return self.spread.begin(self.trunk, self._plans(), self.seed, range(t, horizon + 1), self._twice)
        size = self.box.batch  # a box without a process has nothing to begin
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
        """Return the current strategies; playthrough t follows number t modulo their number."""

    def add(self, record: Playthrough) -> int:
        """Count a playthrough; return the depth of its first new node."""
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
        """Return whether there is a solve after playthrough t."""
        return self.next_due(t) == t

    def next_due(self, t: int) -> int:
        """Return the first playthrough from t on after which there is a solve."""
        return -(-t // self.every) * self.every

    @abstractmethod
    def rehearse(self) -> None:
        """Run the work after playthroughs once before the first one: this compiles, and changes no state."""

    @abstractmethod
    def settle(self) -> bool:
        """Solve or measure if it is due at this number of playthroughs; return whether it was."""

    @abstractmethod
    def finish(self) -> None:
        """Solve or measure once more for the result, if there are newer playthroughs. Later work is unaffected."""

    def rounding(self, wide: float, utility: int = 0) -> float:
        """Return the amount by which bounds are widened, given the range of what a player can gain."""
        nodes = self.trunk.nodes
        gains = np.nanmax(np.abs(nodes.view("gain")[:, utility]), initial=0.0)  # leaves have none
        largest = max(float(gains), abs(float(nodes.low[ROOT, utility])), abs(float(nodes.high[ROOT, utility])))
        return max(ROUNDING * max(1.0, wide), ROUNDING_OF_GAINS * largest)

    def bound(self) -> Bound:
        """Return what the kept strategies guarantee on the present trunk; it is computed once."""
        if self._proven is None:
            self._proven = self._prove()
        return self._proven

    @abstractmethod
    def _prove(self) -> Bound:
        """Compute what the kept strategies guarantee."""

    def _bounded(self, lower: float, upper: float) -> Bound:
        """Return guarantees, widened, and no worse than the bounds of the box give for any strategy."""
        nodes = self.trunk.nodes
        gain = 0.0 if nodes.kind[ROOT] == LEAF else float(nodes.gain[ROOT, 0])
        low, high = gain + float(nodes.least[ROOT, 0]), gain + float(nodes.most[ROOT, 0])
        slack = self.rounding(high - low)
        return Bound(
            self.playthroughs, max(lower, low) - slack, min(upper, high) + slack, nodes.used, self.trunk.expanded
        )

    @property
    def setup(self) -> dict[str, Any]:
        """The facts that a resumed certification must share with the one that began."""
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
        """How often simulators were restarted."""
        return self.box.restarts + (0 if self.spread is None else self.spread.restarts)

    @property
    def trouble(self) -> str:
        """The reason of the last missing answer of a simulator; empty if all always answered."""
        return self.box.trouble or ("" if self.spread is None else self.spread.trouble)

    def take(self, trunk: Trunk, actions: np.ndarray, lengths: np.ndarray, failed: np.ndarray) -> None:
        """Take over the contents of a checkpoint."""
        self.trunk, self._proven = trunk, None
        self.failed = [(int(t), int(depth)) for t, depth in failed]
        self.actions, self.lengths = (array("q", part.astype(np.int64).tobytes()) for part in (actions, lengths))
        self.merger = Merger(self.box, trunk, self.expansion)
        self.playthroughs = len(lengths)

    def strategies(self) -> dict[str, np.ndarray]:
        """Return the kept strategies, for a file."""
        return {f"strategy{player}": strategy for player, strategy in enumerate(self.kept)}

    def proof(self) -> tuple[dict[str, np.ndarray], dict[str, Any] | None]:
        """Return the sums over rounds of Algorithm 7.2 for a file, and facts about them; empty without rounds."""
        return {}, None

    @abstractmethod
    def state(self) -> dict[str, np.ndarray]:
        """Return the state on which the next playthroughs and measurements depend, for a checkpoint."""

    @abstractmethod
    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take over what `strategies` and `state` returned; the trunk is restored already."""


def _listed(bound: Any) -> Any:
    return list(bound) if isinstance(bound, tuple) else bound
