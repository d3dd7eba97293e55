"""What all neural solvers share: parameters, networks, traversals, and the loop of an iteration."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar, get_args

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
from hannan.neural.hauls import Crew, Haul, Piece
from hannan.neural.memories import Reservoir
from hannan.neural.parameters import MEANINGS, MOST_TOGETHER, TOGETHER
from hannan.neural.presets import PRESETS, SMALL, TINY, PresetName, preset_for
from hannan.neural.scalars import Scalars
from hannan.neural.sets import SetRows, set_rows
from hannan.neural.traversals import EVERY_ACTION, Samples, Traversals, joined, keys, scale_of
from hannan.pieces.workers import Workers
from hannan.solvers.base import Solver
from hannan.solvers.guarantee import Guarantee
from hannan.solvers.parameters import by_name
from hannan.splitmix import first_random
from hannan.strategies.locks import LockedGame
from hannan.strategies.profile import Profile

MOST_RATE, MOST_STEPS, MOST_WALKS = 1e6, 10**7, 10**8
"""The largest rate, number of steps per training and traversals per iteration; a file cannot ask for more."""
ADVANTAGE, POLICY = 101, 102
"""The numbers of the random streams for training, by what is trained."""


class NeuralSolver(Solver):
    """A method whose networks learn from sampled traversals what tables would hold."""

    guarantee = Guarantee(
        "average profile → Nash as far as the networks are right", rate="O(1/√T) with high probability"
    )
    meanings = MEANINGS
    changeable = ("tensorboard",)
    more_pieces = "each makes a piece of an iteration's traversals, and together=N makes pieces of N"
    unkept = ("tensorboard",)
    allowed = by_name(device=("cpu", "cuda"))
    mode: ClassVar[int] = SAMPLED
    everybody: ClassVar[bool] = False
    usual_network: ClassVar[NetworkKind] = "layers"
    """The network that `auto` stands for."""
    share_of_range: ClassVar[float] = 1.0
    """The unit of regrets, as a share of half the range of gains."""

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
        together: int = TOGETHER,
        tensorboard: str | None = None,
    ) -> None:
        super().__init__(game)
        if isinstance(self.game, LockedGame):
            raise UnsuitableError(
                f"{self.method} plays the rules, which know nothing of locks; use a full-width method such as "
                "cfr+ or pdcfr+, or einr, komwu or lp"
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
        self.together = whole("together", together, most=MOST_TOGETHER)
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
        self._crew: Crew | None = None
        self._losses: dict[str, float] = {}

    def refuse_one_player(self) -> None:
        """Refuse a game of one player: averages are learnt in the other players' traversals."""
        if self.game.players < 2:
            raise UnsuitableError(
                f"{self.method} learns averages in other players' traversals, but there is one player: use sd-cfr"
            )

    # --- sizes -----------------------------------------------------------------------------------------------------

    @property
    def usual_iterations(self) -> int:
        return preset_for(self.game, self.preset).iterations

    @property
    def bytes(self) -> int:
        """The bytes of all memories once they are full."""
        row, precise = self.encoding.size, self.approximation == "table"
        return len(self.memory_names) * Reservoir.bytes(self.memory_size, row, self.encoding.heads, precise)

    @classmethod
    def memory(cls, sizes: Sizes) -> int:
        """Return the bytes of the preset's memories, with rows of a hundred numbers and ten actions."""
        sets = sum(sizes.sets)
        name = "tiny" if sets <= TINY else "small" if sets <= SMALL else "large"
        return 2 * sizes.players * Reservoir.bytes(PRESETS[name].memory, 100, 10)

    @property
    @abstractmethod
    def memory_names(self) -> tuple[str, ...]:
        """The names of the memories."""

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
        """The number of outputs for a row."""
        return self.encoding.heads

    def design(self) -> Design:
        """Return the design of the networks."""
        e = self.encoding
        return Design(e.size, e.heads, self.layers, self.units, outputs=self.outputs, **self._parts)

    @cached_property
    def advantages(self) -> list[Approximator]:
        """The average regrets of each player: one network per player."""
        return [self.approximator(self._random(ADVANTAGE, player, 0)) for player in range(self.game.players)]

    @property
    def walks(self) -> Traversals:
        """The arrays of traversals, made at their first use."""
        if self._walks is None:
            self._walks = Traversals(self.game, self.encoding, everybody=self.everybody)
        return self._walks

    @cached_property
    def set_rows(self) -> tuple[SetRows, ...]:
        """The rows of all information sets of an expanded game."""
        return set_rows(self.game.expanded(), self.encoding)

    def _matched(self, nets: Iterable[Approximator]) -> tuple[Floats, ...]:
        """Return the strategies of an expanded game that match the networks' regrets, one network per player."""
        return tuple(rows.matched(net.values(rows.known)) for rows, net in zip(self.set_rows, nets, strict=True))

    def _profile(self, strategies: tuple[Floats, ...]) -> Profile:
        """Return strategies of an expanded game as a profile that names their method and iterations."""
        facts = {"method": self.method, "iterations": self.iterations}
        return Profile(self.game.expanded(), strategies, facts)

    @property
    def histories(self) -> int:
        """The number of decision nodes and terminal nodes visited so far."""
        return self._touched

    _touched = 0

    def _random(self, what: int, player: int, iteration: int) -> int:
        return first_random(first_random(first_random(self.seed, what), iteration), player) >> 1

    # --- the loop --------------------------------------------------------------------------------------------------

    def unsplit(self) -> str:
        card = f"networks of {self.method} on a CUDA card stay in this process: leave on out, or use device=cpu"
        return "" if self.device == "cpu" else card

    @property
    def pieces(self) -> int:
        return -(-self.traversals // self.together)

    def spread(self, workers: Workers | None) -> None:
        if workers is not None and (why := self.unsplit()):
            raise UnsuitableError(why)
        parameters = {**self.parameters, "tensorboard": None, "memory_size": 1}  # workers keep no memories
        self._crew = None if workers is None else Crew(workers, type(self), self.game, parameters)

    def prepare(self) -> None:
        touched = self.walks.touched
        self.haul(0, 0, 0, 1)
        self.walks.touched = touched
        if self._crew is not None:
            self._crew.prepare(self._weights(0))

    def run(self, iterations: int) -> None:
        for _ in range(count("iterations", iterations)):
            if not self._iterated_whole():
                return
            self.iterations += 1
            losses = {f"loss/{name}": loss for name, loss in self._losses.items()}
            self._scalars.write(self.iterations, {"histories": self.histories, **losses})

    def _iterated_whole(self) -> bool:
        """Run the next iteration; return whether it is complete. If it is halted or fails, undo its changes."""
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
        """Remove what an incomplete iteration has added to this class's state."""

    def hear(self, gap: float) -> None:
        self._scalars.write(self.iterations, {"gap": gap})

    @abstractmethod
    def iterate(self, t: int) -> None:
        """Run iteration t."""

    def traverse(self, t: int, player: int) -> tuple[Samples, list[Samples]]:
        """Make an iteration's traversals for one player.

        Return this player's regrets and, by player, the policies of the others.
        """
        hauls = list(self._hauls(t, player))
        self._touched += sum(haul.touched for haul in hauls)
        self._study(player, hauls)
        others = [[haul.policies[other] for haul in hauls if other in haul.policies] for other in self._everybody]
        return joined([self._regrets(player, haul) for haul in hauls]), [joined(some) for some in others]

    @property
    def _everybody(self) -> range:
        return range(self.game.players)

    def _hauls(self, t: int, player: int) -> Iterator[Haul]:
        """Make an iteration's traversals for one player, here or by workers; yield each piece's samples, in order."""
        ends = [*range(self.together, self.traversals, self.together), self.traversals]
        pieces = [Piece(t, player, low, high) for low, high in zip([0, *ends], ends, strict=False)]
        if self._crew is not None:
            yield from self._crew.hauls(pieces, self._weights(player))
            return
        for piece in pieces:
            go_on()
            yield self.haul(*piece)

    def haul(self, t: int, player: int, low: int, high: int) -> Haul:
        """Make traversals low … high-1 of iteration t for one player. The networks do not change."""
        walks, before = self.walks, self.walks.touched
        walks.run(player, keys(self.seed, t, player, high)[low:], self._play, self.actions or EVERY_ACTION)
        walks.go_back(player, self.mode)
        mine = walks.samples(walks.rows_of(player), walks.rows.regret, self.scale)
        others = {
            other: self._own(walks.samples(walks.rows_of(other), walks.rows.policy))
            for other in self._everybody
            if other != player
        }
        return Haul(walks.touched - before, self._own(mine), others)

    def _own(self, samples: Samples) -> Samples:
        """Return samples with rows of the mover's own knowledge only."""
        return Samples(samples.known[:, : self.encoding.size], samples.target)

    def _study(self, player: int, hauls: list[Haul]) -> None:
        """Train further networks on the traversals, if the method has some."""

    def _regrets(self, player: int, haul: Haul) -> Samples:
        """Return the traverser's regrets."""
        return haul.regrets

    def _asked(self, player: int) -> dict[str, Approximator]:
        """Return the networks that a player's traversals use, by name."""
        return {f"advantage{mover}": net for mover, net in enumerate(self.advantages)}

    def _weights(self, player: int) -> dict[str, dict[str, Any]]:
        return {name: net.state() for name, net in self._asked(player).items()}

    def _play(self, walks: Traversals, player: int, chosen: Longs) -> None:
        known = walks.rows.known[chosen, : self.encoding.size]
        match_regrets(self.advantages[player].values(known), walks.rows, chosen)

    @cached_property
    def scale(self) -> float:
        """The divisor of regrets, a share of the range of gains, so that networks learn numbers around 1."""
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
        return "touched" in state  # `restore` compares the parts

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        for name, memory in self._memories.items():
            memory.restore(part_of(state, f"{name}.memory."))
        for name, net in self.parts().items():
            net.restore(part_of(state, f"{name}.network."))
        self._touched = int(state["touched"][0])
        self.iterations = iterations


def part_of(state: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return the arrays whose names begin with `prefix`, by the rest of their names."""
    part = {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}
    if not part:
        raise MismatchError(f"the checkpoint holds no {prefix.rstrip('.')}")
    return part
