"""Shapes that all answers share. docs/reference/explorer_api.md explains them."""

from __future__ import annotations

from typing import Generic, TypeVar

from typing_extensions import TypedDict

T = TypeVar("T")
Numbers = list[float | None]
"""None: not known, or not defined there."""


class Error(TypedDict):
    """The form of every error."""

    error: str
    kind: str


class Page(TypedDict, Generic[T]):
    """A part of a list."""

    total: int
    offset: int
    limit: int
    items: list[T]


class Row(TypedDict):
    """A fact in words."""

    name: str
    text: str


class Saved(TypedDict):
    """A file that was written."""

    file: str
