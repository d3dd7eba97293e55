"""NashConv of many profiles of one game: arrays are laid out once, and each call runs one kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.errors import MismatchError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load_expanded
from hannan.kernels.gains import measure
from hannan.layouts.layout import flat_of
from hannan.memory import require
from hannan.strategies.profile import Profile

WORD = 8
"""Bytes."""


class Evaluator:
    """Measures profiles of one game, one after another.

    `hannan.evaluate` checks its arguments and returns a full record. An evaluator computes the same values and best
    responses without checks, for loops over many profiles of a small game: NashConv of Kuhn poker takes
    less than a microsecond. Only one thread at a time may call it.

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
        flat = flat_of(self.game.form)
        begin, players, sets = flat.sequence_begin, self.game.players, len(flat.first)
        arrays: list[Any] = [np.array([players, sets, begin[-1], len(flat.payoff)], np.int64), *flat]
        room = (np.zeros(3 * begin[-1]), np.zeros(sets, np.int32), np.zeros(2 * players))
        sizes = [-(-array.nbytes // WORD) for array in (*arrays, *room)]
        require(WORD * sum(sizes), f"an evaluator of {self.game.address}")
        self._words = np.zeros(sum(sizes))
        places = np.concatenate(([0], np.cumsum(sizes))).tolist()
        for place, array in zip(places, arrays, strict=False):
            self._words[place:].view(array.dtype)[: array.size] = array.ravel()
        strategies = self._words[places[-4] : places[-4] + begin[-1]]
        self._parts = np.split(strategies, begin[1:-1])
        self._found = self._words[-2 * players :]
        self._players = players

    def nash_conv(self, strategies: Profile | Sequence[Floats]) -> float:
        """Return the sum of what each player could gain by its best deviation.

        Parameters
        ----------
        strategies
            A profile of this game, or one array of probabilities per player, as `Profile.strategies` holds them.
        """
        self._lay(strategies)
        total: float = measure(self._words)
        return total

    def values(self, strategies: Profile | Sequence[Floats]) -> tuple[float, ...]:
        """Return the expected utility of each player."""
        self._lay(strategies)
        measure(self._words)
        return tuple(self._found[: self._players].tolist())

    def gains(self, strategies: Profile | Sequence[Floats]) -> tuple[float, ...]:
        """Return what each player could gain by its best deviation."""
        self._lay(strategies)
        measure(self._words)
        return tuple(np.maximum(self._found[self._players :] - self._found[: self._players], 0.0).tolist())

    def _lay(self, strategies: Profile | Sequence[Floats]) -> None:
        """Write strategies to their place."""
        given = strategies.strategies if isinstance(strategies, Profile) else strategies
        try:
            if self._players == 2:  # a loop would take as long as the copies
                first, second = given
                self._parts[0][...] = first
                self._parts[1][...] = second
                return
            for part, strategy in zip(self._parts, given, strict=True):
                part[...] = strategy
        except ValueError:
            sizes = " and ".join(str(part.size) for part in self._parts)
            raise MismatchError(
                f"the players of {self.game.address} have {sizes} sequences; the strategies given have other sizes"
            ) from None
