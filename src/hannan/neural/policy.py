"""Strategies of trained networks, for games of any size, and their files."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from hannan.arguments import shown, whole
from hannan.arrays import Floats, Longs
from hannan.errors import FileError, ParameterError, UnsuitableError
from hannan.files import NONSENSE, read_arrays, understanding, write_arrays
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.forms.loader import Loadable
from hannan.kernels.batches.moves import by_menu, match_regrets
from hannan.neural.approximators import MOST_THREADS, Approximator, TableApproximator, require_torch
from hannan.neural.design import Design
from hannan.neural.encoding import Encoding, observation_number
from hannan.neural.mixture import mixture
from hannan.neural.sets import set_rows, write_history
from hannan.neural.traversals import NOBODY, Traversals, keys
from hannan.rules.observations import described
from hannan.strategies.files import GAME_FACTS, game_facts, game_for
from hannan.strategies.profile import Profile
from hannan.strategies.seats import Answer, Seat
from hannan.strategies.strategy import Strategy

if TYPE_CHECKING:
    from hannan.neural.solver import NeuralSolver

NETWORKS = "networks"
"""The kind of file that holds weights."""

TOGETHER = 4096
"""Plays that advance together."""

Says = Literal["regrets", "logarithms"]
"""The outputs of networks: regrets, for regret matching, or logarithms of probabilities."""


@dataclass(frozen=True, eq=False)
class NetworkPolicy(Strategy):
    """A strategy of networks. A player with several networks draws one before each play, with probabilities `share`."""

    game: PlayedGame
    encoding: Encoding
    networks: tuple[tuple[Approximator, ...], ...]
    share: tuple[float, ...]
    """The probability of each of a player's networks; they sum to 1."""
    says: Says
    facts: Mapping[str, Any]
    kind = "networks"
    batched = True

    @staticmethod
    def of_regrets(
        solver: NeuralSolver, networks: Sequence[Sequence[Approximator]], weights: Sequence[float]
    ) -> NetworkPolicy:
        """Return the strategy of advantage networks, each drawn in proportion to its weight."""
        every = tuple(tuple(nets) for nets in networks)
        return NetworkPolicy(solver.game, solver.encoding, every, shares(weights), "regrets", _facts(solver))

    @staticmethod
    def of_averages(solver: NeuralSolver, networks: Sequence[Approximator]) -> NetworkPolicy:
        """Return the strategy of networks that have learnt an average strategy."""
        says: Says = "regrets" if solver.approximation == "table" else "logarithms"
        return NetworkPolicy(
            solver.game, solver.encoding, tuple((net,) for net in networks), (1.0,), says, _facts(solver)
        )

    @property
    def parameters(self) -> int:
        """The number of parameters of all networks."""
        return sum(net.parameters for nets in self.networks for net in nets)

    def sit(self, seat: int, luck: int) -> Seat:
        self.game.check_player(seat)
        (which,) = random.Random(luck).choices(range(len(self.share)), self.share)
        return _Seat(self, self.networks[seat][which])

    def members(self) -> tuple[tuple[float, Strategy], ...]:
        if len(self.share) == 1:
            return super().members()
        alone = (
            replace(self, networks=tuple((nets[number],) for nets in self.networks), share=(1.0,))
            for number in range(len(self.share))
        )
        return tuple(zip(self.share, alone, strict=True))

    def probabilities(self, values: Floats) -> Floats:
        """Return the probabilities of actions from a network's outputs at one set, in the order of its menu."""
        if self.says == "logarithms":
            weight = np.exp(values - values.max())
        else:
            best = values.max()
            weight = np.maximum(values, 0.0) if best > 0.0 else (values == best).astype(np.float64)
        result: Floats = weight / weight.sum()
        return result

    def earned(self, plays: int, seed: int) -> Floats:
        walks, parts = Traversals(self.game, self.encoding), []
        for part, low in enumerate(range(0, plays, TOGETHER)):
            many = min(TOGETHER, plays - low)
            draws = np.random.Generator(np.random.Philox(key=[seed & (2**63 - 1), part]))
            which = draws.choice(len(self.share), (many, self.game.players), p=self.share)
            walks.run(NOBODY, keys(seed, part, self.game.players, many), partial(self._play, _Roots(which)))
            walks.go_back(NOBODY)
            parts.append(walks.earned(many))
        return np.concatenate(parts)

    def _play(self, roots: _Roots, walks: Traversals, player: int, chosen: Longs) -> None:
        which = roots.which(walks, chosen, player)
        for number in np.unique(which).tolist():
            some = chosen[which == number]
            values = self.networks[player][number].values(walks.rows.known[some, : self.encoding.size])
            if self.says == "regrets":
                match_regrets(values, walks.rows, some)
                continue
            policy = walks.rows.policy
            policy[some] = -np.inf
            by_menu(values, walks.rows, some, policy)
            weight = np.exp(policy[some] - policy[some].max(axis=1, keepdims=True))
            policy[some] = weight / weight.sum(axis=1, keepdims=True)

    def profile(self) -> Profile:
        game = self.game.expanded()
        rows = set_rows(game, self.encoding)
        strategies = []
        for number in range(len(self.share)):
            said = [mine.known for mine in rows]
            values = [nets[number].values(known) for nets, known in zip(self.networks, said, strict=True)]
            how = [mine.matched if self.says == "regrets" else mine.softened for mine in rows]
            strategies.append(tuple(f(v) for f, v in zip(how, values, strict=True)))
        mixed = strategies[0] if len(strategies) == 1 else mixture(game, strategies, list(self.share))
        return Profile(game, mixed, dict(self.facts))

    def _arrays(self) -> dict[str, Any]:
        """The weights by their names in files."""
        return {
            f"{player}.{number}.{name}": array
            for player, nets in enumerate(self.networks)
            for number, net in enumerate(nets)
            for name, array in net.state().items()
        }

    @property
    def digest(self) -> str:
        total = blake2b(repr((self.share, self.says)).encode(), digest_size=16)
        for name, array in sorted(self._arrays().items()):
            total.update(name.encode() + np.ascontiguousarray(array).tobytes())
        return total.hexdigest()

    def save(self, path: str | PathLike[str]) -> None:
        one = self.networks[0][0]
        facts = {
            **game_facts(self.game, hashed=False),
            "encoding": self.encoding.record(),
            "design": None if isinstance(one, TableApproximator) else one.design.record(),  # type: ignore[attr-defined]
            "share": list(self.share),
            "says": self.says,
            **self.facts,
        }
        write_arrays(path, NETWORKS, self._arrays(), facts)

    def __repr__(self) -> str:
        many = len(self.share)
        each = "one network" if many == 1 else f"{many} networks"
        return f"NetworkPolicy of {self.game.address}: {each} per player, {self.parameters:,} parameters"


