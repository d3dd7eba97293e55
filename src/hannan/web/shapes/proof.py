"""Shapes of certificates, equilibria, logs and matches. docs/reference/explorer_api.md explains them."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from hannan.web.shapes.common import Numbers, Page, Row
from hannan.web.shapes.session import Point


class BoundPoint(TypedDict):
    """The bounds that were proven after some playthroughs."""

    playthroughs: int
    gap: float | None
    lower: float | None
    upper: float | None
    gap_text: str


class Certificate(TypedDict):
    """A certificate."""

    file: str
    facts: dict[str, Any]
    rows: list[Row]
    curve: list[BoundPoint]
    curve_from: Literal["log", "checkpoint"] | None
    curve_file: str | None


class TrunkItem(TypedDict):
    """A part of a trunk."""

    name: str
    player: int | None
    kind: Literal["set", "chance"]
    count: int | None
    radius: float | None
    radius_text: str
    nodes: int
    leaves: int


class Trunk(Page[TrunkItem]):
    """The counts and radii of a trunk."""

    nodes: int
    sets: int
    expanded: int
    unknown: int
    radius: str


class EquilibriumRow(TypedDict):
    """An action of an equilibrium."""

    label: str
    probability: float | None
    probability_text: str


class EquilibriumStrategy(TypedDict):
    """The strategy of a player in an equilibrium."""

    player: int
    rows: list[EquilibriumRow]


class Equilibrium(TypedDict):
    """One equilibrium of a file."""

    number: int
    payoffs: list[str]
    proof: str | None
    radius: str | None
    regret: str | None
    index: int | None
    strategies: list[EquilibriumStrategy]


class Equilibria(Page[Equilibrium]):
    """A file of equilibria."""

    file: str
    game: str | None
    complete: bool | None
    why: str


class Log(TypedDict):
    """A log."""

    file: str
    game: str | None
    method: str | None
    label: str
    counts: str
    stop: str | None
    points: list[Point]
    thinned: bool


class Match(TypedDict):
    """A match."""

    file: str
    game: str | None
    players: list[str]
    rounds: int
    scores: Numbers
    scores_text: list[str]
    interval_half_widths: Numbers
    rows: list[Row]
