"""What a method promises: what converges, in which games, and how fast."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Guarantee:
    """The promise of one method; the sentences that people read are made from it."""

    zero_sum: str
    """What happens in two-player zero-sum games, constant-sum ones included."""
    elsewhere: str | None = None
    """What happens in all other games; None where nothing is promised."""
    rate: str = ""
    """How fast, in T iterations, or what else is true of both."""
    caveat: str = ""

    def promise(self, opposed: bool) -> str | None:
        """Return what is promised where two players' interests are opposed, or in all other games; None: nothing."""
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
"""What every method without regret promises."""

UNSTATED = Guarantee("no stated promise")
"""Of a method whose class says nothing."""
