"""What all neural solvers share: parameters, networks, traversals, and the loop of an iteration."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, ClassVar, TypedDict, get_args

import numpy as np

from hannan import arguments
from hannan.arguments import choice, count, number, positive, truth, whole
from hannan.arrays import Floats, Longs
from hannan.errors import MismatchError, UnsuitableError
from hannan.forms.loader import Loadable
from hannan.forms.sizes import Sizes
from hannan.interrupts import Halted, go_on
from hannan.kernels.batches.moves import SAMPLED, match_regrets
from hannan.memory import require
from hannan.neural.approximators import MOST_THREADS, Approximation, Approximator, TableApproximator, require_torch
from hannan.neural.design import Design, NetworkKind, parts_for, reads_for
from hannan.neural.encoding import Reads, encoding_of
from hannan.neural.memories import Reservoir
from hannan.neural.presets import PRESETS, SMALL, TINY, PresetName, preset_for
from hannan.neural.scalars import Scalars
from hannan.neural.sets import SetRows, set_rows
from hannan.neural.traversals import EVERY_ACTION, Samples, Traversals, joined, keys, scale_of
from hannan.solvers.base import Solver
from hannan.solvers.guarantee import Guarantee
from hannan.solvers.parameters import by_name
from hannan.splitmix import first_random
from hannan.strategies.locks import LockedGame
from hannan.strategies.profile import Profile

TOGETHER = 4096
"""Traversals that advance together, at most."""
MOST_RATE, MOST_STEPS, MOST_WALKS = 1e6, 10**7, 10**8
"""The largest rate, the most steps of a training, and the most traversals of an iteration: a file asks for no more."""
ADVANTAGE, POLICY = 101, 102
"""Numbers of streams of random numbers: of training, by what is trained."""


class Shared(TypedDict, total=False):
    """The parameters of every neural solver but one; `NeuralSolver` says what they mean."""

    preset: PresetName
    traversals: int | None
    steps: int | None
    batch: int | None
    layers: int | None
    units: int | None
    memory_size: int | None
    rate: float
    power: float
    merge: bool
    reads: Reads
    network: NetworkKind
    approximation: Approximation
    seed: int
    device: str
    threads: int
    tensorboard: str | None


class Common(Shared, total=False):
    """All of them: `actions` has other defaults here and there."""

    actions: int | None


class NeuralSolver(Solver):
    """A method that learns from sampled traversals what tables would hold; `meanings` says what its parameters do."""

    guarantee = Guarantee(
        "average profile → Nash as far as the networks are right", rate="O(1/√T) with high probability"
    )
    meanings = by_name(
        preset="sizes that suit a game: tiny (Kuhn), small (Leduc, liar's dice with four faces), large, or long "
        "(Leduc, to a smaller gap); auto picks by the number of information sets. A parameter that is given counts "
        "instead",
        traversals="traversals of an iteration for each player; none: as the preset has it",
        actions="how many of its actions the traverser takes, drawn uniformly; none: all of them (external sampling)",
        steps="steps of training a network in each iteration; none: as the preset has it",
        batch="rows of one step of training; none: as the preset has it",
        layers="layers of a network; none: as the preset has it",
        units="units of a layer; none: as the preset has it",
        memory_size="samples that a memory holds (none: as the preset has it); once it is full, it is a uniform choice "
        "of all that there were",
        rate="learning rate (Adam); it falls evenly over the steps of a training",
        power="samples of iteration t weigh t**power",
        merge="whether samples of the same row are merged for training, where no more rows differ than a batch has: "
        "the same gradient as from all of them at once",
        reads="what networks read: features that the rules write, the player's own history, or both; auto: history "
        "only where the game is expanded, and features where they are written; a recurrent network always reads "
        "the history",
        network="layers; recurrent: a cell for each of the player's own choices, with attention, before the layers; "
        "branches: layers for each group of features that the rules name, joined by layers; auto: recurrent for "
        "double-neural if it reads the history, else layers",
        approximation="network, or table: the exact numbers in place of a network, to compare with",
        seed="where the random numbers begin",
        device="where networks live: cpu, or cuda with a GPU",
        threads="how many threads torch uses on the CPU; another number may change the last bits",
        tensorboard="a folder into which losses, histories and gaps are written for TensorBoard",
    )
    changeable = ("tensorboard",)
    unkept = ("tensorboard",)
    allowed = by_name(device=("cpu", "cuda"))
    mode: ClassVar[int] = SAMPLED
    everybody: ClassVar[bool] = False
    usual_network: ClassVar[NetworkKind] = "layers"
    """What `auto` means."""
    share_of_range: ClassVar[float] = 1.0
    """Of half the range of gains: what regrets are measured in."""

    def __init__(
        self,
        game: Loadable,
        *,
        preset: PresetName = "auto",
        traversals: int | None = None,
        actions: int | None = None,
        steps: int | None = None,
        batch: int | None = None,
        layers: int | None = None,
        units: int | None = None,
        memory_size: int | None = None,
        rate: float = 1e-3,
        power: float = 1.0,
        merge: bool = True,
        reads: Reads = "auto",
        network: NetworkKind = "auto",
        approximation: Approximation = "network",
        seed: int = 0,
        device: str = "cpu",
        threads: int = 1,
        tensorboard: str | None = None,
    ) -> None:
        super().__init__(game)
        if isinstance(self.game, LockedGame):
            raise UnsuitableError(
                f"{self.method} plays the rules, which know nothing of locks; full-width methods such as cfr+ and "
                "pdcfr+, einr, komwu and lp take them"
            )
        choice("preset", preset, get_args(PresetName), self.method)
        choice("network", network, get_args(NetworkKind), self.method)
        choice("approximation", approximation, get_args(Approximation), self.method)
        choice("device", device, self.allowed["device"], self.method)
        self.preset, sizes = preset, preset_for(self.game, preset)
        self.traversals = whole("traversals", sizes.traversals if traversals is None else traversals, 1, MOST_WALKS)
        self.actions = None if actions is None else whole("actions", actions)
        self.steps = whole("steps", sizes.steps if steps is None else steps, 0, MOST_STEPS)
        self.batch = whole("batch", sizes.batch if batch is None else batch)
        self.layers = whole("layers", sizes.layers if layers is None else layers, most=100)
        self.units = whole("units", sizes.units if units is None else units)
        self.memory_size = whole("memory_size", sizes.memory if memory_size is None else memory_size)
        self.rate = number("rate", positive("rate", rate), 0.0, MOST_RATE)
        self.power = number("power", power, 0.0, 30.0)
        self.merge, self.seed = truth("merge", merge), arguments.seed(seed)
        self.approximation, self.device = approximation, device
        self.threads = whole("threads", threads, most=MOST_THREADS)
        if tensorboard is not None:
            arguments.file_name(tensorboard)
        self.reads, self.tensorboard = reads, None if tensorboard is None else str(tensorboard)
        self._scalars = Scalars(self.tensorboard)
        self.network, kind = network, self.usual_network if network == "auto" else network
        self.encoding = encoding_of(self.game, reads_for(self.game, kind, reads))
        if network == "auto" and not self.encoding.steps:
            kind = "layers"
        self._parts = parts_for(self.game, self.encoding, kind)
        if approximation == "network":
            require_torch(self.method)
            if device == "cuda":
                from hannan.neural.networks import check_device

                check_device(device)
        require(self.bytes, f"{self.method} on {self.game.address}, with memory_size={self.memory_size:,},")
        self._memories = self._new_memories()
        self._walks: Traversals | None = None
        self._losses: dict[str, float] = {}

    def refuse_one_player(self) -> None:
        """Refuse a game in which nobody sees what a player did: averages are learnt in the traversals of others."""
        if self.game.players < 2:
            raise UnsuitableError(
                f"{self.method} averages in other players' traversals, and there is one player: sd-cfr"
            )

    # --- sizes -----------------------------------------------------------------------------------------------------

    @property
    def usual_iterations(self) -> int:
        return preset_for(self.game, self.preset).iterations

    @property
    def bytes(self) -> int:
        """What the memories take once they are full."""
        row, precise = self.encoding.size, self.approximation == "table"
        return len(self.memory_names) * Reservoir.bytes(self.memory_size, row, self.encoding.heads, precise)

    @classmethod
    def memory(cls, sizes: Sizes) -> int:
        """Return what the memories of the preset take, with rows of a hundred numbers and ten actions."""
        sets = sum(sizes.sets)
        name = "tiny" if sets <= TINY else "small" if sets <= SMALL else "large"
        return 2 * sizes.players * Reservoir.bytes(PRESETS[name].memory, 100, 10)

    @property
    @abstractmethod
    def memory_names(self) -> tuple[str, ...]:
        """What memories there are."""

    def _new_memories(self) -> dict[str, Reservoir]:
        e, precise = self.encoding, self.approximation == "table"
        return {
            name: Reservoir(self.memory_size, e.size, e.heads, first_random(self.seed, 11 + k) >> 1, precise=precise)
            for k, name in enumerate(self.memory_names)
        }

    # --- parts -----------------------------------------------------------------------------------------------------

    def approximator(self, random: int, *, loss: str = "squares", steps: int | None = None) -> Approximator:
        """Return a new network, or a table."""
        if self.approximation == "table":
            return TableApproximator(self.encoding.size, self.outputs)
        from hannan.neural.networks import Network, Training, use_threads

        use_threads(self.threads)
        training = Training(self.rate, self.steps if steps is None else steps, self.batch, loss)  # type: ignore[arg-type]
        return Network(self.design(), training, random, self.device)  # type: ignore[arg-type]

    @property
    def outputs(self) -> int:
        """How many numbers are said of a row."""
        return self.encoding.heads

    def design(self) -> Design:
        """Return how networks are built."""
        e = self.encoding
        return Design(e.size, e.heads, self.layers, self.units, outputs=self.outputs, **self._parts)

    @cached_property
    def advantages(self) -> list[Approximator]:
        """What each player regrets, on the average: one network a player."""
        return [self.approximator(self._random(ADVANTAGE, player, 0)) for player in range(self.game.players)]

    @property
    def walks(self) -> Traversals:
        """Room for traversals."""
        if self._walks is None:
            self._walks = Traversals(self.game, self.encoding, everybody=self.everybody)
        return self._walks

    @cached_property
    def set_rows(self) -> tuple[SetRows, ...]:
        """The sets of an expanded game as networks read them."""
        return set_rows(self.game.expanded(), self.encoding)

    def _matched(self, nets: Iterable[Approximator]) -> tuple[Floats, ...]:
        """Return the strategies of an expanded game that match what networks regret, one network a player."""
        return tuple(rows.matched(net.values(rows.known)) for rows, net in zip(self.set_rows, nets, strict=True))

    def _profile(self, strategies: tuple[Floats, ...]) -> Profile:
        """Return strategies of an expanded game with what is known of where they come from."""
        facts = {"method": self.method, "iterations": self.iterations}
        return Profile(self.game.expanded(), strategies, facts)

    @property
    def histories(self) -> int:
        """How many histories at which somebody decides, or play ends, were touched so far."""
        return self._touched

    _touched = 0

    def _random(self, what: int, player: int, iteration: int) -> int:
        return first_random(first_random(first_random(self.seed, what), iteration), player) >> 1

    # --- the loop --------------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        self.walks.run(0, keys(self.seed, 0, 0, 1), self._play, self.actions or EVERY_ACTION)
        self.walks.go_back(0, self.mode)

    def run(self, iterations: int) -> None:
        for _ in range(count("iterations", iterations)):
            if not self._iterated_whole():
                return
            self.iterations += 1
            losses = {f"loss/{name}": loss for name, loss in self._losses.items()}
            self._scalars.write(self.iterations, {"histories": self.histories, **losses})

    def _iterated_whole(self) -> bool:
        """Run the next iteration; where it is halted, or fails, undo what it did, and return whether it is whole."""
        nets = {name: net.state() for name, net in self.parts().items()}
        touched, losses = self._touched, dict(self._losses)
        try:
            self.iterate(self.iterations + 1)
        except BaseException as error:
            for name, net in self.parts().items():
                net.restore(nets[name])
            for memory in self._memories.values():
                memory.undo()
            self._touched, self._losses = touched, losses
            self._undo()
            if isinstance(error, Halted):
                return False
            raise
        for memory in self._memories.values():
            memory.settle()
        return True

    def _undo(self) -> None:
        """Forget what an iteration that is not whole has added to what this class keeps."""

    def hear(self, gap: float) -> None:
        self._scalars.write(self.iterations, {"gap": gap})

    @abstractmethod
    def iterate(self, t: int) -> None:
        """Run iteration t."""

    def traverse(self, t: int, player: int) -> tuple[Samples, list[Samples]]:
        """Make an iteration's traversals for one player.

        Return its regrets, and for each player what it did where the traverser was another one.
        """
        regrets: list[Samples] = []
        policies: list[list[Samples]] = [[] for _ in range(self.game.players)]
        begins = keys(self.seed, t, player, self.traversals)
        walks, most = self.walks, self.actions or EVERY_ACTION
        for low in range(0, self.traversals, TOGETHER):
            go_on()
            before = walks.touched
            walks.run(player, begins[low : low + TOGETHER], self._play, most)
            self._touched += walks.touched - before
            walks.go_back(player, self.mode)
            self._traversed(player)
            mine = walks.rows_of(player)
            regrets.append(self._own(walks.samples(mine, walks.rows.regret, self.scale)))
            for other in range(self.game.players):
                if other != player:
                    theirs = walks.rows_of(other)
                    policies[other].append(self._own(walks.samples(theirs, walks.rows.policy)))
        return joined(regrets), [joined(some) for some in policies]

    def _own(self, samples: Samples) -> Samples:
        """Return samples with what the mover itself knows, and nobody else."""
        return Samples(samples.known[:, : self.encoding.size], samples.target)

    def _traversed(self, player: int) -> None:
        """Learn something else from traversals, where a method does."""

    def _play(self, walks: Traversals, player: int, chosen: Longs) -> None:
        known = walks.rows.known[chosen, : self.encoding.size]
        match_regrets(self.advantages[player].values(known), walks.rows, chosen)

    @cached_property
    def scale(self) -> float:
        """What regrets are divided by, so that networks learn numbers around 1: a share of the range of gains."""
        return self.share_of_range * scale_of(self.game)

    def findings(self) -> dict[str, Any]:
        return {"histories": self.histories}

    # --- keeping ---------------------------------------------------------------------------------------------------

    def parts(self) -> dict[str, Approximator]:
        """Return the networks that a checkpoint keeps, by name."""
        return {f"advantage{player}": net for player, net in enumerate(self.advantages)}

    def state(self) -> dict[str, Floats]:
        arrays: dict[str, Any] = {"touched": np.array([self._touched])}
        for name, memory in self._memories.items():
            arrays |= {f"{name}.memory.{part}": array for part, array in memory.state().items()}
        for name, net in self.parts().items():
            arrays |= {f"{name}.network.{part}": array for part, array in net.state().items()}
        return arrays

    def accepts(self, state: Mapping[str, Floats]) -> bool:
        return "touched" in state  # the parts are compared one by one

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        for name, memory in self._memories.items():
            memory.restore(part_of(state, f"{name}.memory."))
        for name, net in self.parts().items():
            net.restore(part_of(state, f"{name}.network."))
        self._touched = int(state["touched"][0])
        self.iterations = iterations


def part_of(state: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return the arrays whose names begin so, without the beginning."""
    part = {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}
    if not part:
        raise MismatchError(f"the checkpoint holds no {prefix.rstrip('.')}")
    return part
