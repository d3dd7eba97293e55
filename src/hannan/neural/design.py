"""How a network is built: layers, a recurrent reader of a player's history, or branches for groups of features.

H. Li, K. Hu, Z. Ge, T. Jiang, Y. Qi, L. Song (2018), Double neural counterfactual regret minimization (section 3.5 and
figure 3 of the CFR survey): recurrent, with attention. N. Brown, A. Lerer, S. Gross, T. Sandholm (2019), Deep
counterfactual regret minimization (section 3.6 and figure 4): a branch for cards and one for bets, joined by layers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from hannan.errors import RulesError, UnsuitableError
from hannan.forms.game import PlayedGame
from hannan.neural.encoding import Encoding, Reads
from hannan.rules.optional import group_sizes

NetworkKind = Literal["auto", "layers", "recurrent", "branches"]


@dataclass(frozen=True)
class Design:
    """The architecture of a network; files store it with the weights."""

    row: int
    heads: int
    layers: int
    units: int
    features: int = 0
    steps: int = 0
    """For a recurrent network: the number of choices in a row, each of `token` numbers, after `features` features."""
    token: int = 0
    outputs: int = 0
    """The number of outputs; 0: one for each head."""
    groups: tuple[int, ...] = ()
    """For a network with branches: how many numbers of a row each branch reads, in order."""

    @property
    def recurrent(self) -> bool:
        """Whether the network reads choices one after another."""
        return self.token > 0

    @property
    def joined(self) -> int:
        """The number of inputs of the last layers: a row, or the outputs of the parts before them."""
        if self.recurrent:
            return self.features + self.units
        return len(self.groups) * self.units or self.row

    @property
    def weights(self) -> int:
        """The approximate number of weights."""
        read = 3 * self.units * (self.token + self.units) if self.recurrent else 0
        read += sum(self.units * (group + (self.layers - 1) * self.units) for group in self.groups)
        return read + self.units * (self.joined + (self.layers - 1) * self.units + (self.outputs or self.heads))

    def record(self) -> dict[str, Any]:
        """Return the record that files store."""
        return asdict(self)

    @classmethod
    def read(cls, record: Mapping[str, Any], state: Mapping[str, Any]) -> Design:
        """Return a file's design; raise a ValueError if it makes no sense or the weights have another shape."""
        numbers = dict(record)
        groups = numbers.pop("groups", ())  # files of older versions lack them
        if not isinstance(groups, list | tuple):
            raise ValueError("its groups are not a list")
        made = cls(**numbers, groups=tuple(groups))
        if not all(type(number) is int and 0 <= number < 2**31 for number in (*numbers.values(), *groups)):
            raise ValueError("its design holds something other than whole numbers")
        if made.recurrent and groups:
            raise ValueError("its network is recurrent and has branches")
        made._compare(state)
        return made

    def _compare(self, state: Mapping[str, Any]) -> None:
        """Raise a ValueError if weights have another shape."""
        block = "block." if self.recurrent or self.groups else ""
        layers = sum(name.startswith(f"{block}layers.") and name.endswith(".weight") for name in state)
        shapes = [np.shape(state[f"branches.{k}.layers.0.weight"]) for k in range(len(self.groups))]
        shapes += [np.shape(state[f"{block}layers.0.weight"]), np.shape(state[f"{block}head.weight"])]
        reads = [*self.groups, self.joined]
        told = [*((self.units, numbers) for numbers in reads), (self.outputs or self.heads, self.units)]
        if (self.layers, told) != (layers, shapes):
            raise ValueError("its weights are those of another network")
        if self.recurrent and self.row != self.features + self.steps * self.token:
            raise ValueError("its network reads rows of another length")
        if self.groups and self.row != sum(self.groups):
            raise ValueError("its branches read rows of another length")
        if self.outputs and self.outputs < self.heads:
            raise ValueError("its network has fewer outputs than heads")


def reads_for(game: PlayedGame, kind: NetworkKind, reads: Reads) -> Reads:
    """Return `reads`, but resolve 'auto' for a recurrent network, which always reads the history."""
    if kind != "recurrent" or not isinstance(reads, str) or reads != "auto":  # `encoding_of` refuses these
        return reads
    return "both" if game.rules.writes("features") else "history"


def parts_for(game: PlayedGame, encoding: Encoding, kind: NetworkKind) -> dict[str, Any]:
    """Return the fields of a `Design` that its kind adds; refuse a kind that has nothing to read."""
    if kind == "recurrent":
        if not encoding.steps:
            raise UnsuitableError(
                "network='recurrent' reads the player's own history, and reads='features' leaves it out: use "
                "reads='history' or reads='both'"
            )
        return {"features": encoding.features, "steps": encoding.steps, "token": encoding.token}
    return {"groups": _branches(game, encoding)} if kind == "branches" else {}


def _branches(game: PlayedGame, encoding: Encoding) -> tuple[int, ...]:
    """Return how many numbers each branch reads: one branch for each group of features, one for the history."""
    groups = group_sizes(game.rules)
    if not groups:
        raise UnsuitableError(
            f"network='branches' has a branch for each group of features, and the rules of {game.address} name no "
            "groups: set feature_groups, or use network='layers'"
        )
    if not encoding.features:
        raise UnsuitableError(
            "network='branches' reads features, and reads='history' leaves them out: use reads='features' or "
            "reads='both'"
        )
    if sum(groups) != encoding.features:
        raise RulesError(
            f"{game.address}: feature_groups name {sum(groups)} features, and features() returns {encoding.features}"
        )
    history = encoding.steps * encoding.token
    return (*groups, history) if history else groups
