"""The recipe of a sampler's streams: the data to make any of them in any process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from hannan.arrays import Floats
from hannan.forms.game import PlayedGame
from hannan.kernels.sampling.records import Board, SamplingPlan
from hannan.solvers.sampling.kept import Kept
from hannan.solvers.sampling.rules_stream import RulesStream
from hannan.solvers.sampling.streams import Stream
from hannan.solvers.sampling.tables import pack
from hannan.splitmix import first_random
from hannan.strategies.policy import Policy

State = Mapping[str, Any]
"""The arrays of a stream, as `Stream.state` returns them."""


@dataclass(frozen=True)
class StreamRecipe:
    """The recipe of a sampler's streams. It is sent to workers without the packed tree, which they pack again."""

    game: PlayedGame
    plan: SamplingPlan
    guide: Policy | None
    tree: bool
    """Whether walks go over the expanded tree, or over the rules."""
    seed: int
    streams: int
    limit: int | None
    """The most bytes that the growing tables of one stream may take."""
    terms: Floats | None = None
    """For Hedge over plans: the numbers subtracted from payoffs, and the rates, [2, players]."""
    table: Kept = "full"

    @cached_property
    def board(self) -> Board:
        """The tree, packed for walks; all streams of a process share it."""
        return pack(self.game.expanded().tree)

    @cached_property
    def _kept(self) -> Stream:
        """A stream on the tree. Its tables have a fixed size, so it can take the state of any other stream."""
        return self.stream(0)

    def stream(self, number: int) -> Stream:
        """Return a stream before its first walk."""
        random = first_random(self.seed, number)
        if self.tree:
            stream = Stream(self.game, self.plan, self.board, random, self.guide)
        else:
            stream = RulesStream(self.game, self.plan, random, self.limit, self.guide, self.streams, self.table)
        if self.terms is not None:
            stream.tables.terms[...] = self.terms
        return stream

    def restored(self, number: int, state: State) -> Stream:
        """Return a stream that continues from a state. It is valid until the next call."""
        stream = self._kept if self.tree else self.stream(number)
        stream.restore(state)
        return stream

    def __reduce__(self) -> tuple[Any, ...]:
        return StreamRecipe, tuple(getattr(self, field.name) for field in fields(self))
