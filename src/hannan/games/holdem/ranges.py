"""Ranges of hands in the notation that poker tools share: 'AA,AKs,76s:0.5,QQ-22,A5s-A2s,66+,KJo+,AhKh'.

Items are separated by commas; a last comma and spaces around items are skipped. An item is

- a group: 'TT' (pairs), 'AKs' (suited), 'AKo' (offsuit), 'AK' (both),
- a group and all above it: '66+' (to the aces), 'A8s+' (A8s to AKs: the second rank rises to just below the first),
- groups from one to another, in either direction: 'QQ-22', 'A5s-A2s' (same first rank), 'T9s-54s' (same distance),
- one hand: 'AhKd', or
- 'random' (also '100%'): every hand.

':0.5' after an item is its weight, from 0 to 1; without it the weight is 1. A later item overrides an earlier one, as
in PioSolver and wasm-postflop: 'random,72o:0' is every hand but 72o.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from hannan.arguments import text as as_text
from hannan.arrays import Floats, Longs, frozen
from hannan.errors import ParameterError
from hannan.games.holdem.cards import (
    COMBOS,
    FULL,
    HANDS,
    RANKS,
    Deck,
    group_of,
    hand_index,
    hand_text,
    misread,
    rank_at,
    suit_at,
)

WEIGHT = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
EVERY = ("random", "100%")
SPACES = " \t\r\n"


@lru_cache(maxsize=64)
def groups(deck: Deck = FULL) -> dict[str, Longs]:
    """Return the places of the hands of each group that the deck holds, such as 'AKs'."""
    members: dict[str, list[int]] = {}
    for place in np.flatnonzero(deck.hands).tolist():
        members.setdefault(group_of(*COMBOS[place].tolist()), []).append(place)
    return {name: np.array(places, np.int64) for name, places in members.items()}


def parse_range(text: str, what: str = "range", deck: Deck = FULL) -> Floats:
    """Return the weight of each of the 1326 hands.

    Parameters
    ----------
    text
        The range in the notation above. An empty text is an empty range.
    what
        The name of the range, for the error message.
    deck
        The deck; hands outside it have weight 0.

    Returns
    -------
    Floats
        (1326,) weights from 0 to 1, in the order of `COMBOS`; read-only.

    Raises
    ------
    ParameterError
        If a character cannot be read. The message gives its position and what was expected.
    """
    as_text(what, text)
    weights = np.zeros(HANDS)
    reader = _Reader(what, text, deck)
    while reader.more():
        places = reader.hands()
        weights[places] = reader.weight()
    frozen(weights)
    return weights


class _Reader:
    """The text of a range, and the place of the next character to read."""

    def __init__(self, what: str, text: str, deck: Deck) -> None:
        self.what, self.text, self.deck = what, text, deck
        self.place = 0

    def error(self, problem: str, place: int | None = None) -> ParameterError:
        return misread(self.what, self.text, self.place if place is None else place, problem)

    def next(self) -> str:
        """Return the next character; '' at the end."""
        return self.text[self.place : self.place + 1]

    def skip(self) -> None:
        while self.next() and self.next() in SPACES:
            self.place += 1

    def more(self) -> bool:
        """Skip spaces; return whether there is another item."""
        self.skip()
        return self.place < len(self.text)

    def hands(self) -> Longs:
        """Read an item without its weight; return the places of its hands."""
        for word in EVERY:
            if self.text[self.place : self.place + len(word)].lower() == word:
                self.place += len(word)
                return np.flatnonzero(self.deck.hands)
        start = self.place
        high, low, kind, hand = self.group()
        if hand is not None:
            return np.array([hand], np.int64)
        names = [(high, low)]
        if self.next() == "+":
            self.place += 1
            names = self.above(high, low)
        elif self.next() == "-":
            self.place += 1
            names = self.between((high, low, kind), start)
        return self.members(names, kind, start)

    def group(self) -> tuple[int, int, str, int | None]:
        """Read 'TT', 'AKs', 'AK' or 'AhKd': the ranks, 's', 'o' or '', and the place of a single hand."""
        start = self.place
        first = rank_at(self.what, self.text, start, self.deck)
        second = self.text[start + 1 : start + 2]
        if second and second in "cdhs":
            a = first * 4 + suit_at(self.what, self.text, start + 1, self.deck)
            b = rank_at(self.what, self.text, start + 2, self.deck) * 4
            b += suit_at(self.what, self.text, start + 3, self.deck)
            if a == b:
                raise self.error(f"{self.text[start : start + 4]!r} is the same card twice", start)
            self.place += 4
            return 0, 0, "", hand_index(a, b)
        low = rank_at(self.what, self.text, start + 1, self.deck)
        self.place += 2
        kind = self.next().lower()
        if kind not in ("s", "o"):
            kind = ""
        elif first == low:
            raise self.error("a pair is neither suited nor offsuit; expected +, -, : or a comma")
        else:
            self.place += 1
        return max(first, low), min(first, low), kind, None

    def above(self, high: int, low: int) -> list[tuple[int, int]]:
        """Return the groups of 'TT+' or 'A8s+'."""
        if high == low:
            return [(rank, rank) for rank in range(high, 13)]
        return [(high, rank) for rank in range(low, high)]

    def between(self, start: tuple[int, int, str], place: int) -> list[tuple[int, int]]:
        """Read the group after a dash; return all groups from the first to the second."""
        self.skip()
        second = self.place
        high, low, kind, hand = self.group()
        if hand is not None:
            raise self.error("a dash joins groups such as QQ-22, not single hands", second)
        if kind != start[2]:
            raise self.error("both sides of a dash end alike (s, o or neither), as in A5s-A2s", second)
        step_high, step_low = start[0] - high, start[1] - low
        steps = abs(step_low)
        if step_high not in (0, step_low) or (step_high == 0 and (high == low) != (start[0] == start[1])):
            raise self.error(
                "a dash joins pairs (QQ-22), groups of the same first rank (A5s-A2s) or of the same distance (T9s-54s)",
                place,
            )
        sign = 1 if step_low > 0 else -1
        return [(high + sign * n * (step_high != 0), low + sign * n) for n in range(steps + 1)]

    def members(self, names: list[tuple[int, int]], kind: str, start: int) -> Longs:
        """Return the places of the hands of groups; refuse groups of which the deck has no hand."""
        known = groups(self.deck)
        wanted = [
            RANKS[high] + RANKS[low] + ending
            for high, low in names
            for ending in ([""] if high == low else [kind] if kind else ["s", "o"])
        ]
        found = [known[name] for name in wanted if name in known]
        if not found:
            item = self.text[start : self.place]
            raise self.error(f"a deck of {self.deck.suits} suits has no hand {item!r}", start)
        return np.concatenate(found)

    def weight(self) -> float:
        """Read the weight, if there is one, and the comma after it."""
        value = 1.0
        self.skip()
        if self.next() == ":":
            self.place += 1
            self.skip()
            number = WEIGHT.match(self.text, self.place)
            if number is None:
                raise self.error(f"{self._shown()} is not a weight; expected a number from 0 to 1")
            value = float(number.group())
            if not 0 <= value <= 1:
                raise self.error(f"the weight {number.group()} is out of range; expected 0 to 1")
            self.place = number.end()
            self.skip()
        if self.next() not in ("", ","):
            raise self.error(f"{self._shown()} does not continue an item; expected +, -, :weight, a comma or the end")
        self.place += 1
        return value

    def _shown(self) -> str:
        return repr(self.next()) if self.next() else "the end"


def range_text(weights: Floats, deck: Deck = FULL) -> str:
    """Write a range compactly, so that `parse_range` returns the same weights.

    Parameters
    ----------
    weights
        (1326,) weights; those of hands outside the deck are left out.
    deck
        The deck.
    """
    known = groups(deck)
    whole: dict[str, float] = {}
    single: list[str] = []
    for name, places in known.items():
        inside = weights[places]
        if (inside == inside[0]).all():
            whole[name] = float(inside[0])
        else:
            single += [hand_text(tuple(COMBOS[place])) + _ending(weights[place]) for place in places if weights[place]]
    if len(whole) == len(known) and len(set(whole.values())) == 1:
        weight = next(iter(whole.values()))
        return "random" + _ending(weight) if weight else ""
    items = [item for row in _rows(deck) for item in _runs(row, whole)]
    return ",".join(items + single)


def _rows(deck: Deck) -> Iterator[list[str]]:
    """Yield the groups of each line of the notation, best first: pairs, then suited and offsuit for each first rank."""
    ranks = deck.rank_letters[::-1]
    yield [rank * 2 for rank in ranks]
    for ending in "so":
        for place, high in enumerate(ranks):
            yield [high + low + ending for low in ranks[place + 1 :]]


def _runs(row: list[str], weights: dict[str, float]) -> Iterator[str]:
    """Yield an item for each run of neighbours with the same weight above 0."""
    start = 0
    while start < len(row):
        weight = weights.get(row[start], 0.0)
        end = start
        while end + 1 < len(row) and weights.get(row[end + 1], 0.0) == weight:
            end += 1
        if weight:
            several = row[end] + "+" if start == 0 else f"{row[start]}-{row[end]}"
            yield (several if end > start else row[start]) + _ending(weight)
        start = end + 1


def _ending(weight: float) -> str:
    return "" if weight == 1 else f":{float(weight)!r}"


def grid(values: Floats, weights: Floats | None = None, deck: Deck = FULL) -> Floats:
    """Return the mean of values over the hands of each group, as the square grid of poker tools.

    Parameters
    ----------
    values
        (1326,) a number for each hand: its weight, expected value or frequency of an action.
    weights
        (1326,) the weight of each hand. Default: equal weights.
    deck
        The deck.

    Returns
    -------
    Floats
        (ranks, ranks): aces first, pairs on the diagonal, suited hands above it, offsuit hands below it. A group
        without weight is NaN.
    """
    ranks = deck.rank_letters[::-1]
    table = np.full((deck.ranks, deck.ranks), np.nan)
    for name, places in groups(deck).items():
        high, low = ranks.index(name[0]), ranks.index(name[1])
        counts = np.ones(len(places)) if weights is None else weights[places]
        total = counts.sum()
        if total > 0:
            inside = np.where(counts > 0, values[places], 0.0)
            table[(low, high) if name.endswith("o") else (high, low)] = inside @ counts / total
    return table
