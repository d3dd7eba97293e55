"""Bounds on regret in games with imperfect recall: what is proven about a map from sets to abstract sets.

M. Lanctot, R. Gibson, N. Burch, M. Zinkevich, M. Bowling (2012), No-regret learning in extensive-form games with
imperfect recall. There a game is *well-formed* if the ends of play below any two members of an abstract set can be
paired so that the player's remaining actions are the same, the others' actions are the same, and payoffs and chances
differ by one factor. The proof uses less, and this module decides the weaker condition. Take the payoffs below a
member, chance folded in, added up by the player's later actions and by the others' actions (both named by abstract
sets). They must be κ times those below all members together. Then at every iteration the regrets at a member are κ
times the regrets at the abstract set, so a bound on the regret at the abstract set bounds the regret in the full game.

If the condition fails, the payoffs differ from κ times those of all members by an error. Let B bound the change that
the error makes to the value of an action at a member, whatever all players do. Then regrets at the member differ from κ
times those at the abstract set by at most 2B in each iteration, and the average regret in the full game by at most the
sum of 2B over members.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

import numpy as np

from hannan.arrays import Floats, Ints, Longs, frozen
from hannan.forms.sequence import SequenceForm
from hannan.forms.treeplex import EMPTY, Treeplex

ROUNDING = 1e-12
"""Errors up to this share of the largest payoff at an abstract set are taken as rounding."""

MOST_ENTRIES = 2_000_000
"""The most payoff entries of a game for which the condition is decided."""

MOST_KEYS = 2**62
"""The most combinations of sequences: their numbers have 64 bits."""

WELL_FORMED, SKEW, UNPROVEN = "well-formed", "skew well-formed", "not proven"


@dataclass(frozen=True)
class Recall:
    """The proven bounds on the regret of players who forget."""

    verdict: str
    """Well-formed: regrets in the full game vanish; skew well-formed: up to `bounds`; not proven: no bound is known."""
    bounds: tuple[float | None, ...]
    """The most that remains of each player's average regret in the full game; None if no bound is below the span."""
    shares: tuple[Floats, ...]  # for each player [sets]  κ: the part of a set in the payoffs below its abstract set
    weights: tuple[Floats, ...]  # for each player [sets]  κ if it is exact, else 1: weights of sets in an average

    def __post_init__(self) -> None:
        for array in (*self.shares, *self.weights):
            frozen(array)


@dataclass(frozen=True)
class _Paths:
    """Sequences named by abstract sets and actions: a tree in which parents come before children."""

    number: Longs  # [sequences]  the abstract sequence of each
    parent: list[int]
    group: list[int]
    """Children of one parent with one group are the actions of one abstract set."""


def recall(form: SequenceForm, ties: Sequence[Ints], spans: Sequence[float]) -> Recall:
    """Return what is proven for a map of sets to abstract sets, [sets] for each player.

    `spans`: for each player the highest payoff minus the lowest; no average regret is larger.
    """
    weights, shares = (tuple(np.ones(plex.sets) for plex in form.treeplexes) for _ in range(2))
    if form.entries > MOST_ENTRIES or prod(plex.sequences for plex in form.treeplexes) > MOST_KEYS:
        return Recall(UNPROVEN, (None,) * form.players, shares, weights)
    paths = [_abstract(plex, numbers) for plex, numbers in zip(form.treeplexes, ties, strict=True)]
    bounds = tuple(_bound(form, p, ties[p], paths, shares[p], weights[p]) for p in range(form.players))
    proven = tuple(bound if bound < span or bound == 0 else None for bound, span in zip(bounds, spans, strict=True))
    if any(bound is None for bound in proven):
        return Recall(UNPROVEN, proven, shares, weights)
    return Recall(SKEW if any(proven) else WELL_FORMED, proven, shares, weights)


def _abstract(plex: Treeplex, numbers: Ints) -> _Paths:
    """Number every sequence by the abstract sets and actions on its path."""
    number, parent, group = np.zeros(plex.sequences, np.int64), [-1], [-1]
    known: dict[tuple[int, int, int], int] = {}
    for j, (begin, end) in enumerate(pairwise(plex.begin.tolist())):
        above = int(number[plex.parent[j]])
        for k in range(end - begin):
            key = (above, int(numbers[j]), k)
            if key not in known:
                known[key] = len(parent)
                parent.append(above)
                group.append(int(numbers[j]))
            number[begin + k] = known[key]
    return _Paths(number, parent, group)


