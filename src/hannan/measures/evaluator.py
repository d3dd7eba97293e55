"""NashConv of many profiles of one game: arrays are laid out once, and each call runs one kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.errors import MismatchError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load_expanded
from hannan.kernels.gains import EACH, HEAD, measure
from hannan.strategies.profile import Profile


class Evaluator:
    """Measures profiles of one game, one after another.

    `hannan.evaluate` checks its arguments and returns a full record. An evaluator computes the same values and best
    responses without checks, for loops over many profiles of a small game: NashConv of Kuhn poker takes a few
    microseconds. Only one thread at a time may call it.

    Parameters
    ----------
    game
        A game that can be expanded.

    Examples
    --------
    >>> import hannan as hn
    >>> from hannan.methods import Evaluator
    >>> evaluator = Evaluator("kuhn_poker")
    >>> round(evaluator.nash_conv(hn.uniform("kuhn_poker").strategies), 6)
    0.916667
    """

    def __init__(self, game: Loadable) -> None:
        self.game: ExpandedGame = load_expanded(game)
        form = self.game.form
        plexes, players = form.treeplexes, form.players
        self._sizes = tuple(plex.sequences for plex in plexes)
        first = np.concatenate(([0], np.cumsum(self._sizes)))
        sequences = np.asarray(form.sequences, np.int64).reshape(-1)
        heads: list[int] = []
        parts: list[Any] = [sequences]
        place = HEAD + EACH * players + len(sequences)
        for p, plex in enumerate(plexes):
            heads += [plex.sets, plex.sequences, place, place + plex.sets + 1, int(first[p])]
            parts += [plex.begin, plex.parent]
            place += 2 * plex.sets + 1
        self._plan = np.concatenate(([players, form.entries], heads, *parts)).astype(np.int64)
        self._payoff = np.array([form.payoff(p) for p in range(players)], np.float64)
        self._strategy = np.zeros(int(first[-1]))
        self._parts = [self._strategy[first[p] : first[p + 1]] for p in range(players)]
        self._scratch = np.zeros(2 * players + 2 * int(first[-1]))
        self._players = players

    def nash_conv(self, strategies: Profile | Sequence[Floats]) -> float:
        """Return the sum of what each player could gain by its best deviation.

        Parameters
        ----------
        strategies
            A profile of this game, or one array of probabilities per player, as `Profile.strategies` holds them.
        """
        found = self._measured(strategies)
        if self._players == 2:
            return max(found.item(2) - found.item(0), 0.0) + max(found.item(3) - found.item(1), 0.0)
        gains = found[self._players : 2 * self._players] - found[: self._players]
        return float(np.maximum(gains, 0.0).sum())

    def values(self, strategies: Profile | Sequence[Floats]) -> tuple[float, ...]:
        """Return the expected utility of each player."""
        return tuple(self._measured(strategies)[: self._players].tolist())

    def gains(self, strategies: Profile | Sequence[Floats]) -> tuple[float, ...]:
        """Return what each player could gain by its best deviation."""
        found = self._measured(strategies)
        return tuple(np.maximum(found[self._players : 2 * self._players] - found[: self._players], 0.0).tolist())

    def _measured(self, strategies: Profile | Sequence[Floats]) -> Floats:
        """Measure; return values, then best values."""
        given = strategies.strategies if isinstance(strategies, Profile) else strategies
        try:
            for part, strategy in zip(self._parts, given, strict=True):
                part[:] = strategy
        except ValueError:
            sizes = " and ".join(map(str, self._sizes))
            raise MismatchError(
                f"the players of {self.game.address} have {sizes} sequences; the strategies given have other sizes"
            ) from None
        measure(self._plan, self._payoff, self._strategy, self._scratch)
        return self._scratch
