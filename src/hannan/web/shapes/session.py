"""Shapes of open games and strategies, runs, and choices. docs/reference/explorer_api.md explains them."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from hannan.web.shapes.common import Page


class Game(TypedDict):
    """A game that is open."""

    id: str
    address: str
    name: str
    state: Literal["loading", "ready", "failed"]
    error: str | None
    kind: str | None
    players: int | None
    player_names: list[str]
    sum: str | None
    histories: int | None
    information_sets: list[int] | None
    known_value: float | None
    built_in: bool
    views: list[str]


class Strategy(TypedDict):
    """A strategy that is open."""

    id: str
    game: str
    name: str
    source: Literal["uniform", "file", "run", "python"]
    file: str | None
    run: str | None
    state: Literal["loading", "ready", "failed"]
    error: str | None
    kind: str | None
    exact: bool
    facts: dict[str, Any]


class Limits(TypedDict):
    """When a run stops."""

    gap: float | None
    iterations: int | None
    seconds: float | None


class Run(TypedDict):
    """A solve."""

    id: str
    name: str
    game: str | None
    address: str
    method: str
    method_text: str
    parameters: dict[str, Any]
    options: dict[str, Any]
    why: str
    state: str
    error: str | None
    limits: Limits
    iteration: int
    seconds: float | None
    gap: float | None
    gap_name: str | None
    gap_text: str
    rate: float | None
    left: float | None
    left_at_most: bool
    text: str
    stop: str | None
    result: dict[str, Any] | None
    locks: list[dict[str, Any]]
    locks_text: list[str]
    base: str | None
    strategy: str | None
    can: list[str]
    created: str


class Point(TypedDict):
    """One measurement of a run."""

    iteration: int
    seconds: float | None
    gap: float | None
    nash_conv: float | None
    gap_text: str


class Curve(TypedDict):
    """The measurements of a run."""

    run: str
    points: list[Point]
    thinned: bool


class Job(TypedDict):
    """The check of a file."""

    id: str
    kind: str
    file: str
    level: str
    state: Literal["queued", "running", "finished", "failed", "stopped"]
    error: str | None
    result: dict[str, Any] | None


class TableAction(TypedDict):
    """An action that a person may take."""

    index: int
    label: str
    help: str


class TableChoice(TypedDict):
    """A choice that a person made."""

    seen: str
    action: str
    cost: float | None
    cost_text: str
    best: str | None


class Score(TypedDict):
    """The score over several plays."""

    plays: int
    total: float
    mean: float | None
    cost: float | None
    cost_per_play: float | None
    total_text: str
    mean_text: str
    cost_text: str
    cost_per_play_text: str


class Table(TypedDict):
    """A table at which a person plays."""

    id: str
    game: str
    strategy: str
    seat: int
    play: int
    state: Literal["choosing", "over"]
    seen: str
    board: str
    actions: list[TableAction]
    moves: list[str] | None
    earned: float | None
    earned_text: str | None
    choices: list[TableChoice]
    score: Score


class TablePlay(TypedDict):
    """A play that is over."""

    number: int
    seat: int
    earned: float
    earned_text: str
    moves: list[str]
    choices: list[TableChoice]


class Hint(TypedDict):
    """The strategy's probabilities of the actions."""

    actions: list[dict[str, Any]]


class Session(TypedDict):
    """Everything that is open."""

    version: str
    api: int
    folder: str
    writable: bool
    notebook: bool
    games: list[Game]
    strategies: list[Strategy]
    runs: list[Run]
    jobs: list[Job]
    tables: list[Table]
    last_event: int


class GameParameter(TypedDict):
    """A parameter of a built-in game."""

    name: str
    default: Any
    default_text: str
    meaning: str


class CatalogueEntry(TypedDict):
    """A built-in game."""

    name: str
    summary: str
    source: str
    example: str
    parameters: list[GameParameter]


class FileEntry(TypedDict):
    """A file of the folder."""

    file: str
    kind: str
    game: str | None
    method: str | None
    size: int
    size_text: str
    modified: str


class Files(Page[FileEntry]):
    """Files of the folder."""

    kinds: dict[str, int]


class MethodParameter(TypedDict):
    """A parameter of a method, or an option of all methods."""

    name: str
    kind: Literal["number", "whole", "truth", "choice", "text"]
    default: Any
    default_text: str
    choices: list[str] | None
    meaning: str


class Method(TypedDict):
    """A method."""

    name: str
    summary: str
    guarantee: str
    paper: str | None
    suits: bool | None
    why_not: str | None
    parameters: list[MethodParameter]


class Methods(Page[Method]):
    """All methods, and the options and limits that they share."""

    options: list[MethodParameter]
    limits: list[MethodParameter]
