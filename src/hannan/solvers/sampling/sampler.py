"""Monte Carlo CFR: the common part of all samplers.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling (2009), Monte Carlo sampling for regret minimization in extensive games.
M. Lanctot (2013), Monte Carlo sampling and regret minimization for equilibrium computation and decision-making in
large extensive form games, section 4.4: averaging.

A sampler is a `SamplingPlan`, which says how a walk draws. An iteration makes one walk for every player in turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any, Literal, TypedDict, get_args

import numpy as np

from hannan import arguments
from hannan.arguments import choice, count, fraction, powers, shown, truth, whole
from hannan.arrays import Floats, Longs
from hannan.errors import MismatchError, ParameterError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable
from hannan.forms.outline import histories_text, walk_size
from hannan.forms.sizes import Sizes
from hannan.interrupts import Halted
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.records import SamplingPlan
from hannan.pieces.workers import Workers
from hannan.solvers.base import Solver, profile_of
from hannan.solvers.guarantee import Guarantee
from hannan.solvers.parameters import by_name
from hannan.solvers.sampling.guide import MARK, guide_of, name_of
from hannan.solvers.sampling.kept import Kept, kept_by, walks_on_rules
from hannan.solvers.sampling.policy import gathered
from hannan.solvers.sampling.recipe import StreamRecipe
from hannan.solvers.sampling.rounds import Place, Rounds
from hannan.solvers.sampling.sound import counted
from hannan.solvers.sampling.streams import Stream, run_all
from hannan.solvers.sampling.tables import cells_of, part_cells
from hannan.solvers.sampling.variance import Variance
from hannan.solvers.sampling.ways import Walks
from hannan.strategies.policy import Policy
from hannan.strategies.strategy import Strategy

Averaging = Literal["lazy", "weighted", "simple"]
Learner = Literal["rm", "rm+", "discounted"]
Over = Literal["auto", "tree", "rules"]

MOST_POWER = 30

LONGEST_WALK = 1e8
"""The most histories that one walk on rules may visit, estimated by plays: a few seconds."""

_AVERAGING = {"lazy": rec.LAZY, "weighted": rec.WEIGHTED, "simple": rec.SIMPLE}
_LEARNERS = {"rm": rec.MATCHING, "rm+": rec.MATCHING_PLUS, "discounted": rec.DISCOUNTED}


class Common(TypedDict, total=False):
    """The parameters of every sampler; `Sampling` describes them."""

    averaging: Averaging
    learner: Learner
    alpha: float
    beta: float
    gamma: float
    seed: int
    over: Over
    memory_limit: int | str | None
    table: Kept
    streams: int
    threads: int


class Sampling(Solver):
    """A method that updates the information sets that its walks visit. `meanings` describes its parameters."""

    guarantee = Guarantee("average profile → Nash", rate="O(1/√T) with high probability")
    meanings = by_name(
        averaging="lazy: the exact sums of full averaging, put off until a set is visited; weighted: own reach over "
        "the probability of the draw; simple: 1 where the next player's sets were drawn as they are played",
        learner="regret matching, regret matching plus, or regrets discounted by the set's own clock (alpha, beta)",
        alpha="learner=discounted: the power by which old positive regrets are discounted",
        beta="learner=discounted: the power by which old negative regrets are discounted",
        gamma="iteration t weighs t**gamma in the average",
        seed="the seed of the random numbers",
        over="whether walks go over the expanded tree, or over the rules with tables that grow with what is visited",
        memory_limit="the most bytes that growing tables may take, such as 2e9, 1GB or 512MiB; without it, a fifth of "
        "what machine, container and ulimit leave, so that the rest suffices to finish",
        table="which sets growing tables keep; full: all that walks meet, until the memory limit ends a run; growing: "
        "on each path one new set for each player, and no more at the limit; bounded: so, too, and at the limit the "
        "least visited are dropped; auto: full, and with a memory_limit bounded from the limit on",
        streams="independent runs whose averages are averaged; they are the same however many threads or workers run "
        "them",
        threads="the number of threads of this process that run the streams, if on is serial; it changes no bit",
    )
    allowed = by_name(averaging=("lazy", "weighted"))
    changeable = ("memory_limit", "threads")
    more_pieces = "each works on a stream of its own, and streams=N makes N"

    def __init__(
        self,
        game: Loadable,
        walks: Walks,
        *,
        averaging: Averaging = "lazy",
        learner: Learner = "rm",
        alpha: float = 1.5,
        beta: float = 0.0,
        gamma: float = 0.0,
        seed: int = 0,
        over: Over = "auto",
        memory_limit: int | str | None = None,
        table: Kept = "auto",
        streams: int = 1,
        threads: int = 1,
    ) -> None:
        super().__init__(game)
        for name, word, known in (
            ("averaging", averaging, self.allowed["averaging"]),
            ("learner", learner, get_args(Learner)),
            ("over", over, get_args(Over)),
            ("table", table, get_args(Kept)),
        ):
            choice(name, word, known, self.method)
        truth("explore", walks.explore)
        if averaging == "simple" and walks.explore:
            raise ParameterError("averaging='simple' needs moves that are drawn as they are played, without explore")
        if averaging == "simple" and self.game.players < 2:
            raise ParameterError("averaging='simple' takes the sums at other players' sets, and there is one player")
        self.averaging, self.learner = averaging, learner
        self.memory_limit = self.described("memory_limit", memory_limit)
        self.alpha, self.beta, self.gamma = powers(alpha=alpha, beta=beta, gamma=gamma)
        if abs(self.gamma) > MOST_POWER:
            raise ParameterError(
                f"gamma={shown(gamma)} should be at most {MOST_POWER}: weights of t**gamma would overflow"
            )
        self.seed = arguments.seed(seed)
        self.streams, self.threads = whole("streams", streams, most=4096), whole("threads", threads, most=4096)
        self.plan = SamplingPlan(
            players=self.game.players,
            own=walks.own,
            others=int(walks.others),
            averaging=_AVERAGING[averaging],
            learner=rec.PLANS if walks.plans else _LEARNERS[learner],
            baseline=walks.baseline,
            key=walks.key,
            explore=int(walks.explore),
            measuring=rec.LEARNING,
            only=-1,
            forgets=0,
            strange=0,
            level=int(walks.level),
            epsilon=fraction("epsilon", walks.epsilon),
            alpha=self.alpha,
            beta=self.beta,
            power=walks.power if walks.plans else self.gamma,
            rate=fraction("rate", walks.rate),
        )
        self.guide = guide_of(self.game, walks.policy)
        self.sampling_policy = self.described("sampling_policy", walks.policy)
        self._awaited = isinstance(walks.policy, str) and walks.policy.startswith(MARK)
        self.over = "tree" if self._expands(over, table) else "rules"
        self.table = table
        each = None if self.memory_limit is None else self.memory_limit // self.streams
        kept = kept_by(self.method, self.plan, self.guide is not None, table)
        self._recipe = StreamRecipe(
            self.game, self.plan, self.guide, self.over == "tree", self.seed, self.streams, each, self._terms(), kept
        )
        self._here = [self._recipe.stream(k) for k in range(self.streams)]
        self._rounds: Rounds | None = None
        self._away = False
        """Whether workers have continued the streams since this process had them."""

    def _terms(self) -> Floats | None:
        """Return the numbers that Hedge over plans subtracts from payoffs, and its rates, [2, players]; else None."""
        return None

    @property
    def _streams(self) -> list[Stream]:
        """The streams in this process, in their newest state."""
        if self._away and self._rounds is not None:
            self._here, self._away = self._rounds.streams(self._here), False
        return self._here

    def _expands(self, over: Over, table: Kept) -> bool:
        """Return whether walks go over the expanded tree, or over the rules."""
        if walks_on_rules(table, over, self.memory_limit is not None):
            over = "rules"
        if over == "tree":
            self.game = self.game.expanded()
        if over != "rules" and isinstance(self.game, ExpandedGame):
            need = self.streams * self.memory(self.game.sizes)
            if self.memory_limit is None or need <= self.memory_limit:
                return True
            if over == "tree":
                raise ParameterError(
                    f"memory_limit={self.memory_limit} is below what the expanded game takes, about {need} bytes; "
                    "use over='rules'"
                )
        self._refuse_long_walks()
        return False

    def _refuse_long_walks(self) -> None:
        """Refuse walks that would hardly end, because a run can show, save or stop only between walks."""
        own = 1 if self.plan.own == rec.ONE else self.plan.own
        for player in range(self.game.players if own > 1 or self.plan.others else 0):
            size = walk_size(self.game.rules, player, own, bool(self.plan.others))
            if size > LONGEST_WALK:
                raise ParameterError(
                    f"one walk of {self.method} visits {histories_text(size)} histories of {self.game.address} "
                    "(estimated); mccfr-os, and mccfr-rs with a small k, make short ones"
                )

    @classmethod
    def names_a_place(cls, parameter: str, value: Any) -> bool:
        return parameter == "sampling_policy" and value is not None and not str(value).startswith(MARK)

    def described(self, name: str, value: Any) -> Any:
        if name == "memory_limit":
            return None if value is None else arguments.size(name, value)
        if name != "sampling_policy" or value is None or (isinstance(value, str) and value.startswith(MARK)):
            return super().described(name, value)
        policy = guide_of(self.game, value)
        return None if policy is None else name_of(policy)

    @classmethod
    def memory(cls, sizes: Sizes) -> int:
        return 24 * sizes.histories + 16 * sizes.slots + 24 * sum(sizes.sequences) + 40 * sum(sizes.sets)

    def unsplit(self) -> str:
        return ""

    @property
    def pieces(self) -> int:
        return self.streams

    @property
    def piece_bytes(self) -> int | None:
        if self.over == "tree" and isinstance(self.game, ExpandedGame):
            return self.memory(self.game.sizes)
        return self._recipe.limit

    def spread(self, workers: Workers | None) -> None:
        streams = self._streams
        self._rounds = None if workers is None else Rounds(self._recipe, workers, streams)

    @property
    def round_seconds(self) -> float | None:
        return None if self._rounds is None else self._rounds.seconds

    def prepare(self) -> None:
        self._streams[0].walk(0)  # compiles, before workers load the compiled functions
        if self._rounds is not None:
            self._rounds.prepare()

    def run(self, iterations: int) -> None:
        target = (self.iterations + count("iterations", iterations)) * self.game.players
        if self.stopped:
            return
        if self._awaited:
            raise ParameterError(
                f"sampling_policy={shown(self.sampling_policy)} is a name that only a checkpoint knows"
            )
        if self._rounds is not None:
            self._run_round(self._rounds, target)
            return
        try:
            run_all([partial(stream.walk, target) for stream in self._streams], self.threads)
        finally:
            done = [int(stream.tables.counts[rec.WALKS]) for stream in self._streams]
            self._arrive(max(done), [stream.full for stream in self._streams])

    def _run_round(self, rounds: Rounds, target: int) -> None:
        try:
            rounds.run(target)
        except Halted:
            return
        self._away = True
        if self.over == "rules":
            self._here = []  # remake the streams with their grown tables
        self._arrive(max(place.walks for place in rounds.places), [place.full for place in rounds.places])

    def _arrive(self, walks: int, full: list[str]) -> None:
        """Note the progress of the streams, and whether all are full: a full stream waits for the others."""
        self.iterations = walks // self.game.players
        self.stopped = full[0] if all(full) else ""

    @property
    def most_iterations(self) -> int | None:
        return self.iterations if self.stopped else None

    @property
    def histories(self) -> int:
        """The number of histories that all streams have visited so far."""
        return sum(int(stream.tables.counts[rec.VISITED]) for stream in self._streams)

    @property
    def sets(self) -> int:
        """The number of information sets in the tables of the first stream."""
        return int(self._streams[0].tables.counts[rec.SETS])

    def average(self) -> Strategy:
        return self._shown([stream.totals() for stream in self._streams], 2)

    def current(self) -> Strategy:
        """Return the strategy of the next iteration; with several streams, that of the first one."""
        return self._shown([self._streams[0].tables.learnt], 0)

    def policy(self) -> Policy:
        """Return the average strategy as a table of the visited sets, for an expanded game, too.

        On the tree of plain rules, it is a table of all sets.
        """
        if self.over == "tree" and not self.game.coded:
            table: Policy = self.average().policy()
            return table
        return self._gathered([stream.totals() for stream in self._streams], 2)

    def _gathered(self, learnt: list[Floats], part: int) -> Policy:
        facts = {"method": self.method, "iterations": self.iterations, "seed": self.seed}
        return gathered(self.game, self._streams[: len(learnt)], learnt, part, facts)

    def _shown(self, learnt: list[Floats], part: int) -> Strategy:
        if not isinstance(self.game, ExpandedGame):
            return self._gathered(learnt, part)
        if self.over == "rules":
            return self._gathered(learnt, part).profile()
        return profile_of(self, self.game, self._in_order(np.sum(learnt, axis=0), part))

    @cached_property
    def _cells(self) -> tuple[Longs, Longs]:
        """The cell and the set's size of each sequence of an expanded game, players end to end."""
        tree = self.game.expanded().tree
        sizes = [np.concatenate(([0], plex.sizes[plex.set_of[1:]])) for plex in tree.treeplexes]
        return cells_of(tree), np.concatenate(sizes).astype(np.int64)

    def _in_order(self, cells: Floats, part: int = 0) -> Floats:
        """Return one part of the cells, by sequence, players end to end."""
        first, sizes = self._cells
        result: Floats = np.where(first < 0, 0.0, cells[first + part * sizes])
        return result

    def variance(self, walks: int = 1000) -> Variance:
        """Measure how much the estimates vary while all players play the current strategy, without learning.

        The measurement works on a copy of the first stream's tables, which the memory limit does not include.
        """
        n = whole("walks", walks)
        stream = self._streams[0].measured(n)
        sums, squares = (self._by_sequence(stream, row) / n for row in stream.tables.measure)
        return Variance.of(n, sums, squares, stream.tables.given)

    def _by_sequence(self, stream: Stream, cells: Floats) -> Floats:
        """Return the numbers in the strategies' cells, sequence by sequence."""
        if self.over == "tree":
            return self._in_order(cells)
        sets = int(stream.tables.counts[rec.SETS])
        ordered: Floats = cells[part_cells(stream.tables.set_base[:sets], stream.tables.set_size[:sets], 0)]
        return ordered

    def state(self) -> dict[str, Floats]:
        return {f"{name}{k}": array for k, stream in enumerate(self._streams) for name, array in stream.state().items()}

    def accepts(self, state: Mapping[str, Floats]) -> bool:
        known = {name: counted(array) if name.startswith("counts") else array for name, array in state.items()}
        return self.over == "rules" or super().accepts(known)  # growing tables are checked one by one

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        for k, stream in enumerate(self._streams):
            optional = {"names"} - {name[: -len(str(k))] for name in state}  # older versions named no actions
            own = {name: state[f"{name}{k}"] for name in stream.state() if name not in optional}
            own["counts"] = counted(own["counts"])
            if self.over == "tree" and own["learnt"].shape != stream.tables.learnt.shape:
                raise MismatchError(f"the state is not that of {self.method} on {self.game.address}")
            stream.restore(own)
        if max(int(stream.tables.counts[rec.WALKS]) for stream in self._streams) // self.game.players != iterations:
            raise MismatchError(f"the state has made other walks than those of {iterations:,} iterations")
        self.iterations, self._awaited = iterations, False
        if self._rounds is not None:
            self._rounds.places = [Place(stream.state(), stream.full, 0.0) for stream in self._streams]