def _below(plex: Treeplex, numbers: Ints, j: int, known: dict[tuple[int, int, int], int]) -> tuple[Longs, Longs]:
    """Return the sequences from set j on, and the number of each by its actions from there on; `known` grows."""
    sequences, names = list[int](), list[int]()
    left = [(j, 0)]
    while left:
        at, above = left.pop()
        for k, s in enumerate(range(int(plex.begin[at]), int(plex.begin[at + 1]))):
            name = known.setdefault((above, int(numbers[at]), k), len(known) + 1)
            sequences.append(s)
            names.append(name)
            left += [(child, name) for child in range(int(plex.child_begin[s]), int(plex.child_begin[s + 1]))]
    return np.array(sequences), np.array(names)


def _bound(
    form: SequenceForm, player: int, numbers: Ints, paths: Sequence[_Paths], shares: Floats, weights: Floats
) -> float:
    """Return a bound on what remains of a player's average regret; fill `shares` and `weights`."""
    plex, payoff, mine = form.treeplexes[player], form.payoff(player), form.sequence(player)
    order = np.argsort(mine, kind="stable")
    first = np.searchsorted(mine[order], np.arange(plex.sequences + 1))
    others = [p for p in range(form.players) if p != player]
    theirs = np.zeros(form.entries, np.int64)  # the others' abstract sequences; the first other's runs slowest
    span = 1
    for p in reversed(others):
        theirs += span * paths[p].number[form.sequence(p)]
        span *= len(paths[p].parent)
    rest = span // len(paths[others[0]].parent) if others else 1
    total = 0.0
    for members in _groups(numbers):
        known: dict[tuple[int, int, int], int] = {}
        keys, values, owner = list[Longs](), list[Floats](), list[Longs]()
        for place, j in enumerate(members):
            sequences, names = _below(plex, numbers, j, known)
            counts = first[sequences + 1] - first[sequences]
            at = order[np.repeat(first[sequences] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
            keys.append(np.repeat(names, counts) * span + theirs[at])
            values.append(payoff[at])
            owner.append(np.full(len(at), place))
        unique, inverse = np.unique(np.concatenate(keys), return_inverse=True)
        table = np.zeros((len(members), len(unique)))
        np.add.at(table, (np.concatenate(owner), inverse), np.concatenate(values))
        together = table.sum(axis=0)
        norm = float(together @ together)
        part = np.maximum(table @ together / norm, 0.0) if norm > 0 else np.full(len(members), 1.0 / len(members))
        shares[members] = part
        error = np.abs(table - part[:, None] * together)
        error[error <= ROUNDING * np.abs(table).max(initial=0.0)] = 0.0
        if not error.any():
            weights[members] = part if part.any() else 1.0
            continue
        mine_tree = list(known)
        for row in error:
            total += 2.0 * _most(row, unique, span, rest, mine_tree, paths[others[0]] if others else None)
    return total


def _groups(numbers: Ints) -> list[Longs]:
    """Return the members of each abstract set that has more than one."""
    order = np.argsort(numbers, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1) if len(order) else []
    return [part for part in parts if len(part) > 1]


def _most(
    error: Floats, keys: Longs, span: int, rest: int, mine: Sequence[tuple[int, int, int]], theirs: _Paths | None
) -> float:
    """Return the largest sum of errors at keys, over all that the player does from its set on and the others anywhere.

    If there are several other players, all but the first may do the worst at every key separately.
    """
    some = np.flatnonzero(error)
    names, other = keys[some] // span, keys[some] % span // rest
    columns, column = np.unique(other, return_inverse=True)
    worth = np.zeros((len(mine) + 1, len(columns)))  # [actions of the player, sequences of the first other player]
    np.add.at(worth, (names, column), error[some])
    best: dict[int, dict[int, Floats]] = {}  # by sequence and abstract set: the largest sum below
    for name in range(len(mine), 0, -1):  # children come after their parents
        worth[name] += sum(best.pop(name, {}).values(), np.zeros(len(columns)))
        above, group, _ = mine[name - 1]
        sets = best.setdefault(above, {})
        sets[group] = np.maximum(sets[group], worth[name]) if group in sets else worth[name]
    against = sum(best[0].values(), np.zeros(len(columns)))
    if theirs is None:
        return float(against.sum())
    value = dict(zip(columns.tolist(), against.tolist(), strict=True))
    highest: dict[int, dict[int, float]] = {}
    for name in sorted(_with_ancestors(value, theirs.parent) - {EMPTY}, reverse=True):
        reached = value.get(name, 0.0) + sum(highest.pop(name, {}).values())
        sets_after = highest.setdefault(theirs.parent[name], {})
        sets_after[theirs.group[name]] = max(sets_after.get(theirs.group[name], 0.0), reached)
    return value.get(EMPTY, 0.0) + sum(highest.get(EMPTY, {}).values())


def _with_ancestors(names: dict[int, float], parent: Sequence[int]) -> set[int]:
    """Return abstract sequences and all their ancestors, including the empty one."""
    found = {EMPTY}
    for name in names:
        at = name
        while at not in found:
            found.add(at)
            at = parent[at]
    return found
