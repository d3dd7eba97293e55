"""Liar's dice for two players.

Each player rolls dice in secret (one chance node per die). In turn they bid a quantity and a face, each bid higher
than the last (a higher quantity, or the same quantity with a higher face), until one player calls the other a liar.
Then all dice count that show the face of the last bid or the highest face, which is wild. The bidder wins if their
number is at least the quantity; otherwise the caller wins. These are OpenSpiel's rules.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hannan.arguments import fits, whole
from hannan.arrays import Floats, Longs
from hannan.games.catalogue import Entry, Known
from hannan.games.parts import each, evenly, symmetric
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import CHANCE, END

# table: faces of a die, dice per player
FACES, DICE = 0, 1

# state: dice rolled, bids and calls made, last bid + 1, whether a liar was called; then the dice of each
# player: the rolled ones in ascending order, then places for the others
ROLLED, MOVES, BID, CALLED, HANDS = range(5)


def start(table: Longs, state: Longs) -> None:
    """Leave the state at zero: no die is rolled yet."""


def turn(table: Longs, state: Longs) -> int:
    """Roll the dice, then bid in turn until a player calls."""
    if state[ROLLED] < 2 * table[DICE]:
        return CHANCE
    mover: int = state[MOVES] & 1
    return END if state[CALLED] else 1 << mover


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List the higher bids (quantity - 1, face - 1 in base `faces`) and, after a bid, the call."""
    bids = 2 * table[DICE] * table[FACES]
    return each(state[BID], bids + 1 if state[MOVES] > 0 else bids, out)


def chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    """Roll one die."""
    return evenly(each(0, table[FACES], out), probabilities)


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Sort the die into the roller's hand, or record the bid or call."""
    dice = table[DICE]
    if state[ROLLED] < 2 * dice:
        rolled, die = state[ROLLED], choice[0]
        begin = HANDS if rolled < dice else HANDS + dice
        for at in range(begin, HANDS + rolled):  # no branch: on random dice the processor would mispredict it
            other = state[at]
            state[at] = min(die, other)
            die = max(die, other)
        state[HANDS + rolled] = die
        state[ROLLED] = rolled + 1
        return
    state[MOVES] += 1
    if choice[0] == 2 * dice * table[FACES]:
        state[CALLED] = 1
    else:
        state[BID] = choice[0] + 1


def observe(table: Longs, state: Longs, player: int) -> int:
    """Observe the last bid; at the player's first choice, also its dice."""
    hand = 0
    if state[MOVES] < 2:
        for k in range(table[DICE]):
            hand = hand * table[FACES] + state[HANDS + player * table[DICE] + k]
        hand += 1
    code: int = hand * (2 * table[DICE] * table[FACES] + 1) + state[BID]
    return code


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Pay 1 to the bidder if the bid holds, else to the caller."""
    if not state[CALLED]:
        return
    faces = table[FACES]
    quantity = (state[BID] - 1) // faces + 1
    face = (state[BID] - 1) % faces
    for k in range(HANDS, HANDS + 2 * table[DICE]):
        if state[k] == face or state[k] == faces - 1:
            quantity -= 1
    bidder = state[MOVES] & 1
    winner = bidder if quantity <= 0 else 1 - bidder
    out[winner] = 1.0
    out[1 - winner] = -1.0


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Let either player win 1 or lose 1."""
    symmetric(0.0 if state[CALLED] else 1.0, out)


def chance_group(table: Longs, state: Longs) -> int:
    """Put all rolls into one group: all dice are alike."""
    return 0


def features(table: Longs, state: Longs, player: int, out: Floats) -> None:
    """Write the share of the player's dice that show each face, and the last bid."""
    faces = table[FACES]
    for k in range(table[DICE]):
        out[state[HANDS + player * table[DICE] + k]] += 1.0 / table[DICE]
    out[faces + state[BID]] = 1.0


BOOK = Rulebook(
    start, turn, actions, chance, move, observe, gains, bounds=bounds, chance_group=chance_group, features=features
)


@remade
def liars_dice(faces: int = 6, dice: int = 1) -> CompiledRules:
    """Build the rules. `faces`: faces of each die; `dice`: dice of each player."""
    whole("faces", faces, 1, 1000)
    whole("dice", dice, 1, 1000)
    bids = 2 * dice * faces
    fits((faces**dice + 1) * (bids + 1))

    def bid_text(bid: int) -> str:
        return "liar" if bid == bids else f"{bid // faces + 1}-{bid % faces + 1}"

    def observation_text(player: int, observation: int) -> str:
        hand, bid = divmod(observation, bids + 1)
        words = [bid_text(bid - 1)] if bid else []
        if hand:
            shown = [str((hand - 1) // faces**k % faces + 1) for k in reversed(range(dice))]
            words.insert(0, ("" if faces < 10 else ".").join(shown))
        return "/".join(words)

    def action_help(player: int, action: int) -> str:
        return (
            "the last bid is a lie"
            if action == bids
            else "number-face: at least this many of all dice show this face or the highest"
        )

    def board_text(state: tuple[int, ...], player: int) -> str:
        mine = HANDS + player * dice
        rolled = " ".join(str(die + 1) for die in state[mine : mine + dice])
        return f"your dice: {rolled}; the last bid: {bid_text(state[BID] - 1) if state[BID] else 'none'}"

    def grid(player: int, way: Sequence[int]) -> tuple[str, str, str]:
        row, _, first = observation_text(player, way[0]).partition("/")
        told = [bid_text(part) if k % 2 == 0 else observation_text(player, part) for k, part in enumerate(way[1:])]
        column = " ".join(filter(None, (first, *told)))
        return row, column, f"{row} {column}".strip()

    return CompiledRules(
        "liars_dice",
        2,
        BOOK,
        np.array([faces, dice], np.int64),
        state_size=HANDS + 2 * dice,
        width=max(bids + 1, faces),
        feature_size=faces + bids + 1,
        feature_groups=(("dice", faces), ("bids", bids + 1)),
        action_text=lambda player, action: str(action + 1) if player < 0 else bid_text(action),
        observation_text=observation_text,
        action_help=action_help,
        board_text=board_text,
        grid=grid,
    )


ENTRY = Entry(
    name="liars_dice",
    make=liars_dice,
    summary="bid on the dice of both players, or call the last bid a lie",
    source="traditional; rules as in OpenSpiel",
    parameters={"faces": "faces of a die, the highest one wild", "dice": "dice per player"},
    known={
        "liars_dice": Known(294_883, (12_288, 12_288), source="OpenSpiel"),
        "liars_dice(faces=4)": Known(8_181, (512, 512), 0.0625, "OpenSpiel; value recomputed by linear programming"),
    },
    openspiel={
        "liars_dice": "liars_dice",
        "liars_dice(faces=4)": "liars_dice(dice_sides=4)",
        "liars_dice(faces=2,dice=2)": "liars_dice(dice_sides=2,numdice=2)",
        "liars_dice(faces=3,dice=2)": "liars_dice(dice_sides=3,numdice=2)",
    },
)
