"""Recompute what strategies guarantee on a trunk: radii from counts, then a best response against each strategy."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

from hannan.verifier.arithmetic import Outward, radius_anytime, radius_paper
from hannan.verifier.structure import CHANCE, LEAF, NONE, SLACK, Checked
from hannan.verifier.verdict import need

Numbers = type[Outward]

FAMILY_SHARE = Decimal("0.5")
"""The share of the failure probability for families of similar chance nodes, if the file has families."""


def radii(
    trunk: Checked, radius: str, confidence: float, share: Decimal, playthroughs: int, numbers: Numbers
) -> list[Any]:
    """Return ρ of each group, rounded up; 0 if its distribution is known.

    share: the part of the failure probability that is for counts.
    """
    lists = trunk.arrays
    unknown = sum(not known for known in lists["group_known"])
    if trunk.similar:
        unknown, share = unknown + len(lists["family_apart"]), share * (1 - FAMILY_SHARE)
    rho: list[Any] = []
    columns = zip(*(lists[f"group_{name}"] for name in ("size", "samples", "index", "known")), strict=True)
    for size, samples, index, known in columns:
        if known:
            rho.append(numbers.number(0))
        elif samples == 0:
            rho.append(numbers.number(1))
        else:
            if radius == "anytime":
                exact = radius_anytime(size, samples, index, confidence, share)
            else:
                exact = radius_paper(size, samples, playthroughs, unknown, trunk.players)
            rho.append(numbers.times(numbers.number(exact), numbers.number(1), up=True))
    return rho


@dataclass(frozen=True)
class Draws:
    """The draws that each group of chance uses: its own, or those of its family."""

    rho: list[Any]
    """How far the frequencies may be from the probabilities, rounded up."""
    family: list[int]
    """The family whose draws a group uses, NONE if it uses its own."""
    counts: list[list[int]]
    """For each family, how often each outcome was drawn."""


def draws(trunk: Checked, rho: list[Any], radius: str, confidence: float, playthroughs: int, numbers: Numbers) -> Draws:
    """Return the draws that each group uses: its own or its family's, whichever have the smaller radius.

    rho: the radii of groups by their own draws. If a share f of a family's draws came from a group, the group's
    distribution is within (1 - f)·δ of the mean of the distributions that were drawn from.
    """
    lists = trunk.arrays
    family = [NONE] * len(rho)
    if not trunk.similar:
        return Draws(rho, family, [])
    belongs, apart, samples = (lists[name] for name in ("group_family", "family_apart", "group_samples"))
    size = [0] * len(apart)
    for of, many in zip(belongs, lists["group_size"], strict=True):
        if of != NONE:
            size[of] = many
    counts = [[0] * many for many in size]
    for group, outcome, count in zip(*(lists[f"slot_{name}"] for name in ("group", "outcome", "count")), strict=True):
        if belongs[group] != NONE:
            counts[belongs[group]][outcome] += count
    bounded = sum(not known for known in lists["group_known"]) + len(apart)
    rho = list(rho)
    for of, (many, counted) in enumerate(zip(size, counts, strict=True)):
        drawn = sum(counted)
        if drawn == 0:
            continue
        if radius == "anytime":
            exact = radius_anytime(many, drawn, of + 1, confidence, FAMILY_SHARE)
        else:
            exact = radius_paper(many, drawn, playthroughs, bounded, trunk.players)
        shared = numbers.times(numbers.number(exact), numbers.number(1), up=True)
        for group, own in enumerate(samples):
            if belongs[group] != of or own == drawn:
                continue
            others = numbers.over(drawn - own, drawn, up=True)
            far = numbers.times(numbers.number(apart[of]), others, up=True)
            both = numbers.add(shared, far, up=True)
            if both < rho[group]:
                rho[group], family[group] = both, of
    return Draws(rho, family, counts)


def narrowed(trunk: Checked, utility: int, numbers: Numbers) -> tuple[list[Any], list[Any]]:
    """Return the bounds of nodes, narrowed by the bounds of their children if all of these are there; rounded outward.

    The utility through a child lies within the bounds of its parent. If it leaves them, the file is rejected.
    """
    lists = trunk.arrays
    parent, kind, gain = lists["node_parent"], lists["node_kind"], trunk.of("gain", utility)
    lows, highs = trunk.of("low", utility), trunk.of("high", utility)
    low, high = (list(map(numbers.number, side)) for side in (lows, highs))
    least: list[Any] = [None] * len(parent)
    most: list[Any] = [None] * len(parent)
    for node in range(len(parent) - 1, -1, -1):
        if trunk.closed[node]:
            low[node], high[node] = max(low[node], least[node]), min(high[node], most[node])
        if node:
            above = parent[node]
            one, other = low[node], high[node]
            if kind[node] != LEAF:
                one = numbers.add(numbers.number(gain[node]), one, up=False)
                other = numbers.add(numbers.number(gain[node]), other, up=True)
            slack = SLACK * max(1.0, abs(lows[above]), abs(highs[above]))
            need(one >= lows[above] - slack and other <= highs[above] + slack, "a utility leaves its bounds")
            least[above] = one if least[above] is None else min(least[above], one)
            most[above] = other if most[above] is None else max(most[above], other)
    return low, high


def reaches(trunk: Checked, player: int, strategy: list[float], numbers: Numbers) -> tuple[list[Any], list[Any]]:
    """Return the least and the most probability with which a player's own choices lead to each of its sequences."""
    lists = trunk.arrays
    total = 1 + sum(lists[f"set{player}_size"])
    need(len(strategy) == total, f"the strategy of player {player} has {len(strategy)} numbers for {total} sequences")
    need(strategy[0] == 1, f"the strategy of player {player} does not begin with 1")
    one = numbers.number(1)
    low: list[Any] = [one] * total
    high: list[Any] = [one] * total
    columns = zip(*(lists[f"set{player}_{name}"] for name in ("parent", "first", "size")), strict=True)
    for above, first, size in columns:
        plays = strategy[first : first + size]
        need(all(0 <= p <= 1 for p in plays), f"the strategy of player {player} has a number that is not a probability")
        need(abs(sum(plays) - 1) <= 1e-6, f"the strategy of player {player} does not sum to 1 at a set")
        least = most = numbers.number(0)
        for p in plays:
            least, most = numbers.add(least, numbers.number(p), False), numbers.add(most, numbers.number(p), True)
        for k, p in enumerate(plays):
            if p == 0:
                low[first + k] = high[first + k] = numbers.number(0)
                continue
            least_share = numbers.over(numbers.number(p), most, up=False)
            most_share = numbers.over(numbers.number(p), least, up=True)
            low[first + k] = max(numbers.times(low[above], least_share, up=False), numbers.number(0))
            high[first + k] = min(numbers.times(high[above], most_share, up=True), one)
    return low, high


