"""A game in which an action earns 1, or loses very much with a small probability; and how often statements are false.

`python -m tests.measures.rare` counts false statements for more probabilities and seeds than the tests do.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

import hannan as hn
from hannan.arrays import Floats, Longs
from hannan.rules.compiled import CompiledRules, Rulebook
from hannan.rules.plain import CHANCE, END

LOSS = -10_000.0
# table: [the probability of the loss, what it is] as the bits of floats
# state: [0 before the choice, 1 after the risk, 2 the safe end, 3 the good end, 4 the bad end]


def start(table: Longs, state: Longs) -> None:
    """Begin with the choice."""


def turn(table: Longs, state: Longs) -> int:
    """Player 0 chooses; the risk is chance's."""
    return END if state[0] >= 2 else CHANCE if state[0] == 1 else 1


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """Be safe (0) or take the risk (1)."""
    out[0] = 0
    out[1] = 1
    return 2


def chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    """Win or lose."""
    out[0] = 0
    out[1] = 1
    lose = np.int64(table[0]).view(np.float64)
    probabilities[0] = 1.0 - lose
    probabilities[1] = lose
    return 2


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Go on."""
    if state[0] == 0:
        state[0] = 1 if choice[0] == 1 else 2
    else:
        state[0] = 3 + choice[0]


def observe(table: Longs, state: Longs, player: int) -> int:
    """See nothing."""
    return 0


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Pay, of the other player's."""
    if state[0] >= 3:
        out[0] = 1.0 if state[0] == 3 else np.int64(table[1]).view(np.float64)
        out[1] = -out[0]


BOOK = Rulebook(start, turn, actions, chance, move, observe, gains)


def rare_loss(probability: float, loss: float = LOSS) -> hn.views.ExpandedGame:
    """Return the game, in which player 1 pays what player 0 earns."""
    table = np.array([probability, loss]).view(np.int64)
    return hn.load(CompiledRules("rare_loss", 2, BOOK, table, state_size=1, width=2)).expanded()


@dataclass
class Counts:
    """How many of how many statements were false: bounds, and the intervals beside them; and the largest claim."""

    runs: int
    bounds: int = 0
    intervals: int = 0
    largest: float = 0.0


def responses(probability: float, runs: int, plays: int = 2000) -> Counts:
    """Respond to uniform play. False: a lower bound above what a best response gains, or above it by the interval."""
    game = rare_loss(probability)
    policy = hn.Policy.uniform(hn.views.PlayedGame(game.rules))
    best, counts = hn.evaluate(game, hn.uniform(game)).gains[0], Counts(runs)
    for seed in range(runs):
        found = hn.respond(policy, 0, "learned", walks=200, plays=plays, seed=seed, bounds=(LOSS, -LOSS))
        assert found.lower_bound is not None
        counts.bounds += found.lower_bound > best
        counts.intervals += found.gain - found.interval_half_width > best
        counts.largest = max(counts.largest, found.lower_bound)
    return counts


def matches(probability: float, runs: int, games: int = 400, decide: bool = False) -> Counts:
    """Let who takes the risk meet who does not. False: the score is further off than stated, or the wrong one leads."""
    game = rare_loss(probability)
    risk, safe = (hn.profile(game, {0: {0: [1.0 - often, often]}}) for often in (1.0, 0.0))
    exact, counts = (1 - probability + probability * LOSS) / 2, Counts(runs)
    for seed in range(runs):
        found = hn.match(game, risk, safe, games=games, seed=seed, decide=decide)
        off = abs(found.scores[0] - exact)
        counts.bounds += off > found.half_widths[0]
        if found.interval_half_widths is not None:
            counts.intervals += off > found.interval_half_widths[0]
        if found.stop == "decided":
            counts.bounds += (found.scores[0] > 0) != (exact > 0)
    return counts


def main(runs: int) -> None:
    """Count with many probabilities of the loss."""
    for probability in (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 1e-2, 0.1):
        told = responses(probability, runs)
        print(f"p = {probability:g}: {told.bounds} of {runs} lower bounds false, {told.intervals} by the interval")
        for games in (400, 20_000):
            told = matches(probability, runs, games)
            print(f"  {games:,} games: {told.bounds} of {runs} bounds missed, {told.intervals} intervals", flush=True)
        told = matches(probability, runs, 20_000, decide=True)
        print(f"  decided early: {told.bounds} of {runs} wrong", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
