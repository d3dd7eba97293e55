"""A simulator that can only be played, certified: how exploitable is what we would bid in a sealed auction?

    hannan certify module:examples/black_box.py:Auction --gap 1.5 --out auction.certificate

Two bidders each draw a private value from 1 to 3 and bid up to it; the higher bid wins its value less the bid, a tie
pays nobody. Player 0 counts what it wins minus what player 1 wins. Of the odds of the values nothing is told.
"""

from __future__ import annotations

import random
from typing import Any

import hannan as hn

VALUES = (1, 2, 3)


class Auction(hn.Box):
    """The box shows each bidder its own value, and lets both bid at once."""

    def reset(self, seed: int) -> hn.boxes.View:
        self.random = random.Random(seed)
        self.values: list[int] = []
        return self._drawn()

    def _drawn(self) -> hn.boxes.View:
        value = self.random.choice((1, 2, 3, 3))
        self.values.append(value)
        draw = hn.boxes.ChanceMove(value, VALUES, group="value")  # both values are drawn from the same urn
        return hn.boxes.View([0.0, 0.0], [(-3.0, 3.0), (-3.0, 3.0)], draw=draw)

    def step(self, moves: tuple[Any, ...]) -> hn.boxes.View:
        if not moves:
            if len(self.values) < 2:
                return self._drawn()
            menus = [range(value + 1) for value in self.values]
            return hn.boxes.View([0.0, 0.0], None, (0, 1), menus, self.values)
        first, second = moves
        won = 0.0
        if first != second:
            won = float(self.values[0] - first) if first > second else -float(self.values[1] - second)
        return hn.boxes.View([won, -won])


if __name__ == "__main__":
    certificate = hn.certify(Auction(), playthroughs=3000, confidence=0.99)
    certificate.save("auction.certificate")
    print(certificate)
    print(hn.verify("auction.certificate", Auction()))
