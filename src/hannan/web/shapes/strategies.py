"""Shapes of information sets and public nodes. docs/reference/explorer_api.md explains them."""

from __future__ import annotations

from typing_extensions import TypedDict

from hannan.web.shapes.common import Numbers, Page
from hannan.web.shapes.session import Strategy


class Evaluation(TypedDict):
    """The values of a strategy, and the gains of best responses."""

    values: Numbers | None
    values_text: list[str]
    gains: Numbers | None
    gains_text: list[str]
    nash_conv: float | None
    nash_conv_text: str
    exploitability: float | None
    exploitability_text: str
    exact: bool


class SetAction(TypedDict):
    """An action at an information set."""

    label: str
    probability: float | None
    probability_text: str
    value: float | None
    value_text: str
    regret: float | None
    regret_text: str


class SetItem(TypedDict):
    """An information set under a strategy."""

    key: str
    player: int
    number: int | None
    name: str
    reach: float | None
    frequency: float | None
    value: float | None
    regret: float | None
    entropy: float | None
    reach_text: str
    frequency_text: str
    value_text: str
    regret_text: str
    entropy_text: str
    actions: list[SetAction]


class CellPlace(TypedDict):
    """The place of a set in the grid."""

    row: str
    column: str
    label: str


class SetDetail(SetItem):
    """One information set."""

    path: str
    histories: int
    cell: CellPlace | None


class Sets(Page[SetItem]):
    """Information sets of a strategy."""

    exact: bool


class Cell(TypedDict):
    """A cell of a grid."""

    key: str
    player: int
    number: int
    name: str
    label: str
    frequencies: Numbers
    frequencies_text: list[str]
    reach: float | None
    frequency: float | None
    value: float | None
    value_text: str


class Grid(TypedDict):
    """A grid of information sets."""

    player: int
    rows: list[str]
    row_title: str
    column_title: str
    columns: list[str]
    total: int
    offset: int
    limit: int
    actions: list[str]
    cells: list[list[Cell | None]]


class DifferentAction(TypedDict):
    """An action under two strategies."""

    label: str
    a: float | None
    b: float | None
    difference: float | None
    a_text: str
    b_text: str
    difference_text: str


class Difference(TypedDict):
    """An information set under two strategies."""

    key: str
    player: int
    number: int
    name: str
    variation: float
    variation_text: str
    weighted: float
    frequency_a: float | None
    frequency_b: float | None
    locked: bool
    actions: list[DifferentAction]


class ValueDifference(TypedDict):
    """The values of both strategies."""

    a: Numbers
    b: Numbers
    difference: Numbers
    a_text: list[str]
    b_text: list[str]
    difference_text: list[str]


class Comparison(Page[Difference]):
    """Two strategies of one game."""

    a: Strategy
    b: Strategy
    values: ValueDifference
    mean_variation: float
    mean_variation_text: str


class PublicRow(TypedDict):
    """A hand, a group of hands, or all hands of a player."""

    name: str
    weight: float | None
    matchups: float | None
    equity: float | None
    ev: float | None
    eqr: float | None
    frequencies: Numbers | None
    action_evs: Numbers | None
    weight_text: str
    equity_text: str
    ev_text: str
    eqr_text: str
    frequencies_text: list[str]


class PublicMove(TypedDict):
    """An action at a public node."""

    label: str
    at: str
    frequency: float | None
    frequency_text: str
    ev: float | None
    ev_text: str
    range: str | None


class PublicPlace(TypedDict):
    """A place in public play."""

    label: str
    at: str


class PublicPlayer(TypedDict):
    """A player at a public node."""

    player: int
    name: str
    total: PublicRow


class PublicGrid(TypedDict):
    """The square grid of poker tools."""

    ranks: list[str]
    cells: list[list[PublicRow | None]]


class PublicNode(TypedDict):
    """A node of a public tree."""

    game: str
    at: str
    board: str
    pot: float | None
    pot_text: str
    acts: str
    actor: int | None
    crumbs: list[PublicPlace]
    moves: list[PublicMove]
    cards: list[PublicPlace]
    player: int
    player_name: str
    range: str | None
    total: PublicRow
    players: list[PublicPlayer]
    grid: PublicGrid | None
    groups: list[PublicRow]
