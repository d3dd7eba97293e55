"""What a method promises on a particular kind of game, read off the one line that each method says of itself.

A `Solver.guarantee` is a list of clauses. One that names two-player zero-sum games is about these (constant-sum ones
included), one that says `elsewhere` about all others, and what names neither qualifies both.
"""

from __future__ import annotations

from hannan.forms.sizes import Sizes

ZERO_SUM = "two-player zero-sum game"
ELSEWHERE = "elsewhere"


def promise(guarantee: str, opposed: bool) -> str | None:
    """Return the part of a guarantee that is about games with opposed interests, or about all others; None: nothing."""
    clauses = guarantee.split(", ")
    other = ELSEWHERE if opposed else ZERO_SUM
    kept = [clause for clause in clauses if other not in clause]
    about = [clause for clause in kept if (ZERO_SUM if opposed else ELSEWHERE) in clause]
    if not about:
        return None
    text = ", ".join(kept)
    for words in (f" in {ZERO_SUM}s", f" of a {ZERO_SUM}", f" {ELSEWHERE}"):
        text = text.replace(words, "")
    return text


def statement(sizes: Sizes) -> str:
    """Say what may be expected of methods on a game of this kind."""
    if sizes.competitive:
        return "two players with opposed interests: NashConv goes to 0, and says how far a profile is from equilibrium"
    if sizes.players == 1:
        return "one player: an equilibrium is a best strategy, and NashConv is what a strategy leaves to be gained"
    who = "two players, general-sum" if sizes.players == 2 else f"{sizes.players} players"
    return (
        f"{who}: no method here is proven to find a Nash equilibrium. With simultaneous updates correlated average "
        "play approaches a coarse correlated equilibrium: the CCE gap says how close it is. The NashConv of a profile "
        "is exact for that profile, and need not go to 0"
    )
