"""Flops: all of them, one for each class of flops that differ only in suits, and samples."""

from __future__ import annotations

import os
import random
from collections import Counter
from itertools import combinations, permutations

from hannan.arguments import shown, whole
from hannan.errors import FileError, ParameterError
from hannan.files import read_bytes
from hannan.games.holdem.cards import COMBOS, Deck, cards_text, hand_index, parse_cards
from hannan.games.holdem.spot import Spot

MOST_BYTES = 1_000_000
"""The longest file of flops that is read, in bytes."""
ALL = "all"


def flop_classes(deck: Deck) -> dict[str, int]:
    """Return one flop for each class of flops that a change of suits maps onto each other, and the size of the class.

    The full deck has 22,100 flops in 1,755 classes.
    """
    orders = list(permutations(range(deck.suits)))
    classes: Counter[tuple[int, ...]] = Counter()
    for flop in combinations(deck.cards, 3):
        images = (tuple(sorted(((card & ~3) | order[card & 3] for card in flop), reverse=True)) for order in orders)
        classes[max(images)] += 1
    return {cards_text(flop): size for flop, size in sorted(classes.items(), reverse=True)}


def symmetric(spot: Spot) -> bool:
    """Return whether every permutation of suits leaves both ranges unchanged. The board is ignored."""
    from hannan.games.holdem.ranges import parse_range

    for text in (spot.oop, spot.ip):
        weights = parse_range(text, "range", spot.deck)
        for order in permutations(range(spot.suits)):
            image = [(card & ~3) | order[card & 3] if card & 3 < spot.suits else card for card in range(52)]
            moved = [hand_index(image[a], image[b]) for a, b in COMBOS.tolist()]
            if (weights[moved] != weights).any():
                return False
    return True


def chosen_flops(text: str, spot: Spot, seed: int = 0) -> dict[str, int]:
    """Return the chosen flops with weights: for 'all' the size of the class, else 1 or the weight in the file.

    Parameters
    ----------
    text
        Flops separated by commas or spaces ('Td9d6h, AsKd2c'); a file with one per line (text after '#' is skipped; a
        number after the flop is its weight); 'all'; or a number N: N flops drawn without replacement from all.
    spot
        The spot, for its deck and ranges. If both ranges treat suits alike, 'all' is one flop per class.
    seed
        The seed of a draw.
    """
    if not isinstance(text, str) or not text.strip():
        raise ParameterError(f"flops={shown(text)} should be flops such as 'Td9d6h,AsKd2c', a file, a number or 'all'")
    said = text.strip()
    if said == ALL or said.isdecimal():
        every = flop_classes(spot.deck) if symmetric(spot) else _every(spot.deck)
        if said == ALL:
            return every
        return _drawn(every, whole("flops", int(said), 1, len(every)), seed)
    if os.path.isfile(said):
        return _read(said, spot.deck)
    return _listed(said.replace(",", " ").split(), spot.deck, "flops")


def _every(deck: Deck) -> dict[str, int]:
    return {cards_text(flop[::-1]): 1 for flop in combinations(deck.cards, 3)}


def _drawn(every: dict[str, int], many: int, seed: int) -> dict[str, int]:
    """Draw flops without replacement, classes in proportion to their sizes (A. Efraimidis and P. Spirakis, 2006).

    A drawn flop has weight 1, because the draw has already favoured large classes. The mean over the drawn flops is
    exact for one flop and nearly exact for a few of many. Over a large share of all flops, it is biased towards small
    classes.
    """
    source = random.Random(seed)
    keys = {flop: source.random() ** (1 / size) for flop, size in every.items()}
    kept = set(sorted(keys, key=lambda flop: -keys[flop])[:many])
    return {flop: 1 for flop in every if flop in kept}


def _read(path: str, deck: Deck) -> dict[str, int]:
    content = read_bytes(path)
    if len(content) > MOST_BYTES:
        raise FileError(f"{path}: longer than {MOST_BYTES:,} bytes, so this is not a list of flops")
    try:
        lines = content.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: byte {error.start + 1} is not UTF-8 text") from None
    found: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].replace(",", " ").replace(":", " ").split()
        weight = 1
        if len(words) == 2 and words[1].isdecimal() and int(words[1]) > 0:
            weight, words = int(words[1]), words[:1]
        found |= dict.fromkeys(_listed(words, deck, f"{path}: line {number}:"), weight) if words else {}
    if not found:
        raise FileError(f"{path} has no flop")
    return found


def _listed(words: list[str], deck: Deck, where: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in words:
        cards = parse_cards(word, where, deck)
        if len(cards) != 3:
            raise ParameterError(f"{where} {word!r} has {len(cards)} cards; a flop has 3")
        found[cards_text(cards)] = 1
    return found
