"""Calling a kernel until it is done: what it runs out of is made larger, what it meets is raised as a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hannan.errors import HannanError
from hannan.kernels.statuses import DONE, TOO_WIDE
from hannan.rules.source import Source

Answer = Callable[[], bool | None]
"""What is done about a status, before the kernel is called again; True: it is not."""


def drive(
    source: Source | None,
    call: Callable[[], Any],
    error: Callable[[int], HannanError],
    answers: Mapping[int, Answer],
    written: Callable[[], tuple[Sequence[Any], Sequence[Any]]],
) -> int:
    """Call a kernel until it is done, or until an answer wants no more of it; return its last status.

    source: None where the kernel walks a tree, and asks no rules. answers: what is done about each status that asks for
    something; of `TOO_WIDE`, where plain rules named more moves than there was room for, and `source.width` has grown.
    written: the fenced arrays, and the states, that the rules write into. error: what any other status says, with the
    path of play.
    """
    while True:
        status = int(call())
        if source is not None:
            arrays, states = written()
            source.check(status, *arrays, states=states)
        if status == DONE:
            return status
        answer = answers.get(status) if status != TOO_WIDE or (source is not None and source.widened()) else None
        if answer is None:
            raise error(status)
        if answer():
            return status
