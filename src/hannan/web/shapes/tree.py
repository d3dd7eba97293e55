"""Shapes of histories. docs/reference/explorer_api.md explains them."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from hannan.web.shapes.common import Numbers, Page


class Crumb(TypedDict):
    """A step of the way to a history."""

    path: str
    label: str
    actor: str | None


class NodeSet(TypedDict):
    """An information set of a mover."""

    key: str
    player: int
    number: int | None
    name: str
    histories: int | None
    reach: float | None
    frequency: float | None
    value: float | None
    value_text: str
    entropy: float | None


class Move(TypedDict):
    """A move at a history."""

    index: int
    path: str
    label: str
    help: str
    actor: str
    probability: float | None
    probability_text: str
    reach: float | None
    value: float | None
    value_text: str
    regret: float | None
    regret_text: str
    utilities: Numbers | None
    utilities_text: list[str]
    kind: str


class MatrixAction(TypedDict):
    """A row or a column of joint moves."""

    label: str
    help: str
    probability: float | None
    probability_text: str
    value: float | None
    value_text: str
    regret: float | None
    regret_text: str


class MatrixCell(TypedDict):
    """A joint move."""

    index: int
    path: str
    probability: float | None
    probability_text: str
    reach: float | None
    utilities: Numbers | None
    utilities_text: list[str]
    kind: str


class Matrix(TypedDict):
    """The joint moves of two players."""

    players: list[int]
    rows: list[MatrixAction]
    columns: list[MatrixAction]
    cells: list[list[MatrixCell]]


class Node(TypedDict):
    """A history."""

    game: str
    path: str
    text: str
    crumbs: list[Crumb]
    kind: Literal["chance", "decision", "joint", "end"]
    movers: list[int]
    gains: Numbers
    earned: Numbers
    earned_text: list[str]
    reach: float | None
    utilities: Numbers | None
    utilities_text: list[str]
    sets: list[NodeSet]
    board: str
    moves: Page[Move]
    matrix: Matrix | None


class DrawnNode(TypedDict):
    """A history in a drawing."""

    path: str
    parent: str | None
    index: int | None
    label: str
    actor: str | None
    kind: str
    player: int | None
    set: str | None
    name: str | None
    gains: Numbers
    earned_text: list[str]
    probability: float | None
    probability_text: str
    reach: float | None
    utilities: Numbers | None
    children: int
    shown: int


class SharedSet(TypedDict):
    """An information set that several drawn histories share."""

    key: str
    player: int
    number: int | None
    name: str
    paths: list[str]


class Subtree(TypedDict):
    """A part of the tree."""

    root: str
    cut: bool
    nodes: list[DrawnNode]
    sets: list[SharedSet]


class Found(TypedDict):
    """An information set, with a history in it."""

    key: str
    player: int
    number: int
    name: str
    path: str
    text: str
