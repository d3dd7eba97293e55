"""Values and gains of a profile in rational arithmetic: a check that shares no code with `evaluate`.

Floats are fractions with a power of two as denominator, so their sums and products are exact in integers. The checked
game is the sequence form with its stored payoffs: these are floats that include the probabilities of chance, so a
payoff of 1/3 is the float nearest to it. For that game the result is exact. Rules with exact fractions (`ExactRules`,
such as Gambit's files) are checked with these fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hannan.arguments import count
from hannan.arrays import Floats
from hannan.errors import SizeError
from hannan.forms.exactpayoffs import Whole, stored_payoffs, whole
from hannan.forms.treeplex import Treeplex
from hannan.strategies.given import Given, two_forms

MOST_ENTRIES = 2_000_000


@dataclass(frozen=True)
class ExactGap:
    """Values of a profile, and the value of each player's best response, as fractions."""

    values: tuple[Fraction, ...]
    best_values: tuple[Fraction, ...]

    @property
    def gains(self) -> tuple[Fraction, ...]:
        """best_values minus values: 0 or more, without rounding."""
        return tuple(best - value for best, value in zip(self.best_values, self.values, strict=True))

    @property
    def nash_conv(self) -> Fraction:
        """The sum of the gains."""
        return sum(self.gains, Fraction(0))

    def __repr__(self) -> str:
        values, gains = ([float(f"{float(x):.6g}") for x in fractions] for fractions in (self.values, self.gains))
        return f"ExactGap(fractions: NashConv {float(self.nash_conv):.6g}, values {values}, gains {gains})"


def exact_gap(game: Given, strategy: Given | None = None, limit: int = MOST_ENTRIES) -> ExactGap:
    """Measure a strategy in rational arithmetic: `exact_gap(strategy)` or `exact_gap(game, strategy)`.

    Each probability is read as the fraction that its float is. At each information set the largest probability is
    replaced by 1 minus the others, so that they sum to exactly 1. In a game with locks, payoffs are the floats of the
    sequence form.

    Parameters
    ----------
    game : whatever `load` or `read` takes
        The game; or the strategy, if it knows its game.
    strategy : Strategy, Result, path or text, optional
        The strategies of all players.
    limit : int, default: 2000000
        The largest number of payoff entries.

    Returns
    -------
    ExactGap
        Values, gains and NashConv as fractions.

    Raises
    ------
    SizeError
        If the game has more payoff entries than `limit`.

    Examples
    --------
    >>> import hannan as hn
    >>> hn.exact_gap(hn.uniform("matching_pennies")).nash_conv
    Fraction(0, 1)
    >>> hn.exact_gap(hn.solve("kuhn_poker")).nash_conv < 1e-15
    True
    """
    limit, profile = count("limit", limit), two_forms(game, strategy).profile()
    game = profile.game
    form = game.form
    if form.entries > limit:
        raise SizeError(
            f"{game.address} has {form.entries:,} payoff entries, more than the limit of {limit:,} for rational "
            "arithmetic; `evaluate` measures it in floating point, or give a larger limit"
        )
    reach = [_reach(plex, part) for plex, part in zip(form.treeplexes, profile.strategies, strict=True)]
    payoffs = stored_payoffs(game)
    values, bests = [], []
    for player, plex in enumerate(form.treeplexes):
        others = [q for q in range(form.players) if q != player]
        over = payoffs.over[player] << sum(reach[q].bits for q in others)
        gradient = [0] * plex.sequences
        for entry, gained in enumerate(payoffs.gained[player]):
            for q in others:
                gained *= reach[q].numbers[payoffs.sequences[q][entry]]
            gradient[payoffs.sequences[player][entry]] += gained
        earned = sum(gain * weight for gain, weight in zip(gradient, reach[player].numbers, strict=True))
        values.append(Fraction(earned, over << reach[player].bits))
        bests.append(Fraction(_best(plex, gradient), over))
    return ExactGap(tuple(values), tuple(bests))


def _reach(plex: Treeplex, strategy: Floats) -> Whole:
    """Return the probability of each sequence; all have the denominator of the longest sequences."""
    chances = whole(strategy.tolist())
    one = 1 << chances.bits
    reach = [0] * plex.sequences
    reach[0] = one**plex.levels
    for first, last, parent in zip(
        plex.begin[:-1].tolist(), plex.begin[1:].tolist(), plex.parent.tolist(), strict=True
    ):
        here = chances.numbers[first:last]
        largest = here.index(max(here))
        here[largest] += one - sum(here)
        for action, chance in enumerate(here):
            # a choice adds a factor to the denominator; the number of the parent has this factor, so divide by it
            reach[first + action] = (reach[parent] >> chances.bits) * chance
    return Whole(reach, chances.bits * plex.levels)


def _best(plex: Treeplex, gradient: list[int]) -> int:
    """Return the value of a best response, by backward induction over the sets."""
    worth = gradient.copy()
    begin, parent = plex.begin.tolist(), plex.parent.tolist()
    for j in reversed(range(plex.sets)):
        worth[parent[j]] += max(worth[begin[j] : begin[j + 1]])
    return worth[0]
