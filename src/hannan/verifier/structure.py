"""Is it a trunk? Every node after its parent, every child there, every information set one that a player can know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.verifier.reader import Arrays
from hannan.verifier.verdict import RejectedError

LEAF, END, CHANCE, CHOICE = range(4)
NONE = -1
MOST_PLAYERS = 62


@dataclass(frozen=True)
class Checked:
    """A trunk that passed: the arrays of the file as lists, and the sequences of all players at every node."""

    arrays: dict[str, list[Any]]
    sequences: list[list[int]]
    players: int
    closed: list[bool]
    """Whether all children of a node are there."""
    utilities: int
    """Of how many players gains and bounds are there: 1 where they are zero-sum."""

    def of(self, name: str, utility: int) -> list[Any]:
        """Return the gains or bounds of one player."""
        return self.arrays[f"node_{name}" if self.utilities == 1 else f"node_{name}{utility}"]

    @property
    def seats(self) -> int:
        """How many players have columns; one alone has an idle one beside it."""
        return max(self.players, 2)


def check(arrays: Arrays, players: int) -> Checked:
    """Refuse arrays that are no trunk."""
    lists = {name: array.tolist() for name, array in arrays.items() if name not in ("actions", "lengths")}
    need(1 <= players <= MOST_PLAYERS, f"there are {players} players")
    seats, utilities = max(players, 2), 1 if "node_gain" in arrays else players
    for prefix in ("node_", "group_", "slot_", *(f"set{player}_" for player in range(seats))):
        sizes = {array.shape for name, array in arrays.items() if name.startswith(prefix) and name != "group_key"}
        need(
            len(sizes) == 1 and all(len(shape) == 1 for shape in sizes),
            f"the columns of {prefix[:-1]} differ in length",
        )
    need(utilities == players or players == 2, "gains of some players are missing")
    parent, kind = lists["node_parent"], lists["node_kind"]
    need(len(parent) > 0 and parent[0] == NONE, "the first node is not a root")
    need(all(0 <= above < node for node, above in enumerate(parent) if node), "a node comes before its parent")
    need(all(0 <= word <= CHOICE for word in kind), "a node is of no known kind")
    need(all(kind[above] in (CHANCE, CHOICE) for above in parent[1:]), "a leaf or an end of play has a child")
    for utility in range(utilities):
        _check_gains(arrays, "" if utilities == 1 else str(utility))
    for player in range(seats):
        _check_sets(lists, player)
    _check_groups(lists)
    return Checked(lists, _sequences(lists, players), players, _closed(lists, seats), utilities)


def _check_gains(arrays: Arrays, number: str) -> None:
    """Bounds and gains are numbers, and nothing comes after an end."""
    low, high, gain = (arrays[f"node_{name}{number}"] for name in ("low", "high", "gain"))
    need(bool(np.isfinite(low).all() and np.isfinite(high).all()), "a bound is not a finite number")
    need(bool((low <= high).all()), "a lower bound is above an upper one")
    need(bool(np.isfinite(gain[arrays["node_kind"] != LEAF]).all()), "a gain is not a finite number")
    over = arrays["node_kind"] == END
    need(not low[over].any() and not high[over].any(), "something comes after an end")


def need(fact: bool, sentence: str) -> None:
    """Reject the certificate where a fact is not one."""
    if not fact:
        raise RejectedError(sentence)


def _check_sets(lists: dict[str, list[Any]], player: int) -> None:
    """Sets follow their parents, their sequences follow one another, and what is known tells them apart."""
    first = 1
    parents, seen, firsts, sizes = (lists[f"set{player}_{name}"] for name in ("parent", "observation", "first", "size"))
    for above, begin, size in zip(parents, firsts, sizes, strict=True):
        need(begin == first and size >= 1, f"the sequences of player {player} do not follow one another")
        need(0 <= above < begin, f"an information set of player {player} comes before its parent")
        first += size
    pairs = set(zip(parents, seen, strict=True))
    need(len(pairs) == len(parents), f"player {player} could not tell two of its information sets apart")


def _check_groups(lists: dict[str, list[Any]]) -> None:
    """Draws add up, and groups whose odds are not known are numbered in order."""
    many = len(lists["group_size"])
    drawn, outcomes, odds = [0] * many, [0] * many, [0.0] * many
    slots = zip(*(lists[f"slot_{name}"] for name in ("group", "count", "odds")), strict=True)
    for group, count, weight in slots:
        need(
            0 <= group < many and count >= 0,
            "an outcome of chance has no group, or no count",
        )
        drawn[group] += count
        outcomes[group] += 1
        if lists["group_known"][group]:
            need(0.0 <= weight <= 1.0, "a probability is no probability")
            odds[group] += weight
    index = 0
    columns = zip(*(lists[f"group_{name}"] for name in ("size", "index", "samples", "open", "known")), strict=True)
    for group, (size, number, samples, is_open, known) in enumerate(columns):
        need(samples == drawn[group], f"the draws of chance group {group} do not add up")
        need(
            outcomes[group] == size or (is_open and outcomes[group] < size),
            f"group {group} has other outcomes than it says",
        )
        if known:
            need(not is_open and abs(odds[group] - 1.0) <= 1e-9, f"the probabilities of group {group} do not sum to 1")
        else:
            index += 1
        need(number == (0 if known else index), "the chance groups are not numbered in order")


def _sequences(lists: dict[str, list[Any]], players: int) -> list[list[int]]:
    """Work out what all players have done on the way to each node; every set must agree with it."""
    parent, move, kind = lists["node_parent"], lists["node_move"], lists["node_kind"]
    seats = range(max(players, 2))
    sets = [lists[f"node_set{player}"] for player in seats]
    sequences = [[0] * len(parent) for _ in seats]
    for node, above in enumerate(parent):
        if node:
            left = move[node]
            for player in reversed(seats):
                number = sets[player][above]
                sequences[player][node] = sequences[player][above]
                if number != NONE:
                    size = lists[f"set{player}_size"][number]
                    sequences[player][node] = lists[f"set{player}_first"][number] + left % size
                    left //= size
        here = [player for player in seats if sets[player][node] != NONE]
        if kind[node] != CHOICE:
            need(not here, "somebody moves where nobody should")
            continue
        need(len(here) > 0 and max(here) < players, "nobody moves where somebody should")
        for player in here:
            number = sets[player][node]
            need(0 <= number < len(lists[f"set{player}_parent"]), "a node belongs to no information set")
            need(
                lists[f"set{player}_parent"][number] == sequences[player][node],
                f"player {player} has forgotten what it did: an information set holds nodes after different actions",
            )
    return sequences


def _closed(lists: dict[str, list[Any]], seats: int) -> list[bool]:
    """Every joint action, and every listed outcome, must have its child; an open chance node has one for each slot."""
    parent, kind, slot, move = (lists[f"node_{name}"] for name in ("parent", "kind", "slot", "move"))
    children: list[int] = [0] * len(parent)
    taken = set()
    for node in range(1, len(parent)):
        above = parent[node]
        children[above] += 1
        drawn = kind[above] == CHANCE
        need((slot[node] != NONE) == drawn, "an edge is of chance where it should not be, or is not where it should")
        if drawn:
            need(0 <= slot[node] < len(lists["slot_group"]), "an outcome is not there")
            need(lists["slot_group"][slot[node]] == lists["node_group"][above], "an outcome is of another group")
        key = (above, slot[node] if drawn else move[node])
        need(key not in taken, "a move leads to two nodes")
        taken.add(key)
    closed = [False] * len(parent)
    for node, word in enumerate(kind):
        if word == CHOICE:
            many = 1
            for player in range(seats):
                number = lists[f"node_set{player}"][node]
                many *= 1 if number == NONE else lists[f"set{player}_size"][number]
            need(children[node] == many, "a child of a node at which players move is missing")
            closed[node] = True
        elif word == CHANCE:
            group = lists["node_group"][node]
            need(0 <= group < len(lists["group_size"]), "a chance node belongs to no group")
            closed[node] = not lists["group_open"][group]
            need(not closed[node] or children[node] == lists["group_size"][group], "an outcome of chance is missing")
    for node in range(1, len(parent)):
        above = parent[node]
        if kind[above] == CHOICE:
            need(0 <= move[node] < children[above], "a move has no such number")
    return closed
