"""The pseudogame of a trunk (Definition 5.1): two zero-sum games, payoffs too low in one and too high in the other.

Chance plays its observed frequencies (or its known odds). At a chance node h with radius ρ(h) the payoffs are lowered
or raised by ρ(h)·Δ(h); Δ(h) is the width of the bounds on what comes after h. Leaves pay their bounds. If all children
of a node are in the trunk, their bounds narrow the bounds that the box tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hannan.arrays import Floats, Ints, Longs
from hannan.certificates.families import SHARE, Estimates
from hannan.certificates.radii import Radius, anytime, paper
from hannan.certificates.trunk import CHANCE, LEAF, NONE, ROOT, Trunk
from hannan.kernels import trunks
from hannan.kernels.fullwidth import passes
from hannan.kernels.fullwidth.records import Flat

Sets = tuple[Ints, Ints, Ints]

LOWER, UPPER = range(2)
"""The game whose payoffs to player 0 are too low, and the game whose payoffs are too high."""

Pair = Sequence[Floats]
"""One array over the sequences of each player: a behaviour strategy, entry 0 (the empty sequence) 1."""


@dataclass(frozen=True)
class Confidence:
    """The kind of radius, and the probability with which all bounds hold together."""

    radius: Radius = "anytime"
    level: float = 0.999

    def radii(self, trunk: Trunk, playthroughs: int, scale: float = 1.0) -> Floats:
        """Return ρ of each group by its own draws, [groups]; 0 where the distribution is known."""
        groups = trunk.groups
        unknown = np.flatnonzero(~groups.view("known"))
        rho = np.zeros(groups.used)
        size, samples = groups.size[unknown], np.maximum(groups.samples[unknown], 1)
        if self.radius == "anytime":
            failure = 1.0 - self.level
            failure = failure if trunk.families is None else SHARE * failure
            rho[unknown] = anytime(size, samples, groups.index[unknown], failure)
        elif len(unknown):
            rho[unknown] = paper(size, samples, playthroughs, _bounded(trunk), trunk.players)
        rho[unknown[groups.samples[unknown] == 0]] = 1.0
        return np.minimum(scale * rho, 1.0)

    def family_radii(self, trunk: Trunk, sizes: Longs, samples: Longs, playthroughs: int, scale: float) -> Floats:
        """Return ρ of each family, [families], from the numbers of its outcomes and draws."""
        drawn = np.maximum(samples, 1)
        if self.radius == "anytime":
            indices = np.arange(1, len(sizes) + 1)
            return scale * anytime(sizes, drawn, indices, (1.0 - SHARE) * (1.0 - self.level))
        return scale * paper(sizes, drawn, playthroughs, _bounded(trunk), trunk.players)

    def estimates(self, trunk: Trunk, playthroughs: int, scale: float = 1.0) -> Estimates:
        """Return the radius of each group and the frequencies of outcomes; `scale` multiplies radii, but not δ.

        A group of a family takes the family's frequencies and radius if that radius is smaller.
        """
        groups, slots, families = trunk.groups, trunk.slots, trunk.families
        rho, owner, count = self.radii(trunk, playthroughs, scale), slots.view("group"), slots.view("count")
        odds = slots.view("odds")
        shares = np.where(np.isnan(odds), count / np.maximum(groups.samples[owner], 1), odds)
        if families is None or len(families) == 0:
            return Estimates(rho, shares)
        family, size = families.column(groups.used), np.array(families.size)
        member, samples = np.flatnonzero(family != NONE), groups.view("samples")
        drawn = np.bincount(family[member], samples[member], len(families)).astype(np.int64)
        mine, own, all_drawn = family[member], samples[member], drawn[family[member]]
        radius = self.family_radii(trunk, size, drawn, playthroughs, scale)
        others = (all_drawn - own) / np.maximum(all_drawn, 1)
        pooled = np.minimum(radius[mine] + np.array(families.apart)[mine] * others, 1.0)
        better = (all_drawn > own) & (pooled < rho[member])
        rho[member[better]] = pooled[better]
        begin = np.cumsum(size) - size
        inside = np.flatnonzero(family[owner] != NONE)
        place = begin[family[owner[inside]]] + slots.view("outcome")[inside]
        counts = np.bincount(place, count[inside], int(size.sum()))
        taken = np.zeros(groups.used, np.bool_)
        taken[member[better]] = True
        taken = taken[owner[inside]]
        shares[inside[taken]] = (counts[place] / np.maximum(drawn[family[owner[inside]]], 1))[taken]
        return Estimates(rho, shares)


def _bounded(trunk: Trunk) -> int:
    """Return the number of distributions that are bounded together: groups with unknown odds, and families."""
    return trunk.unknown + (0 if trunk.families is None else len(trunk.families))


@dataclass(frozen=True)
class Pseudogame:
    """The sequence form of a trunk with both payoffs, frozen at one moment."""

    sequences: tuple[int, int]
    sets: tuple[Sets, Sets]  # for each player: parent, first, size, [sets] each
    entries: tuple[Ints, Ints]  # [entries]  the pairs of sequences with a payoff
    payoffs: Pair  # [entries]  to player 0, too low and too high; chance folded in
    low: float
    """By the bounds alone, player 0 gains at least this and at most `high` under any strategies."""
    high: float
    nodes: Pair  # [nodes]  the payoff of each node in either game, times the probability that chance leads there

    @staticmethod
    def of(trunk: Trunk, chance: Estimates) -> Pseudogame:
        """Fold chance into the payoffs of a trunk."""
        nodes = trunk.nodes
        low, high = nodes.view("least")[:, 0], nodes.view("most")[:, 0]
        payoffs = _payoffs(trunk, low, high, chance)
        both = nodes.view("sequence")[:, 0], nodes.view("sequence")[:, 1]
        key = both[0].astype(np.int64) * trunk.sets[1].sequences + both[1]
        paying = np.flatnonzero((payoffs[LOWER] != 0) | (payoffs[UPPER] != 0))
        pairs, entry = np.unique(key[paying], return_inverse=True)
        first, second = np.divmod(pairs, trunk.sets[1].sequences)
        lower, upper = (np.bincount(entry, payoff[paying], len(pairs)).astype(np.float64) for payoff in payoffs)
        root_gain = 0.0 if nodes.kind[ROOT] == LEAF else float(nodes.gain[ROOT, 0])
        return Pseudogame(
            (trunk.sets[0].sequences, trunk.sets[1].sequences),
            (_columns(trunk, 0), _columns(trunk, 1)),
            (first.astype(np.int32), second.astype(np.int32)),
            (lower, upper),
            root_gain + float(low[ROOT]),
            root_gain + float(high[ROOT]),
            payoffs,
        )

    @cached_property
    def _order(self) -> tuple[Longs, Ints, Longs, Longs, Longs]:
        """The common part of both games: the entries in order of the second player, and the beginnings of rows."""
        first, second = self.entries
        order = np.argsort(second, kind="stable")
        count, (mine, theirs) = len(first), self.sequences
        rows = np.concatenate(
            (
                [0],
                np.cumsum(np.bincount(first, minlength=mine)),
                count + np.cumsum(np.bincount(second, minlength=theirs)),
            )
        ).astype(np.int64)
        other = np.concatenate((second + mine, first[order])).astype(np.int32)[None]
        begins = np.array([0, mine, mine + theirs], np.int64)
        set_begins = np.array([0, len(self.sets[0][0]), len(self.sets[0][0]) + len(self.sets[1][0])], np.int64)
        return order, other, rows, begins, set_begins

    @cached_property
    def flats(self) -> tuple[Flat, Flat]:
        """Both games in the form for the full-width kernels."""
        order, other, rows, begins, set_begins = self._order
        (parent0, first0, size0), (parent1, first1, size1) = self.sets
        shift = self.sequences[0]
        columns: dict[str, Any] = {
            "sequence_begin": begins,
            "set_begin": set_begins,
            "first": np.concatenate((first0, first1 + shift)).astype(np.int32),
            "size": np.concatenate((size0, size1)).astype(np.int32),
            "parent": np.concatenate((parent0, parent1 + shift)).astype(np.int32),
            "row_begin": rows,
            "other": other,
        }
        lower, upper = (Flat(**columns, payoff=np.concatenate((payoff, -payoff[order]))) for payoff in self.payoffs)
        return lower, upper

    def best(self, side: int, player: int, strategies: Pair) -> tuple[float, Ints]:
        """Return the value of a best response of `player`, and its action at each set; ties go to the first action."""
        flat = self.flats[side]
        reach, worth = np.zeros(sum(self.sequences)), np.zeros(sum(self.sequences))
        passes.spread(flat, 1 - player, np.concatenate(strategies), reach)
        passes.gradient(flat, player, reach, worth)
        choices = np.zeros(len(flat.first), np.int32)
        value = float(passes.respond(flat, player, worth, choices))
        return value, choices[flat.set_begin[player] : flat.set_begin[player + 1]]

    def guarantees(self, strategies: Pair) -> tuple[float, float]:
        """Return the least that player 0's strategy earns, α̂*(x), and the most that player 1's leaves it, β̂*(y)."""
        return -self.best(LOWER, 1, strategies)[0], self.best(UPPER, 0, strategies)[0]

    def uniform(self) -> Pair:
        """Return uniform play."""
        return [np.concatenate(([1.0], np.repeat(1.0 / size, size))) for _, _, size in self.sets]


def _columns(trunk: Trunk, player: int) -> tuple[Ints, Ints, Ints]:
    rows = trunk.sets[player].rows
    return rows.view("parent").copy(), rows.view("first").copy(), rows.view("size").copy()


def _payoffs(trunk: Trunk, low: Floats, high: Floats, chance: Estimates) -> Pair:
    """Return the payoffs of nodes, times the probability that chance leads there, [nodes] each."""
    nodes, groups, rho = trunk.nodes, trunk.groups, chance.rho
    kind, parent = nodes.view("kind"), np.ascontiguousarray(nodes.view("parent"))
    slot = nodes.view("slot")
    probability = np.ones(nodes.used)
    probability[slot != NONE] = chance.shares[slot[slot != NONE]]
    reach = np.empty(nodes.used)
    trunks.spread(parent, probability, reach)
    gain = nodes.view("gain")[:, 0]
    lower, upper = np.where(kind == LEAF, low, gain), np.where(kind == LEAF, high, gain)
    draws = np.flatnonzero(kind == CHANCE)
    group = nodes.group[draws]
    error = rho[group] * (high[draws] - low[draws])
    lower[draws] -= error
    upper[draws] += error
    late = draws[groups.open[group]]
    if len(late):  # outcomes seen in the group but not here may pay anything within bounds
        share = np.zeros(nodes.used)
        trunks.gather(parent, probability, share)
        missing = np.maximum(1.0 - share[late], 0.0)
        lower[late] += missing * low[late]
        upper[late] += missing * high[late]
    return lower * reach, upper * reach
