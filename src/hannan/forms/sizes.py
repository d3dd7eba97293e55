"""The sizes of a game and the memory of its views, computed before anything large is allocated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hannan.arrays import Longs
from hannan.errors import UnsuitableError
from hannan.forms.sequence import SequenceForm
from hannan.forms.survey import Survey


def check_decisions(game: str, form: SequenceForm) -> None:
    """Refuse to solve a game in which no player ever decides."""
    if not any(plex.sets for plex in form.treeplexes):
        raise UnsuitableError(
            f"no player ever decides in {game}: there is nothing to solve. Use evaluate for its values; if players "
            "should move, check what turn() returns"
        )


@dataclass(frozen=True)
class Sizes:
    """The counts of a game."""

    players: int
    histories: int
    serialised: int
    """The histories if joint moves were made one after another."""
    terminal: int
    chance: int
    decision: int
    joint: int
    depth: int
    """The number of moves in the longest play."""
    sets: tuple[int, ...]
    sequences: tuple[int, ...]
    entries: int
    """Payoff entries of the sequence form. If the form was not built: `gainful`, an upper bound."""
    gainful: int
    """The number of histories with gains."""
    lowest: tuple[float, ...]
    highest: tuple[float, ...]
    total: float | None
    slots: int
    alike: tuple[int, ...] = ()
    """For each player, the number of sets that only its own earlier choices distinguish from another set."""

    @property
    def kind(self) -> str:
        """Zero-sum, constant-sum, general-sum, one player, or that no player ever decides."""
        if not any(self.sets):
            return "no player ever decides"
        if self.total is None or self.players == 1:
            return "one player" if self.players == 1 else "general-sum"
        return "zero-sum" if self.total == 0 else f"constant-sum ({self.total:g})"

    @property
    def competitive(self) -> bool:
        """Whether there are two players whose utilities have a constant sum."""
        return self.players == 2 and self.total is not None

    @property
    def rows(self) -> int:
        """The rows of payoffs of the sequence form: one in two-player zero-sum games, else one per player."""
        return 1 if self.players == 2 and self.total == 0.0 else self.players

    @property
    def tree_bytes(self) -> int:
        """The bytes of the arrays of `GameTree`."""
        return 22 * self.histories + 4 * self.slots + self.gainful * (4 + 8 * self.players)

    @property
    def form_bytes(self) -> int:
        """The bytes of the arrays of `SequenceForm`, at most: large games may use narrower types."""
        entries = self.entries * (4 * (self.players - 1) + 8 * self.rows) + 4 * self.sequences[0]
        return entries + 24 * sum(self.sets) + 12 * sum(self.sequences)

    @property
    def flat_bytes(self) -> int:
        """The bytes of the kernels' copy of the payoffs and treeplexes."""
        payoffs = self.players * self.entries * (4 * (self.players - 1) + 8)
        return payoffs + 8 * sum(self.sequences) + 12 * sum(self.sets)

    @property
    def learning_bytes(self) -> int:
        """The bytes that a full-width method adds: 5 numbers per sequence, 6 if it keeps correlated play."""
        arrays = 5 if self.competitive else 6
        return 8 * arrays * sum(self.sequences)

    @property
    def average_bytes(self) -> int:
        """The part of `learning_bytes` for the average and correlated play; averaging=last and output=last save it."""
        arrays = 1 if self.competitive else 2
        return 8 * arrays * sum(self.sequences)

    @property
    def layout_bytes(self) -> int:
        """The bytes of the tiled layout, at most: a block larger than its rows is stored as rows."""
        return self.flat_bytes + 12 * sum(self.sequences)

    @property
    def compile_bytes(self) -> int:
        """The most bytes in use while the sequence form is built; they do not grow with the number of histories.

        The table of sets and their numbering, and twice the gains that are held (a key, a depth and a value per row).
        """
        return self.table_bytes + 2 * self.entries * (10 + 8 * self.rows)

    @property
    def table_bytes(self) -> int:
        """The bytes of the table of information sets while the sets are numbered."""
        return 200 * sum(self.sets) + 60 * sum(self.sequences)

    @staticmethod
    def of_survey(survey: Survey, players: int) -> Sizes:
        """Return the sizes of a game that was walked."""
        ends, chances, decisions, joints, extra = (int(kind) for kind in survey.kinds)
        owned = [survey.sets.player == p for p in range(players)]
        nodes, slots, gainful = survey.counts.sum(axis=1).tolist()
        return Sizes(
            players=players,
            histories=nodes,
            serialised=nodes + extra,
            terminal=ends,
            chance=chances,
            decision=decisions,
            joint=joints,
            depth=int(np.count_nonzero(survey.counts[0])) - 1,
            sets=tuple(int(mine.sum()) for mine in owned),
            sequences=tuple(1 + int(survey.sets.size[mine].sum()) for mine in owned),
            entries=gainful,
            gainful=gainful,
            lowest=tuple(survey.span[0, :-1].tolist()),
            highest=tuple(survey.span[1, :-1].tolist()),
            total=survey.total,
            slots=slots,
            alike=tuple(_alike(survey.sets.observation[mine], survey.sets.size[mine]) for mine in owned),
        )

    @staticmethod
    def of_form(form: SequenceForm) -> Sizes:
        """Return the sizes that a sequence form has: sets, sequences, entries and sum. All others are 0 or empty."""
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
            gainful=0,
            lowest=(),
            highest=(),
            total=form.total,
            slots=0,
        )


def _alike(observations: Longs, sizes: Longs) -> int:
    """Count the sets of a player with the same observation and the same number of actions as another set."""
    if len(observations) == 0:
        return 0
    order = np.lexsort((sizes, observations))
    observed, many = observations[order], sizes[order]
    same = np.zeros(len(order) + 1, np.bool_)  # whether a set is like the one before; the ends are like none
    same[1:-1] = (observed[1:] == observed[:-1]) & (many[1:] == many[:-1])
    return int(np.count_nonzero(same[1:] | same[:-1]))
