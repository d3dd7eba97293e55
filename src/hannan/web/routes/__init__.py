"""The routes of the interface: one file per view, each with a function from the session to its routes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

Offset = Annotated[int, Query(ge=0, le=2**53, description="Number of items to skip before the page.")]
Limit = Annotated[int, Query(ge=1, le=500, description="The most items in the page.")]
Id = Annotated[str, Path(max_length=40)]
Named = Annotated[str, Query(max_length=40)]
Player = Annotated[int | None, Query(ge=0, le=63)]
Like = Annotated[str, Query(max_length=1000, description="A part of a name, or a pattern with * and ?.")]
File = Annotated[str, Query(max_length=1000, description="A file, as /files names it.")]