def chances(trunk: Checked, drawn: Draws, numbers: Numbers) -> tuple[list[Any], list[Any]]:
    """Return the least and the most probability with which chance, by its frequencies or odds, leads to each node."""
    lists = trunk.arrays
    shares: list[tuple[Any, Any]] = []
    slots = zip(*(lists[f"slot_{name}"] for name in ("group", "outcome", "count", "odds")), strict=True)
    for group, outcome, count, odds in slots:
        samples, family = lists["group_samples"][group], drawn.family[group]
        if family != NONE:
            count, samples = drawn.counts[family][outcome], sum(drawn.counts[family])
        if lists["group_known"][group]:
            shares.append((numbers.number(odds), numbers.number(odds)))
        elif count == 0:
            shares.append((numbers.number(0), numbers.number(0)))
        else:
            shares.append((numbers.over(count, samples, up=False), numbers.over(count, samples, up=True)))
    low, high = [numbers.number(1)], [numbers.number(1)]
    for node in range(1, len(lists["node_parent"])):
        above, slot = lists["node_parent"][node], lists["node_slot"][node]
        if slot == NONE:
            low.append(low[above])
            high.append(high[above])
        else:
            least, most = shares[slot]
            low.append(max(numbers.times(low[above], least, up=False), numbers.number(0)) if most else least)
            high.append(numbers.times(high[above], most, up=True) if most else most)
    return low, high


