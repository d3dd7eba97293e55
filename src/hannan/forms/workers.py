"""Workers that can load what this process has loaded: they look for modules in the folders of the user's files."""

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

    Call it after games, strategies and methods are loaded: the folders of their files are sent along.
    `memory` is the bytes that one worker needs.
    """
    return workers_of(chosen["on"], chosen["workers"], code=user_folders(), memory=memory)


def hired(on: Any, workers: Any) -> AbstractContextManager[Workers]:
    """Start the workers that a function is asked for, unless `workers` are some that run already: these go on."""
    return nullcontext(workers) if isinstance(workers, Workers) else open_workers(spread(on, workers))
