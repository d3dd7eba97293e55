"""The result of a solve, and how good it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hannan import addresses
from hannan.arrays import Known
from hannan.errors import UnsuitableError
from hannan.runs.progress import Plottable, Point, Stop
from hannan.solvers import METHODS, method_class
from hannan.strategies.profile import Profile
from hannan.strategies.strategy import Strategy

KEYS = (
    "game", "method", "parameters", "updates", "iterations", "seconds", "stop", "gap", "nash_conv", "exploitability",
    "gains", "cce_gap", "values", "seed",
)  # fmt: skip

SPREAD = ("variance", "given_visit")
"""The keys that a record has only if the variance was asked for."""


@dataclass(frozen=True)
class Result(Plottable):
    """The strategies and numbers of a solve. Numbers are exact, except for games that were not expanded.

    For those, gaps are None (null in JSON), `values` are estimated from plays, and `half_widths` bounds their error.
    """

    game: str
    method: str
    parameters: Mapping[str, Any]
    """The parameters of the method that change numbers, defaults included."""
    updates: str | None
    why: str
    """Why the method was chosen, if it was chosen automatically."""
    iterations: int
    seconds: float
    """Seconds of solving, without compiling and evaluating."""
    stop: Stop
    gap: Known  # float | None
    """NashConv in two-player zero-sum games, the CCE gap of the average play elsewhere; of efce, the EFCE gap."""
    gap_name: str
    """The name of the gap: NashConv, CCE gap or EFCE gap."""
    nash_conv: Known  # float | None
    exploitability: Known  # float | None
    gains: Known  # tuple[float, ...] | None
    cce_gap: float | None
    values: Known  # tuple[float, ...] | None
    half_widths: Known  # tuple[float, ...] | None
    """If values are estimates: bounds on their errors, which hold all together with probability 0.95.

    None: values are exact, or no bound is known because the range of payoffs is unknown.
    """
    interval_half_widths: tuple[float, ...] | None
    """Half-widths of normal intervals: approximations, not bounds. None: values are exact, or not known."""
    seed: int
    strategy: Strategy
    """The strategies: a profile; if the game was not expanded, a table of the visited sets, or networks."""
    curve: tuple[Point, ...]
    ignored_gap: float | None = None
    """The given limit on the gap, if it was ignored because the game is too large to measure a gap."""
    stopped: str = ""
    """Why the method could not continue, such as a memory limit that it reached; empty if it could."""
    unaveraged: int = 0
    """Iterations that `strategy` does not include: the run was stopped during the training of their average."""
    trained: bool = True
    """Whether the average was trained, for methods that train one: else `strategy` has learnt nothing."""
    unestimated: str = ""
    """Why `values` could not be estimated; empty if they could."""
    fewer_plays: int | None = None
    """Plays for each player from which `values` are estimated, if fewer than planned."""
    variance: float | None = None
    """The variance of a sampler's estimates at the end, summed over all sequences; None if it was not asked for."""
    given_visit: float | None = None
    """The variance of the values given the visit, each times the probability of the visit, summed likewise."""

    measure_seconds: float | None = None
    """Seconds spent measuring, not in `seconds`, if the method trains its average at each measurement; else None."""

    findings: Mapping[str, Any] = field(default_factory=dict)
    """Further facts of the method, by key: for an exact search its nodes, matrix solves, cut-offs and bounds."""

    story: str = ""
    """The choices of a method that chooses among others, in one line."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Further remarks for the end of the run, as sentences."""
        said = [self.story, self.stopped]
        if self.unaveraged:
            said.append(
                f"the run was stopped inside the training of the average after {self.iterations + self.unaveraged:,} "
                f"iterations: this is the average after {self.iterations:,}"
            )
        if not self.trained:
            said.append("the training of the average was interrupted, so that this strategy has learnt nothing")
        said.append(self.unestimated)
        if not self.unestimated and self.fewer_plays is not None:
            said.append(f"the values are estimated from {self.fewer_plays:,} plays for each player")
        return tuple(filter(None, said))

    @property
    def note(self) -> str:
        """The remarks in one text, with the limit that was ignored."""
        return ". ".join(filter(None, (ignored_gap(self.game, self.ignored_gap), *self.remarks)))

    @property
    def profile(self) -> Profile:
        """The strategy of each player, as a profile."""
        if not isinstance(self.strategy, Profile):
            raise UnsuitableError(f"{self.game} was not expanded: its `strategy` is {self.strategy.kind}")
        return self.strategy

    def record(self) -> dict[str, Any]:
        """Return the numbers as one object that JSON can hold. Numbers that were not measured are null."""
        numbers = {name: getattr(self, name) for name in KEYS}
        if self.interval_half_widths is not None:
            numbers |= {"half_widths": self.half_widths, "interval_half_widths": self.interval_half_widths}
        if self.measure_seconds is not None:
            numbers["measure_seconds"] = self.measure_seconds
        numbers |= self.findings
        return numbers if self.variance is None else {**numbers, **{name: getattr(self, name) for name in SPREAD}}

    def __repr__(self) -> str:
        gaps = "not expanded" if self.gap is None else f"gap {self.gap:.3g}, NashConv {self.nash_conv:.3g}"
        values = None if self.values is None else [round(value, 6) for value in self.values]
        return (
            f"Result({self.game} by {self.method}: {gaps}, values {values}, "
            f"{self.iterations} iterations in {self.seconds:.3g} s, stopped by {self.stop})"
        )


def ignored_gap(game: str, gap: float | None) -> str:
    """Return a remark that the limit on the gap is ignored; an empty text without a limit."""
    return "" if gap is None else f"{game} is too large to measure a gap: the limit gap={gap:g} is ignored"


def method_text(method: str, parameters: Mapping[str, Any]) -> str:
    """Write a method with the parameters that differ from its defaults, as in `dcfr(alpha=1.5)`.

    The class of a user's method may not be importable here. Then all its own parameters are written, and the parameters
    that it shares with our methods if they differ from our defaults.
    """
    if method not in METHODS:
        ours = {**method_class("mccfr-es").parameter_defaults(), **method_class("cfr").parameter_defaults()}
        return addresses.write(method, parameters, ours)
    defaults = method_class(method).parameter_defaults()
    return addresses.write(method, {name: value for name, value in parameters.items() if name in defaults}, defaults)
