"""The result of a certification: a strategy, and a proof of how exploitable it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Literal

from hannan.arrays import Known
from hannan.certificates.certification import Certification
from hannan.certificates.files import Contents, contents, save
from hannan.errors import FileError
from hannan.strategies.strategy import Strategy

Stop = Literal["gap", "playthroughs", "seconds", "interrupted", "failed"]

RECORDED = (
    "game", "method", "radius", "confidence", "bounds", "groups", "playthroughs", "seconds", "simulator_seconds",
    "solve_seconds", "stop", "gap", "gaps", "true_gap", "guarantees", "value_bounds", "expanded", "trunk", "failures",
    "restarts", "uncertainty", "uncertainty_bound", "rounds_gap", "why", "seed", "similar",
)  # fmt: skip
"""The fields of a certificate that files and logs hold, in this order."""


@dataclass(frozen=True)
class Certificate:
    """A strategy of a two-player zero-sum game (or of one player), and what is proven about it; or correlated play.

    With probability at least `confidence` no player can add more than `gap` to what it earns by deviating; more
    exactly, the best responses of both add up to at most `gap` more than the strategies guarantee. Of correlated play
    player i can add at most `gaps[i]` by deviating alone, and `gap` is the largest of `gaps`.
    """

    game: str
    method: str
    radius: str
    confidence: float
    """The probability that all statements here, and at every earlier moment, are true. With the radius `paper` it is
    1 - 2/t², for this moment only."""
    bounds: str
    """The source of the bounds on gains, which were taken as given."""
    groups: str
    """The facts about chance that were taken as given."""
    children: bool
    """Whether bounds of children were taken as given before their first visit."""
    playthroughs: int
    seconds: float
    simulator_seconds: Known  # float | None
    """Seconds inside the box; None if playing, counting and learning are one kernel."""
    solve_seconds: float
    stop: Stop
    gap: float
    guarantees: Known  # tuple[float, ...] | None
    """The least that each player's strategy earns against any other strategy; None for correlated play."""
    value_bounds: Known  # tuple[float, float] | None
    """Bounds on the value of the game to player 0; None for correlated play."""
    expanded: int
    trunk: int
    seed: int
    seeded: bool
    """Whether the counts can be replayed."""
    strategy: Strategy = field(repr=False)
    """The certified strategy; for correlated play, a `CorrelatedPlay` of the profiles in `joint`."""
    joint: tuple[Strategy, ...] = field(default=(), repr=False)
    """For correlated play: the profiles, of which all players play one, drawn uniformly."""
    gaps: tuple[float, ...] | None = None
    """For correlated play: the most that each player can add by deviating."""
    why: str = ""
    """Why the method was chosen, if it was `auto`."""
    uncertainty: float | None = None
    """For Algorithm 7.2: U of Definition 5.4, in units of gains; `mccfr` estimates it without bias."""
    uncertainty_bound: float | None = None
    """The bound of Theorem 5.5 on its expectation."""
    rounds_gap: float | None = None
    """For Algorithm 7.2 with the radius `anytime`: the gap of the averages that follows from all rounds (section 7.3),
    ε̄ or, of `mccfr`, ε̃. `gap` is the smaller one of this and what follows from the counts alone."""
    failures: int = 0
    """Playthroughs at which a simulator failed twice, so that the failure counts as an outcome of chance."""
    restarts: int = 0
    """How often a simulator was restarted."""
    trouble: str = ""
    """The reason of the last missing answer of a simulator; files do not keep it."""
    true_gap: float | None = None
    """The NashConv of the strategy, if it was asked for and the game can be expanded."""
    failure: str = ""
    """The promise that the box broke, if it broke one; all else is from before that playthrough."""
    curve: tuple[Any, ...] = field(default=(), repr=False)
    """The bounds that were proven at each solve."""
    similar: bool = False
    """Whether families of similar chance nodes were taken as given, and their draws counted together."""
    told: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Further options that a verifier needs to build the box again."""
    work: Certification | None = field(default=None, repr=False, compare=False)
    """The trunk and all counts, which `save` writes."""
    kept: Contents | None = field(default=None, repr=False, compare=False)
    """For a copy or an unpickled certificate: the contents that `save` writes, in place of the work."""

    def __repr__(self) -> str:
        what = f"gap at most {self.gap:.6g} with probability {self.confidence:.6g}"
        return f"Certificate({self.game} by {self.method}: {what}, {self.playthroughs:,} playthroughs)"

    def _repr_html_(self) -> str:
        from hannan.markup import chart, facts, page

        proven = [(bound.playthroughs, bound.gap) for bound in self.curve]
        return page(f"certificate of {self.game}", facts(self.record()), chart(proven, "playthroughs", "proven gap"))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the certificate to a file that `hannan.verify` checks."""
        if (kept := self._contents()) is None:
            raise FileError("this certificate has lost its trunk, and cannot be written")
        save(kept, path)

    def _contents(self) -> Contents | None:
        """Return what `save` writes; None if the trunk is lost."""
        if self.work is None:
            return self.kept
        told = {"seeded": self.seeded, "children": self.children, "failure": self.failure, **self.told}
        return contents(self.work, self.record() | told)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for a copy or a pickle: the contents of the file in place of the box and its processes."""
        return {**self.__dict__, "work": None, "kept": self._contents()}

    def record(self) -> dict[str, Any]:
        """Return the facts for machines."""
        facts = {name: getattr(self, name) for name in RECORDED}
        return {name: list(fact) if isinstance(fact, tuple) else fact for name, fact in facts.items()}
