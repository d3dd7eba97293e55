"""Shapes of bodies: what a page may send. docs/reference/explorer_api.md explains them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Body(BaseModel):
    """The body of a request. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class GameBody(Body):
    """The game to open."""

    address: str | None = Field(None, max_length=100_000)
    file: str | None = Field(None, max_length=1000)


class StrategyBody(Body):
    """The strategy to open."""

    game: str | None = None
    source: Literal["uniform"] | None = None
    file: str | None = Field(None, max_length=1000)


class SaveBody(Body):
    """The name to save under."""

    name: str = Field(max_length=200)
    replace: bool = False


class LimitsBody(Body):
    """When to stop."""

    gap: float | None = None
    iterations: int | None = None
    seconds: float | None = None


class LockBody(Body):
    """The sets to lock, and their probabilities."""

    player: int
    set: str | None = Field(None, max_length=10_000)
    actions: dict[str, float] | None = None
    strategy: str | None = None


class RunBody(Body):
    """The solve to start."""

    game: str
    method: str = Field("auto", max_length=100)
    name: str = Field("", max_length=100)
    parameters: dict[str, float | int | bool | str | None] = {}
    options: dict[str, float | int | bool | str | None] = {}
    limits: LimitsBody = LimitsBody()
    start: str | None = None
    locks: list[LockBody] = Field([], max_length=1000)
    base: str | None = None


class RunChange(Body):
    """The changes to a run."""

    name: str | None = Field(None, max_length=100)
    limits: LimitsBody | None = None


class TableBody(Body):
    """The table to open."""

    game: str
    strategy: str
    seat: int | None = None
    seed: int | None = None


class ActBody(Body):
    """The action to take."""

    action: int


class VerifyBody(Body):
    """The file to check, and the level."""

    file: str = Field(max_length=1000)
    level: Literal["arithmetic", "counts", "reproduced", "game"] = "arithmetic"
