"""Recompute what the sums over the rounds of Algorithm 7.2 prove about its averages (section 7.3).

The sums themselves cannot be recomputed from counts: each round had a pseudogame and strategies of its own. So they are
believed, or the certification is reproduced. Everything that follows from the sums is computed here, rounded up.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np

from hannan.verifier.gap import Numbers
from hannan.verifier.reader import Arrays
from hannan.verifier.structure import CHANCE, LEAF, Checked
from hannan.verifier.verdict import need

SHARE = Decimal("0.01")
"""The share of the failure probability for sampled rounds. The remainder is for counts."""

FIELDS = {"kind", "count", "power", "epsilon", "sampling", "of"}
RATES = 200
"""How many rates are tried for each sequence; any of them gives a bound."""

MARGIN = 1e-12
"""A relative margin that exceeds the rounding errors of the float computations here."""


def check_rounds(arrays: Arrays, facts: dict[str, Any]) -> None:
    """Reject sums over rounds that are incomplete, or that no certificate can have."""
    rounds = facts.get("rounds")
    if rounds is None:
        need(facts.get("rounds_gap") is None, "it states rounds_gap, and has no sums over rounds")
        return
    need(rounds.keys() == FIELDS, "its record of rounds has other entries than that of a certificate")
    need(facts["gaps"] is None, "it certifies correlated play, and has sums over rounds")
    need(facts["radius"] == "anytime", "its rounds need a radius that holds at all times together")
    kind, count, power, of = (rounds[name] for name in ("kind", "count", "power", "of"))
    need(kind in ("exact", "sampled"), f"rounds of kind {kind!r:.40} are not known")
    need(type(count) is int and 0 <= count <= facts["playthroughs"], "it has more rounds than playthroughs")
    need(type(power) is int and 0 <= power <= 2, "the power that weighs its rounds should be 0, 1 or 2")
    need(isinstance(of, list) and of in ([], [0], [1], [0, 1]), "the players of its rounds should be 0 and 1")
    need(all(count and 1 - player < facts["players"] for player in of), "a guarantee rests on rounds that do not exist")
    epsilon, sampling = rounds["epsilon"], rounds["sampling"]
    if kind == "sampled":
        need(type(epsilon) is float and 0 < epsilon <= 1, "the epsilon of its walks should be above 0 and at most 1")
        need(sampling in ("uniform", "balanced"), f"walks of kind {sampling!r:.40} are not known")
    else:
        need(epsilon is None and sampling is None, "exact rounds should have neither epsilon nor sampling")
    for player in range(facts["players"]):
        sums = arrays[f"rounds{player}"]
        need(len(sums) == 1 + int(arrays[f"set{player}_size"].sum()), "the sums over rounds are of another trunk")
        need(bool(np.isfinite(sums).all()), "a sum over rounds is not a finite number")
        need(kind == "exact" or bool((sums >= 0).all()), "a sum over sampled rounds is negative")


def counted_share(facts: dict[str, Any]) -> Decimal:
    """Return the share of the failure probability for counts."""
    rounds = facts.get("rounds")
    return 1 - SHARE if rounds is not None and rounds["kind"] == "sampled" else Decimal(1)


def most(trunk: Checked, facts: dict[str, Any], player: int, numbers: Numbers) -> Any:
    """Return the most that a player can earn against the averages of the other player, by the sums; rounded up."""
    rounds, lists = facts["rounds"], trunk.arrays
    count = rounds["count"]
    weight = (count, count * (count + 1) // 2, count * (count + 1) * (2 * count + 1) // 6)[rounds["power"]]
    sums, base = lists[f"rounds{player}"], numbers.number(0)
    if rounds["kind"] == "sampled":
        sums, base = _raised(trunk, facts, player, np.array(sums)), _sure(trunk, player, numbers)
    worth = [numbers.over(numbers.number(amount), weight, up=True) for amount in sums]
    columns = [*zip(*(lists[f"set{player}_{name}"] for name in ("parent", "first", "size")), strict=True)]
    for above, first, size in reversed(columns):
        worth[above] = numbers.add(worth[above], max(worth[first : first + size]), up=True)
    return numbers.add(base, worth[0], up=True)


def _raised(trunk: Checked, facts: dict[str, Any], player: int, sums: Any) -> list[float]:
    """Return upper bounds on the sums of conditional means, by Ville's inequality at the best of `RATES` rates."""
    low, high = trunk.of("low", 0)[0], trunk.of("high", 0)[0]
    wide = (high - low) * (1 + MARGIN)
    if wide == 0:
        return [0.0] * len(sums)
    rounds = facts["rounds"]
    heaviest = float(rounds["count"]) ** rounds["power"]
    cap = heaviest * wide * (1 + _unknown(trunk)) / _odds(trunk, player, rounds) * (1 + MARGIN)
    failure = float((1 - Decimal(repr(facts["confidence"]))) * SHARE / trunk.players)
    j = np.arange(1.0, len(sums) + 1.0)
    least = np.full(len(sums), np.inf)
    for k in range(RATES):
        rate = 2.0 ** (-k / 2) / wide
        logs = np.log(j * (j + 1)) - math.log(failure) + math.log((k + 1) * (k + 2))
        least = np.minimum(least, (rate * sums + logs) * cap / -np.expm1(-rate * cap))
    raised: list[float] = (least * (1 + MARGIN)).tolist()
    return raised


def _unknown(trunk: Checked) -> int:
    """Return the largest number of chance nodes with unknown odds on a path."""
    lists = trunk.arrays
    depth: list[int] = []
    columns = zip(*(lists[f"node_{name}"] for name in ("parent", "kind", "group")), strict=True)
    for node, (parent, kind, group) in enumerate(columns):
        above = depth[parent] if node else 0
        depth.append(above + (kind == CHANCE and not lists["group_known"][group]))
    return max(depth)


def _odds(trunk: Checked, player: int, rounds: dict[str, Any]) -> Any:
    """Return the least probability with which a walker's own choices led to each of its sequences."""
    lists, epsilon = trunk.arrays, rounds["epsilon"]
    columns = [*zip(*(lists[f"set{player}_{name}"] for name in ("parent", "first", "size")), strict=True)]
    total = 1 + sum(size for _, _, size in columns)
    if rounds["sampling"] == "balanced":
        ends = [1] * total
        for above, first, size in reversed(columns):
            ends[above] = max(ends[above], sum(ends[first : first + size]))
        return np.full(total, epsilon / ends[0])
    odds = np.ones(total)
    for above, first, size in columns:
        odds[first : first + size] = odds[above] * epsilon / size
    return odds


def _sure(trunk: Checked, player: int, numbers: Numbers) -> Any:
    """Return the least that a player gains, by the bounds at the root; rounded up, because it is added."""
    gain = 0.0 if trunk.arrays["node_kind"][0] == LEAF else trunk.of("gain", 0)[0]
    bound = trunk.of("low", 0)[0] if player == 0 else trunk.of("high", 0)[0]
    sign = 1 if player == 0 else -1
    return numbers.add(numbers.number(sign * gain), numbers.number(sign * bound), up=True)
