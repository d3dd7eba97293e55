"""Estimates of a game's size by random plays, and the refusal of a game that is too large."""

from __future__ import annotations

import random
import sys
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite, prod
from statistics import fmean
from typing import Any

from hannan.errors import STRAY, HannanError, RulesError, SizeError
from hannan.rules.paths import menus_at, numbered
from hannan.rules.plain import CHANCE, END, MOST_MOVES, Rules, movers
from hannan.rules.promises import ENDLESS, told

MOST_LISTED = 300_000
"""After listing this many moves in all, no new random play begins. A deck of a million cards would take minutes."""

DIRECTLY = (
    "Choose smaller parameters, or a method that plays the rules directly: mccfr-os, mccfr-rs, vr-mccfr, or mccfr-es "
    "if a player has few choices in a play. Measure strategies of such a game by playing: hannan evaluate, "
    "hannan.rollouts, hannan.respond"
)
"""The advice for a game that does not fit into memory."""


def too_many(rules: Rules, guess: float, why: str) -> SizeError:
    """Return the error for a game that has far too many histories; `why` states the limit."""
    return SizeError(
        f"{rules.name or type(rules).__name__} with these parameters has {histories_text(guess)} histories "
        f"(estimated); {why}. {DIRECTLY}"
    )


def histories_text(guess: float) -> str:
    """Write an estimated number of histories, which may be more than the largest float."""
    return f"about {guess:.1e}" if isfinite(guess) else "more than 1e308"


def estimate(rules: Rules, plays: int = 300, seed: int = 0) -> float:
    """Estimate the number of histories by random plays (Knuth 1975): the mean size of trees as wide as the play."""
    return outline(rules, plays, seed).histories


@dataclass(frozen=True)
class Outline:
    """The estimates that random plays give of a game that is too large to be walked."""

    histories: float
    """An estimate of the number of histories."""
    longest: int
    """The moves in the longest of the random plays."""


def outline(rules: Rules, plays: int = 300, seed: int = 0) -> Outline:
    """Return the estimates of random plays; see `estimate`."""
    draw = random.Random(seed)

    listed = 0

    def probe() -> tuple[float, int]:
        nonlocal listed
        state: Any = rules.start()
        width, total, depth = 1.0, 1.0, 0
        while (menus := menus_at(rules, state)) and (count := prod(len(menu) for _, menu in menus)):
            listed += sum(len(menu) for _, menu in menus)
            width *= count
            total += width
            depth += 1
            if depth > MOST_MOVES:
                name = rules.name or type(rules).__name__
                raise RulesError(f"{name}, played at random: {ENDLESS}")
            state = rules.after(state, numbered(rules, menus, rules.turn(state), draw.choice(range(count)))[0])
        return total, depth

    probes: list[tuple[float, int]] = []
    try:
        while len(probes) < plays and listed < MOST_LISTED:
            probes.append(probe())
    except HannanError:
        raise
    except STRAY as error:
        raise RulesError(
            f"{rules.name or type(rules).__name__}: a random play raised {told(error)}; hannan.check_game names the "
            "path of play"
        ) from error
    return Outline(fmean(total for total, _ in probes), max(depth for _, depth in probes))


def walk_size(rules: Rules, player: int, own: int, everybody: bool, plays: int = 100) -> float:
    """Estimate the number of histories that a sampling walk for one player visits, including the first (Knuth 1975).

    own: how many of the player's actions the walk takes at each of its sets, at most all; 0 means one. everybody:
    whether the walk takes all actions of the other players. The estimate draws one of each: chance by its
    probabilities, actions uniformly. If rules break a promise, a play ends there: the walk itself will report it.
    """
    draw, listed = random.Random(0), 0

    def step(state: Any, turn: int | tuple[int, ...]) -> tuple[Any, int]:
        """Return a random next state, and the number of next states that the walk visits."""
        nonlocal listed
        if turn == CHANCE:
            outcomes = rules.chance(state)
            listed += len(outcomes)
            (outcome,) = draw.choices([outcome for outcome, _ in outcomes], [weight for _, weight in outcomes])
            return rules.after(state, outcome), 1
        menus = {mover: rules.actions(state, mover) for mover in movers(turn)}
        listed += sum(map(len, menus.values()))
        joint = tuple(draw.choice(menu) for menu in menus.values())
        taken = {mover: max(own, 1) if mover == player else sys.maxsize if everybody else 1 for mover in menus}
        width = prod(min(taken[mover], len(menu)) for mover, menu in menus.items())
        return rules.after(state, joint if isinstance(turn, tuple) else joint[0]), width

    def probe() -> float:
        width = total = 1.0
        with suppress(*STRAY):
            state: Any = rules.start()
            for _ in range(MOST_MOVES):
                if (turn := rules.turn(state)) == END:
                    break
                state, wider = step(state, turn)
                width *= wider
                total += width
        return total

    probes = [probe()]
    while len(probes) < plays and listed < MOST_LISTED:
        probes.append(probe())
    return fmean(probes)