def shares(weights: Sequence[float]) -> tuple[float, ...]:
    """Return weights scaled to sum to 1."""
    scaled: list[float] = (np.array(weights) / np.sum(weights)).tolist()
    return tuple(scaled)


def _facts(solver: NeuralSolver) -> dict[str, Any]:
    return {"method": solver.method, "iterations": solver.iterations, "seed": solver.seed, "threads": solver.threads}


class _Roots:
    """The network of each node: the one drawn for its play."""

    def __init__(self, which: Any) -> None:
        self._which, self._root = which, np.arange(len(which))

    def which(self, walks: Traversals, chosen: Longs, player: int) -> Any:
        """Return the number of the network of each chosen row."""
        nodes = walks.rows.node[chosen]
        last = int(nodes.max()) + 1
        while (known := len(self._root)) < last:  # parents come before children, a step at a time
            parent = walks.nodes.parent[known:last]
            ready = int(np.argmax(parent >= known)) if np.any(parent >= known) else len(parent)
            self._root = np.concatenate((self._root, self._root[parent[:ready]]))
        return self._which[self._root[nodes], player]


class _Seat:
    """A network as one player in one play."""

    def __init__(self, policy: NetworkPolicy, network: Approximator) -> None:
        self._policy, self._network = policy, network
        self.reads_features = policy.encoding.features > 0
        self._past: list[tuple[int, int]] = []
        self._features: Sequence[float] | None = None
        self._now: tuple[int, list[int]] = (0, [])

    def know(self, features: Sequence[float] | None) -> None:
        self._features = features

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        policy, e = self._policy, self._policy.encoding
        known = np.zeros((1, e.size), np.float32)
        if e.features:
            if self._features is None or len(self._features) != e.features:
                raise UnsuitableError(f"the networks read {e.features} features, but the rules write another number")
            known[0, : e.features] = self._features
        seen = observation_number(observation) if not policy.game.coded else int(observation)  # type: ignore[call-overload]
        heads = [int(action) for action in actions] if e.by_code else list(range(len(actions)))  # type: ignore[call-overload]
        if not all(0 <= head < e.heads for head in heads):
            raise UnsuitableError(f"after {described(observation)} there are actions that the networks do not know")
        if e.steps:
            write_history(known[0, e.features :], e, self._past, seen)
        self._now = seen, heads
        return Answer(policy.probabilities(self._network.values(known)[0, heads]), True)

    def took(self, k: int) -> None:
        seen, heads = self._now
        self._past.append((seen, heads[k]))


def read_networks(path: str | PathLike[str], game: Loadable | None = None) -> NetworkPolicy | Profile:
    """Read networks from a file, as a profile if the game is expanded; refuse those of another game."""
    arrays, facts = read_arrays(path, NETWORKS)
    played = game_for(path, {"hash": "", **facts}, game)
    try:
        encoding = Encoding.read(facts.pop("encoding"))
        design, share, says = facts.pop("design"), tuple(facts.pop("share")), facts.pop("says")
        weights = np.array(share, np.float64)
        if weights.ndim != 1 or not np.isfinite(weights).all() or (weights < 0).any() or not weights.sum() > 0:
            raise ValueError("its share is not a list of weights with a positive sum")
        threads = whole("threads", facts.get("threads", 1), most=MOST_THREADS)
        if says not in get_args(Says):
            raise ValueError(f"its networks say {shown(says)}, which is not known")
        networks = tuple(
            tuple(_network(design, encoding, arrays, f"{player}.{number}.", threads) for number in range(len(share)))
            for player in range(played.players)
        )
    except (*NONSENSE, ParameterError, RuntimeError) as error:
        raise FileError(f"{path} does not hold networks that this hannan can read ({error})") from error
    rest = {name: fact for name, fact in facts.items() if name not in GAME_FACTS}
    policy = NetworkPolicy(played, encoding, networks, share, says, rest)
    with understanding(path, "a file of networks that this hannan can read"):
        return policy.profile() if isinstance(played, ExpandedGame) else policy


def _network(design: Any, encoding: Encoding, arrays: Mapping[str, Any], prefix: str, threads: int) -> Approximator:
    state = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
    net: Approximator
    if design is None:
        net = TableApproximator(encoding.size, state["line"].shape[1])
        fits = state["line"].shape[1] >= encoding.heads
    else:
        require_torch("the file")
        from hannan.neural.networks import Network, Training, use_threads

        use_threads(threads)
        drawn = Design.read(design, state)
        net = Network(drawn, Training(1e-3, 0, 1))
        fits = (drawn.row, drawn.heads) == (encoding.size, encoding.heads)
    if not fits:
        raise ValueError("its networks have another number of inputs or outputs than its encoding")
    net.restore(state)
    return net