@dataclass(frozen=True)
class Pseudogame:
    """A trunk with its radii: what nodes pay, and with which probability chance leads to them."""

    trunk: Checked
    rho: list[Any]
    bounds: list[tuple[list[Any], list[Any]]]
    """For each player whose gains are kept, the narrowed bounds of all nodes."""
    chance: tuple[list[Any], list[Any]]
    numbers: Numbers
    sequences: list[Any]
    """For each player, its sequence at every node."""
    reached: dict[tuple[int, int], tuple[Any, Any, list[float]]] = field(default_factory=dict)
    """Results of `reach` by player and id of the strategy, each with the strategy, so that its id stays in use."""

    @staticmethod
    def of(trunk: Checked, drawn: Draws, numbers: Numbers) -> Pseudogame:
        """Compute bounds and chance."""
        bounds = [narrowed(trunk, utility, numbers) for utility in range(trunk.utilities)]
        sequences = [np.array(trunk.arrays[f"node_sequence{seat}"], np.int64) for seat in range(trunk.seats)]
        return Pseudogame(trunk, drawn.rho, bounds, chances(trunk, drawn, numbers), numbers, sequences)

    def between(self, player: int) -> tuple[list[Any], list[Any]]:
        """Return the bounds on what a player gains after each node (for a leaf, from the node on)."""
        if self.trunk.utilities > 1 or player == 0:
            return self.bounds[player]
        low, high = self.bounds[0]
        return [-bound for bound in high], [-bound for bound in low]

    def gain(self, player: int, node: int) -> Any:
        """Return what a player gained on reaching a node."""
        alone = self.trunk.utilities == 1
        gain = self.numbers.number(self.trunk.of("gain", 0 if alone else player)[node])
        return -gain if alone and player == 1 else gain

    def wide(self, player: int) -> Any:
        """Return the most minus the least that a player can gain, by the bounds alone; rounded up."""
        low, high = self.between(player)
        return self.numbers.add(high[0], -low[0], up=True)

    def least(self, player: int) -> Any:
        """Return the least that a player can gain, by the bounds alone; rounded down."""
        low = self.between(player)[0][0]
        if self.trunk.arrays["node_kind"][0] == LEAF:
            return low
        return self.numbers.add(self.gain(player, 0), low, up=False)

    def pays(self, player: int, sign: int) -> list[Any]:
        """Return each node's payoff to a player in its optimistic game; for sign -1, minus that in its pessimistic one.

        Rounded up. An outcome that came elsewhere in an open group, but never at the node, pays the extreme bound.
        """
        lists, numbers = self.trunk.arrays, self.numbers
        low, high = self.between(player)
        missing = _missing(self.trunk)
        payoffs = []
        for node, kind in enumerate(lists["node_kind"]):
            best = high[node] if sign > 0 else -low[node]
            if kind == LEAF:
                payoffs.append(best)
                continue
            payoff = self.gain(player, node) * sign
            if kind == CHANCE:
                width = numbers.add(high[node], -low[node], up=True)
                payoff = numbers.add(
                    payoff, numbers.times(self.rho[lists["node_group"][node]], width, up=True), up=True
                )
                if node in missing:
                    share = numbers.over(*missing[node], up=best > 0)
                    payoff = numbers.add(payoff, numbers.times(share, best, up=True), up=True)
            payoffs.append(payoff)
        return payoffs

    def total(self, pays: list[Any], joint: list[list[list[float]]], players: list[int], own: int | None) -> list[Any]:
        """Return expected payoffs, rounded up, if these players follow profiles drawn from `joint`.

        The result has one number for each sequence of player `own`, whose choices stay open; one number in all if `own`
        is None.
        """
        numbers, trunk = self.numbers, self.trunk
        count = 1 if own is None else 1 + sum(trunk.arrays[f"set{own}_size"])
        payoff, (least, most) = numbers.array(pays), (numbers.array(side) for side in self.chance)
        nodes = np.flatnonzero((payoff != 0) & (most != 0))
        payoff = payoff[nodes]
        up = (payoff > 0).astype(bool)
        chance = np.where(up, most[nodes], least[nodes])
        places = np.zeros(len(nodes), np.int64) if own is None else self.sequences[own][nodes]
        parts: list[list[Any]] = [[] for _ in range(count)]
        for profile in joint:
            weight = chance
            for p in players:
                low, high = self.reach(p, profile[p])
                at = self.sequences[p][nodes]
                weight = numbers.products(weight, np.where(up, high[at], low[at]), up)
                weight = np.where(high[at] != 0, weight, 0 * weight)
            some = np.flatnonzero(weight > 0)
            terms = numbers.products(weight[some], payoff[some], np.full(len(some), True))
            order = np.argsort(places[some], kind="stable")
            sorted_places, terms = places[some][order], terms[order].tolist()
            begins = np.flatnonzero(np.diff(sorted_places, prepend=-1)).tolist()
            for begin, end in zip(begins, [*begins, len(terms)][1:], strict=True):
                parts[sorted_places[begin]].append(numbers.total(terms[begin:end]))
        many = len(joint)
        return [numbers.over(numbers.total(part), many, up=True) if part else numbers.number(0) for part in parts]

    def reach(self, player: int, strategy: list[float]) -> tuple[Any, Any]:
        """Return the least and the most reach of each sequence under one strategy; computed once per strategy."""
        known = self.reached.get((player, id(strategy)))
        if known is None:
            low, high = reaches(self.trunk, player, strategy, self.numbers)
            known = self.reached[player, id(strategy)] = self.numbers.array(low), self.numbers.array(high), strategy
        return known[:2]

    def best(self, player: int, joint: list[list[list[float]]]) -> Any:
        """Return the most that a player can earn against the others, whatever it does; rounded up."""
        lists, numbers = self.trunk.arrays, self.numbers
        others = [p for p in range(self.trunk.seats) if p != player]
        worth = self.total(self.pays(player, 1), joint, others, player)
        columns = [*zip(*(lists[f"set{player}_{name}"] for name in ("parent", "first", "size")), strict=True)]
        for above, first, size in reversed(columns):
            worth[above] = numbers.add(worth[above], max(worth[first : first + size]), up=True)
        return worth[0]

    def gap(self, player: int, joint: list[list[list[float]]]) -> Any:
        """Return the most that a player could add to joint play by deviating alone; rounded up."""
        everybody = list(range(self.trunk.seats))
        (less,) = self.total(self.pays(player, -1), joint, everybody, None)
        return min(self.numbers.add(self.best(player, joint), less, up=True), self.wide(player))


def _missing(trunk: Checked) -> dict[int, tuple[int, int]]:
    """Return for open chance nodes the draws of the group whose outcomes never came at the node, and all its draws."""
    lists = trunk.arrays
    shares: dict[int, list[int]] = {}
    for node in range(1, len(lists["node_parent"])):
        above = lists["node_parent"][node]
        if lists["node_kind"][above] == CHANCE and not trunk.closed[above]:
            shares.setdefault(above, []).append(lists["slot_count"][lists["node_slot"][node]])
    missing = {}
    for node, counts in shares.items():
        samples = lists["group_samples"][lists["node_group"][node]]
        if samples > sum(counts):
            missing[node] = samples - sum(counts), samples
    return missing
