"""What follows from a file that the auditor passed: radii, bounds and gaps, computed once more, node by node.

Plain recursion over floats, without outward rounding: a verifier's gap may be above this one, and not below it.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property
from math import expm1, log, sqrt
from typing import Any

import numpy as np

from tests.forge.auditor import CHANCE, CHOICE, LEAF, NONE, numbers_of, seats_of
from tests.forge.kit import Forged


class Pseudogame:
    """The trunk of a file: the game is known up to the radii of chance and the bounds of leaves."""

    def __init__(self, forged: Forged) -> None:
        self.forged, self.columns = forged, {name: array.tolist() for name, array in forged.arrays.items()}
        self.players, self.seats = int(forged.facts["players"]), seats_of(forged)
        parents = self.columns["node_parent"]
        self.children: list[list[int]] = [[] for _ in parents]
        for node in range(1, len(parents)):
            self.children[parents[node]].append(node)
        self.kind = self.columns["node_kind"]

    @property
    def failure(self) -> float:
        """δ, of the confidence that the file writes, in decimals."""
        return float(1 - Decimal(repr(self.forged.facts["confidence"])))

    @property
    def sampled(self) -> bool:
        """Whether a hundredth of δ is for walks."""
        rounds = self.forged.facts.get("rounds")
        return rounds is not None and rounds["kind"] == "sampled"

    @cached_property
    def radii(self) -> list[float]:
        """ρ of each group."""
        facts, columns, result = self.forged.facts, self.columns, []
        failure = self.failure * (0.99 if self.sampled else 1.0)
        unknown = columns["group_known"].count(False)
        parts = (columns[f"group_{name}"] for name in ("size", "samples", "index", "known"))
        for size, samples, index, known in zip(*parts, strict=True):
            if known or samples == 0:
                result.append(0.0 if known else 1.0)
                continue
            if facts["radius"] == "anytime":
                logs = log(samples * (samples + 1)) + log(index * (index + 1)) - log(failure)
            else:
                logs = log(facts["playthroughs"] ** 2 * unknown * self.players)
            result.append(min(1.0, sqrt((size * log(2) + logs) / (2 * samples))))
        return result

    def worth(self, player: int, name: str) -> list[float]:
        """Return gains, or bounds, of one player; those of player 1 are minus those of player 0 in zero-sum games."""
        alone = numbers_of(self.forged) == [""]
        if not alone or player == 0:
            return list(self.columns[f"node_{name}{'' if alone else player}"])
        other = {"gain": "gain", "low": "high", "high": "low"}[name]
        return [-number for number in self.columns[f"node_{other}"]]

    def bounds(self, player: int) -> tuple[list[float], list[float]]:
        """Return the bounds of nodes, no wider than what children bring where all of them are there."""
        gain, low, high = (self.worth(player, name) for name in ("gain", "low", "high"))
        for node in range(len(self.kind) - 1, -1, -1):
            if self.kind[node] == CHOICE or (self.kind[node] == CHANCE and not self._open(node)):
                more = [(0.0 if self.kind[child] == LEAF else gain[child], child) for child in self.children[node]]
                low[node] = max(low[node], min(extra + low[child] for extra, child in more))
                high[node] = min(high[node], max(extra + high[child] for extra, child in more))
        return low, high

    def _open(self, node: int) -> bool:
        return bool(self.columns["group_open"][self.columns["node_group"][node]])

    def share(self, child: int) -> float:
        """Return the frequency, or the odds, with which chance leads to a child; 1 where players move."""
        slot = self.columns["node_slot"][child]
        if slot == NONE:
            return 1.0
        group = self.columns["slot_group"][slot]
        if self.columns["group_known"][group]:
            return float(self.columns["slot_odds"][slot])
        samples = self.columns["group_samples"][group]
        return self.columns["slot_count"][slot] / samples if samples else 0.0

    def pays(self, player: int, sign: int) -> list[float]:
        """Return what nodes pay at most (sign 1), or minus what they pay at least (sign -1)."""
        gain, (low, high) = self.worth(player, "gain"), self.bounds(player)
        result = []
        for node, kind in enumerate(self.kind):
            best = high[node] if sign > 0 else -low[node]
            if kind == LEAF:
                result.append(best)
                continue
            pay = sign * gain[node]
            if kind == CHANCE:
                group = self.columns["node_group"][node]
                pay += self.radii[group] * (high[node] - low[node])
                if self._open(node) and self.columns["group_samples"][group]:
                    pay += (1 - sum(map(self.share, self.children[node]))) * best
            result.append(pay)
        return result

    def reached(self, profile: list[list[float]], free: int | None) -> list[float]:
        """Return how likely chance and everybody but `free` leads to each node."""
        reach = [1.0]
        for node in range(1, len(self.kind)):
            above = self.columns["node_parent"][node]
            weight = reach[above] * self.share(node)
            for player in range(self.seats):
                before, after = (self.columns[f"node_sequence{player}"][place] for place in (above, node))
                if player != free and self.columns[f"node_set{player}"][above] != NONE:
                    weight *= profile[player][after]
                assert before == after or self.columns[f"node_set{player}"][above] != NONE
            reach.append(weight)
        return reach

    def best(self, player: int, joint: list[list[list[float]]]) -> float:
        """Return the most that a player earns against the others, in the game that is best for it."""
        pays = self.pays(player, 1)
        own = self.columns[f"node_sequence{player}"]
        earned = [0.0] * (1 + sum(self.columns[f"set{player}_size"]))
        for profile in joint:
            for node, weight in enumerate(self.reached(profile, player)):
                earned[own[node]] += weight * pays[node] / len(joint)
        sets = [*zip(*(self.columns[f"set{player}_{name}"] for name in ("parent", "first", "size")), strict=True)]
        for parent, first, size in reversed(sets):
            earned[parent] += max(earned[first : first + size])
        return earned[0]

    def least(self, player: int, joint: list[list[list[float]]]) -> float:
        """Return minus what a player earns at least where everybody follows the profiles."""
        pays, total = self.pays(player, -1), 0.0
        for profile in joint:
            total += sum(weight * pay for weight, pay in zip(self.reached(profile, None), pays, strict=True))
        return total / len(joint)

    def profiles(self) -> list[list[list[float]]]:
        """Return the strategies of the file, all sets summing to 1, and an idle player's beside one player's."""
        rows = [np.atleast_2d(self.forged.arrays[f"strategy{p}"]) for p in range(self.players)]
        joint: list[list[list[float]]] = []
        for k in range(len(rows[0])):
            profile = []
            for player, row in enumerate(rows):
                plays: Any = row[k].copy()
                sets = (self.columns[f"set{player}_{name}"] for name in ("first", "size"))
                for first, size in zip(*sets, strict=True):
                    plays[first : first + size] /= plays[first : first + size].sum()
                profile.append(plays.tolist())
            joint.append([*profile, *[[1.0]] * (self.seats - self.players)])
        return joint

    def gap(self, rounds: bool = False) -> float:
        """Return the gap that follows from counts, or from rounds too; of correlated play, the largest one."""
        joint = self.profiles()
        if self.forged.correlated:
            return max(min(self.best(p, joint) + self.least(p, joint), self._wide(p)) for p in range(self.players))
        earned = [max(-self.best(1 - player, joint), self._least(player)) for player in (0, 1)]
        for player in self.forged.facts["rounds"]["of"] if rounds else ():
            earned[player] = max(earned[player], -self.averaged(1 - player))
        return -sum(earned)

    def _least(self, player: int) -> float:
        return self.bounds(player)[0][0] + (0.0 if self.kind[0] == LEAF else self.worth(player, "gain")[0])

    def rounds_gap(self) -> float:
        """Return the gap that follows from the sums over rounds."""
        many = self.forged.facts["rounds"]["count"]
        return -sum(
            max(-self.averaged(1 - player), self._least(player))
            if many and 1 - player < self.players
            else self._least(player)
            for player in (0, 1)
        )

    def averaged(self, player: int) -> float:
        """Return what a player can earn against averages, by the sums over rounds."""
        rounds, sums = self.forged.facts["rounds"], list(self.columns[f"rounds{player}"])
        weight = sum(t ** rounds["power"] for t in range(1, rounds["count"] + 1))
        base = 0.0
        sets = [*zip(*(self.columns[f"set{player}_{name}"] for name in ("parent", "first", "size")), strict=True)]
        if self.sampled:
            gain = 0.0 if self.kind[0] == LEAF else self.worth(player, "gain")[0]
            low, high = (self.worth(player, name)[0] for name in ("low", "high"))
            base, wide = gain + low, high - low
            odds = self._odds(player, sets, rounds)
            for place, total in enumerate(sums):
                cap = rounds["count"] ** rounds["power"] * wide * (1 + self._unknown()) / odds[place]
                share = self.failure * 0.01 / self.players / ((place + 1) * (place + 2))
                sums[place] = min(_least_mean(total, cap, share, wide, k) for k in range(160)) if wide else 0.0
        for parent, first, size in reversed(sets):
            sums[parent] += max(sums[first : first + size])
        return base + sums[0] / weight

    def _unknown(self) -> int:
        depth = [0] * len(self.kind)
        for node, kind in enumerate(self.kind):
            depth[node] = depth[self.columns["node_parent"][node]] if node else 0
            depth[node] += kind == CHANCE and not self.columns["group_known"][self.columns["node_group"][node]]
        return max(depth)

    def _odds(self, player: int, sets: list[Any], rounds: dict[str, Any]) -> list[float]:
        odds, ends = [1.0] * (1 + sum(size for _, _, size in sets)), [1] * (1 + sum(size for _, _, size in sets))
        for parent, first, size in sets:
            odds[first : first + size] = [odds[parent] * rounds["epsilon"] / size] * size
        for parent, first, size in reversed(sets):
            ends[parent] = max(ends[parent], sum(ends[first : first + size]))
        return odds if rounds["sampling"] == "uniform" else [rounds["epsilon"] / ends[0]] * len(odds)

    def _wide(self, player: int) -> float:
        low, high = self.bounds(player)
        return high[0] - low[0]


def _least_mean(total: float, cap: float, share: float, wide: float, k: int) -> float:
    """Return what a sum of means can be at most, where rate number k is taken."""
    rate = sqrt(0.5) ** k / wide
    return (rate * total - log(share / ((k + 1) * (k + 2)))) * cap / -expm1(-rate * cap)
