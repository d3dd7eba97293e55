"""How large a game is, and how much memory its views take, before anything large is allocated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.errors import UnsuitableError
from hannan.forms.sequence import SequenceForm
from hannan.forms.survey import Survey
from hannan.forms.tree import GameTree


def check_decisions(game: str, form: SequenceForm) -> None:
    """Refuse to solve a game in which nobody ever decides."""
    if not any(plex.sets for plex in form.treeplexes):
        raise UnsuitableError(
            f"nobody ever decides in {game}: there is nothing to solve. evaluate says what it is worth; if players "
            "should move, look at what turn() returns"
        )


@dataclass(frozen=True)
class Sizes:
    """The counts of a game."""

    players: int
    histories: int
    serialised: int
    """As `histories`, with joint moves made one after another."""
    terminal: int
    chance: int
    decision: int
    joint: int
    depth: int
    """Moves in the longest play."""
    sets: tuple[int, ...]
    sequences: tuple[int, ...]
    entries: int
    """Nodes on which somebody gains: an upper bound on the payoff entries of the sequence form."""
    lowest: tuple[float, ...]
    highest: tuple[float, ...]
    total: float | None
    slots: int
    alike: tuple[int, ...] = ()
    """Of each player, how many sets the rules present like another one: its own choices before keep them apart."""

    @property
    def kind(self) -> str:
        """Zero-sum, constant-sum or general-sum; or that there is nothing to play."""
        if not any(self.sets):
            return "nobody ever decides"
        if self.total is None or self.players == 1:
            return "one player" if self.players == 1 else "general-sum"
        return "zero-sum" if self.total == 0 else f"constant-sum ({self.total:g})"

    @property
    def competitive(self) -> bool:
        """Whether there are two players whose utilities have a constant sum."""
        return self.players == 2 and self.total is not None

    @property
    def tree_bytes(self) -> int:
        """What the arrays of `GameTree` take."""
        return 22 * self.histories + 4 * self.slots + self.entries * (4 + 8 * self.players)

    @property
    def form_bytes(self) -> int:
        """What the arrays of `SequenceForm` take."""
        rows = 1 if self.players == 2 and self.total == 0.0 else self.players
        return self.entries * (4 * self.players + 8 * rows) + 12 * sum(self.sets) + 20 * sum(self.sequences)

    @property
    def flat_bytes(self) -> int:
        """What the kernels' copy of the payoffs and treeplexes takes."""
        payoffs = self.players * self.entries * (4 * (self.players - 1) + 8)
        return payoffs + 8 * sum(self.sequences) + 12 * sum(self.sets)

    @property
    def learning_bytes(self) -> int:
        """What a full-width method adds: five numbers a sequence, six where correlated play is kept."""
        arrays = 5 if self.competitive else 6
        return 8 * arrays * sum(self.sequences)

    @property
    def layout_bytes(self) -> int:
        """What the tiled layout takes: blocks are no larger than the rows, or they would be rows."""
        return self.flat_bytes + 12 * sum(self.sequences)

    @property
    def compile_bytes(self) -> int:
        """The most memory at one time while the three views are made."""
        return self.tree_bytes + 2 * self.form_bytes + max(self.flat_bytes, 8 * self.entries)

    @staticmethod
    def of_survey(survey: Survey, players: int) -> Sizes:
        """Return the sizes of a compiled game that was counted and not stored."""
        ends, chances, decisions, joints, extra = (int(kind) for kind in survey.kinds)
        owned = [survey.sets.player == p for p in range(players)]
        return Sizes(
            players=players,
            histories=survey.nodes,
            serialised=survey.nodes + extra,
            terminal=ends,
            chance=chances,
            decision=decisions,
            joint=joints,
            depth=int(np.count_nonzero(survey.counts[0])) - 1,
            sets=tuple(int(mine.sum()) for mine in owned),
            sequences=tuple(1 + int(survey.sets.size[mine].sum()) for mine in owned),
            entries=int(survey.counts[2].sum()),
            lowest=tuple(survey.span[0, :-1].tolist()),
            highest=tuple(survey.span[1, :-1].tolist()),
            total=survey.total,
            slots=int(survey.counts[1].sum()),
            alike=tuple(_alike(survey.sets.observation[mine], survey.sets.size[mine]) for mine in owned),
        )

    @staticmethod
    def of_form(form: SequenceForm) -> Sizes:
        """Return what can be told of a sequence form: its sets, sequences and entries."""
        return Sizes(
            players=form.players,
            histories=0,
            serialised=0,
            terminal=0,
            chance=0,
            decision=0,
            joint=0,
            depth=0,
            sets=tuple(plex.sets for plex in form.treeplexes),
            sequences=tuple(plex.sequences for plex in form.treeplexes),
            entries=form.entries,
            lowest=(),
            highest=(),
            total=form.total,
            slots=0,
        )

    @staticmethod
    def of_tree(tree: GameTree) -> Sizes:
        """Return the sizes of a game that has been expanded."""
        counts = tree.counts
        return Sizes(
            players=tree.players,
            histories=counts["histories"],
            serialised=counts["serialised"],
            terminal=counts["terminal"],
            chance=counts["chance"],
            decision=counts["decision"],
            joint=counts["joint"],
            depth=len(tree.depth_begin) - 2,
            sets=tuple(plex.sets for plex in tree.treeplexes),
            sequences=tuple(plex.sequences for plex in tree.treeplexes),
            entries=len(tree.gain_node),
            lowest=tuple(tree.lowest.tolist()),
            highest=tuple(tree.highest.tolist()),
            total=tree.total,
            slots=len(tree.slots),
            alike=tuple(_alike(plex.observation, plex.sizes) for plex in tree.treeplexes),
        )


def _alike(observations: Any, sizes: Any) -> int:
    """Count the sets of a player at which the same is observed, and as much can be done, as at another one."""
    if len(observations) == 0:
        return 0
    pairs = np.column_stack((observations, sizes))
    _, same, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    return int((counts[same.ravel()] > 1).sum())
