"""What strategies guarantee on a trunk, recomputed: radii from counts, then a best response against each strategy."""

from __future__ import annotations

from typing import Any

from hannan.verifier.arithmetic import Outward, radius_anytime, radius_paper
from hannan.verifier.structure import CHANCE, LEAF, NONE, Checked, need

Numbers = type[Outward]


def radii(trunk: Checked, radius: str, confidence: float, playthroughs: int, numbers: Numbers) -> list[Any]:
    """Return ρ of each group, rounded up; 0 where the distribution is known."""
    lists = trunk.arrays
    unknown = sum(not known for known in lists["group_known"])
    rho: list[Any] = []
    columns = zip(*(lists[f"group_{name}"] for name in ("size", "samples", "index", "known")), strict=True)
    for size, samples, index, known in columns:
        if known:
            rho.append(numbers.number(0))
        elif samples == 0:
            rho.append(numbers.number(1))
        else:
            if radius == "anytime":
                exact = radius_anytime(size, samples, index, confidence)
            else:
                exact = radius_paper(size, samples, playthroughs, unknown, trunk.players)
            rho.append(numbers.times(numbers.number(exact), numbers.number(1), up=True))
    return rho


def narrowed(trunk: Checked, numbers: Numbers) -> tuple[list[Any], list[Any]]:
    """Return the bounds of nodes, no wider than what children bring where all of them are there; rounded outward."""
    lists = trunk.arrays
    parent, kind, gain = lists["node_parent"], lists["node_kind"], lists["node_gain"]
    low, high = list(map(numbers.number, lists["node_low"])), list(map(numbers.number, lists["node_high"]))
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
            least[above] = one if least[above] is None else min(least[above], one)
            most[above] = other if most[above] is None else max(most[above], other)
    return low, high


def reaches(trunk: Checked, player: int, strategy: list[float], numbers: Numbers) -> tuple[list[Any], list[Any]]:
    """Return the least and the most probability with which a player's own choices lead to each of its sequences."""
    lists = trunk.arrays
    total = 1 + sum(lists[f"set{player}_size"])
    need(len(strategy) == total, f"the strategy of player {player} has {len(strategy)} numbers for {total} sequences")
    one = numbers.number(1)
    low: list[Any] = [one] * total
    high: list[Any] = [one] * total
    columns = zip(*(lists[f"set{player}_{name}"] for name in ("parent", "first", "size")), strict=True)
    for above, first, size in columns:
        plays = strategy[first : first + size]
        need(all(0 <= p <= 1 for p in plays), f"the strategy of player {player} has a number that is no probability")
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


def chances(trunk: Checked, numbers: Numbers) -> tuple[list[Any], list[Any]]:
    """Return the least and the most probability with which chance, by its frequencies or odds, leads to each node."""
    lists = trunk.arrays
    shares: list[tuple[Any, Any]] = []
    slots = zip(*(lists[f"slot_{name}"] for name in ("group", "count", "odds")), strict=True)
    for group, count, odds in slots:
        if lists["group_known"][group]:
            shares.append((numbers.number(odds), numbers.number(odds)))
        elif count == 0:
            shares.append((numbers.number(0), numbers.number(0)))
        else:
            samples = lists["group_samples"][group]
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


def guarantee(
    trunk: Checked, player: int, strategy: list[float], rho: list[Any], bounds: tuple[list[Any], list[Any]],
    chance: tuple[list[Any], list[Any]], numbers: Numbers,
) -> Any:  # fmt: skip
    """Return what a player's strategy earns it at least against any play of the other, rounded down."""
    lists, other, zero = trunk.arrays, 1 - player, numbers.number(0)
    own_low, own_high = reaches(trunk, player, strategy, numbers)
    mine, theirs = trunk.sequences[player], trunk.sequences[other]
    worth: list[Any] = [zero] * (1 + sum(lists[f"set{other}_size"]))
    for node, kind in enumerate(lists["node_kind"]):
        least = numbers.times(chance[0][node], own_low[mine[node]], up=False)
        most = numbers.times(chance[1][node], own_high[mine[node]], up=True)
        if not own_high[mine[node]] or not chance[1][node]:
            continue
        low, high = (bounds[0][node], bounds[1][node]) if player == 0 else (-bounds[1][node], -bounds[0][node])
        if kind == LEAF:
            payoff = low
        else:
            payoff = numbers.number(lists["node_gain"][node])
            payoff = payoff if player == 0 else -payoff
            if kind == CHANCE:
                width = numbers.add(high, -low, up=True)
                payoff = numbers.add(payoff, -numbers.times(rho[lists["node_group"][node]], width, up=True), up=False)
        if payoff:
            earned = numbers.times(max(least, zero) if payoff > 0 else most, payoff, up=False)
            worth[theirs[node]] = numbers.add(worth[theirs[node]], earned, up=False)
    _add_missing(trunk, player, worth, (own_low, own_high), bounds, chance, numbers)
    columns = [*zip(*(lists[f"set{other}_{name}"] for name in ("parent", "first", "size")), strict=True)]
    for above, first, size in reversed(columns):
        worth[above] = numbers.add(worth[above], min(worth[first : first + size]), up=False)
    return worth[0]


def _add_missing(
    trunk: Checked, player: int, worth: list[Any], own: tuple[list[Any], list[Any]],
    bounds: tuple[list[Any], list[Any]], chance: tuple[list[Any], list[Any]], numbers: Numbers,
) -> None:  # fmt: skip
    """Let outcomes that came elsewhere in an open group, and never at a node of it, pay the worst within bounds."""
    lists = trunk.arrays
    shares: dict[int, list[int]] = {}
    for node in range(1, len(lists["node_parent"])):
        above = lists["node_parent"][node]
        if lists["node_kind"][above] == CHANCE and not trunk.closed[above]:
            shares.setdefault(above, []).append(lists["slot_count"][lists["node_slot"][node]])
    for node, counts in shares.items():
        samples = lists["group_samples"][lists["node_group"][node]]
        missing = samples - sum(counts)
        if missing == 0:
            continue
        mine, theirs = trunk.sequences[player][node], trunk.sequences[1 - player][node]
        low = bounds[0][node] if player == 0 else -bounds[1][node]
        up = low < 0
        share = numbers.times(numbers.over(missing, samples, up), chance[1 if up else 0][node], up)
        share = numbers.times(share, own[1 if up else 0][mine], up)
        worth[theirs] = numbers.add(worth[theirs], numbers.times(share, low, up=False), up=False)
