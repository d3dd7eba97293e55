"""Workers that can import the user's code of this process: they search the folders of its files."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from hannan.forms.loader import user_folders
from hannan.pieces.choice import workers_of
from hannan.pieces.options import spread
from hannan.pieces.workers import Workers


def open_workers(chosen: Mapping[str, Any], memory: int | None = None) -> Workers:
    """Start the workers that the options `on` and `workers` ask for.

    Call it after games, strategies and methods are loaded: workers get the folders of their files.
    `memory` is the bytes that one worker needs.
    """
    return workers_of(chosen["on"], chosen["workers"], code=user_folders(), memory=memory)


def hired(on: Any, workers: Any) -> AbstractContextManager[Workers]:
    """Start workers for the options `on` and `workers`; if `workers` run already, use them and leave them running."""
    return nullcontext(workers) if isinstance(workers, Workers) else open_workers(spread(on, workers))
