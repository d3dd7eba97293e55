"""Checks of the promises of public rules about types, deals and ends; each refusal says what is wrong."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.errors import RulesError
from hannan.rules.public import Fold, Mirror, PublicRules, Showdown

USUAL_POWER = 10
"""Weights are scaled unless their largest is between 2^-10 and 2^10."""
ODDS = 1e-9
"""How far the sum of the probabilities of a deal may be from 1."""
MOST_TYPES = 32_000
"""The most types of a player: their numbers are kept in 16 bits."""


def type_names(rules: PublicRules, player: int) -> list[str]:
    """Return the names of the types of a player."""
    names = list(rules.types(player))
    if not 1 <= len(names) <= MOST_TYPES:
        raise RulesError(f"types({player}) has {len(names)} types; expected 1 to {MOST_TYPES:,}")
    if len(set(names)) < len(names):
        raise RulesError(f"types({player}) has a name twice; give every type a name of its own")
    return names


def card_rows(rules: PublicRules, player: int, types: int) -> np.ndarray:
    """Return the cards of each type of a player, [types, 2]; -1 if a type has fewer cards."""
    given = list(rules.cards(player))
    if len(given) != types or any(len(cards) > 2 for cards in given):
        raise RulesError(f"cards({player}) should list up to two cards for each of the {types} types")
    pairs = [tuple(sorted(cards)) for cards in given if len(cards) == 2]
    if any(one == two for one, two in pairs) or len(set(pairs)) < len(pairs):
        raise RulesError(f"cards({player}) has a card twice in one type, or two types with the same two cards")
    rows = np.full((types, 2), -1, np.int64)
    for row, cards in zip(rows, given, strict=True):
        row[: len(cards)] = sorted(cards)
    if (rows < -1).any() or rows.max(initial=0) > 30_000:
        raise RulesError(f"cards({player}) has a card outside the whole numbers 0 to 30,000")
    return rows


def type_weights(rules: PublicRules, player: int, types: int) -> Floats:
    """Return the weights of the types of a player."""
    weights = np.asarray(rules.weights(player), np.float64)
    if weights.shape != (types,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise RulesError(f"weights({player}) should be one number, 0 or more, for each of the {types} types")
    power = int(np.frexp(weights.max())[1])
    # only ratios count; products of very large or small weights do not fit into 32 bits; powers of 2 scale exactly
    return np.ldexp(weights, -power) if abs(power) > USUAL_POWER else weights


def meeting(cards: list[np.ndarray]) -> np.ndarray:
    """Return which pairs of types have no card in common, [types of player 0, types of player 1]."""
    one, two = cards
    shared = np.zeros((len(one), len(two)), bool)
    for a in range(2):
        for b in range(2):
            shared |= (one[:, None, a] == two[None, :, b]) & (one[:, None, a] >= 0)
    return ~shared


def dealt_outcomes(rules: PublicRules, board: tuple[Hashable, ...]) -> list[tuple[Hashable, float]]:
    """Return the outcomes that may be dealt, each with its probability."""
    outcomes = [(outcome, float(odds)) for outcome, odds in rules.outcomes(board)]
    if not outcomes:
        raise RulesError(f"outcomes({board!r}) is empty; a line waits for a card there")
    for outcome, odds in outcomes:
        if not 0 < odds <= 1 + ODDS:
            raise RulesError(f"outcomes({board!r}) gives {outcome!r} the probability {odds}; expected more than 0")
    if len(dict(outcomes)) < len(outcomes):
        raise RulesError(f"outcomes({board!r}) lists an outcome twice")
    return outcomes


def check_odds(
    rules: PublicRules,
    board: tuple[Hashable, ...],
    outcomes: list[tuple[Hashable, float]],
    cards: list[np.ndarray],
    types: list[np.ndarray],
) -> None:
    """Refuse outcomes whose probabilities do not sum to 1, given the first two types that can meet."""
    for i in types[0]:
        mine = cards[0][i]
        free = ~(np.isin(cards[1][types[1]], mine[mine >= 0]).any(axis=1))
        if free.any():
            j = types[1][np.flatnonzero(free)[0]]
            held = {*mine.tolist(), *cards[1][j].tolist()}
            total = sum(odds for outcome, odds in outcomes if held.isdisjoint(rules.outcome_cards(outcome)))
            if abs(total - 1) > ODDS:
                raise RulesError(
                    f"outcomes({board!r}): after types {rules.types(0)[i]} and {rules.types(1)[j]}, probabilities sum "
                    f"to {total:.12g}, not 1"
                )
            return


def type_strengths(rules: PublicRules, board: tuple[Hashable, ...], player: int, types: int) -> Longs:
    """Return the strengths of a player's types at a showdown."""
    try:
        given = np.asarray(rules.strengths(board, player))
    except TypeError as error:
        raise RulesError(f"strengths({board!r}, {player}): {error}") from error
    if given.shape != (types,) or given.dtype.kind not in "iu":
        raise RulesError(
            f"strengths({board!r}, {player}) has shape {given.shape} and type {given.dtype}; expected one whole "
            f"number for each of the {types} types"
        )
    return given.astype(np.int64)


def check_mirror(mirror: Mirror, board: tuple[Hashable, ...], weights: list[Floats]) -> None:
    """Refuse a mirror that does not map each player's types onto types of equal weight, one to one."""
    for p in (0, 1):
        image = np.asarray(mirror.types[p])
        if not np.array_equal(np.sort(image), np.arange(len(weights[p]))):
            raise RulesError(f"mirrors({board!r}): a mirror does not map the types of player {p} onto themselves")
        if not np.array_equal(weights[p][image], weights[p]):
            raise RulesError(f"mirrors({board!r}): a mirror maps a type of player {p} onto one with another weight")


def check_pay(ending: Fold | Showdown) -> None:
    """Refuse an end that does not pay each player one finite number."""
    pays = (ending.gains,) if isinstance(ending, Fold) else (ending.win, ending.lose, ending.tie)
    for pay in pays:
        given = np.asarray(pay, np.float64)
        if given.shape != (2,) or not np.isfinite(given).all():
            raise RulesError(f"ending() returned {ending!r}; expected one finite number for each of the two players")
