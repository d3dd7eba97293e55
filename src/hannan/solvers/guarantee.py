"""The promise of a method: what converges, in which games, and how fast."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Guarantee:
    """The promise of one method; the sentences that people read are made from it."""

    zero_sum: str
    """The promise in two-player zero-sum games, constant-sum ones included."""
    elsewhere: str | None = None
    """The promise in all other games; None if there is none."""
    rate: str = ""
    """The rate in T iterations, or another fact about both promises."""
    caveat: str = ""

    def promise(self, opposed: bool) -> str | None:
        """Return the promise if two players' interests are opposed, or else in all other games; None: no promise."""
        about = self.zero_sum if opposed else self.elsewhere
        return None if about is None else self._sentence(about)

    def __str__(self) -> str:
        places = [f"{self.zero_sum} in two-player zero-sum games"]
        if self.elsewhere is not None:
            places.append(f"{self.elsewhere} elsewhere")
        return self._sentence(", ".join(places))

    def _sentence(self, about: str) -> str:
        text = f"{about}, {self.rate}" if self.rate else about
        return f"{text}; {self.caveat}" if self.caveat else text


NO_REGRET = Guarantee("average profile → Nash", "correlated average → CCE", "O(1/√T)")
"""The promise of every no-regret method."""

UNSTATED = Guarantee("no stated promise")
"""The promise of a method whose class states none."""
