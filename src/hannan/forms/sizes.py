"""How large a game is, and how much memory its views take, before anything large is allocated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hannan.arrays import Longs
from hannan.errors import UnsuitableError
from hannan.forms.sequence import SequenceForm
from hannan.forms.survey import Survey


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
    """Payoff entries of the sequence form; where that was not made, as many as `gainful`, which are no fewer."""
    gainful: int
    """Histories on which somebody gains."""
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
    def rows(self) -> int:
        """How many rows of payoffs a sequence form has: one in two-player zero-sum games, else one a player."""
        return 1 if self.players == 2 and self.total == 0.0 else self.players

    @property
    def tree_bytes(self) -> int:
        """What the arrays of `GameTree` take, for those who walk it."""
        return 22 * self.histories + 4 * self.slots + self.gainful * (4 + 8 * self.players)

    @property
    def form_bytes(self) -> int:
        """What the arrays of `SequenceForm` take at most: those of large games may be of narrower types."""
        entries = self.entries * (4 * (self.players - 1) + 8 * self.rows) + 4 * self.sequences[0]
        return entries + 24 * sum(self.sets) + 12 * sum(self.sequences)

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
    def average_bytes(self) -> int:
        """What of these the average and the correlated play take; averaging=last and output=last save it."""
        arrays = 1 if self.competitive else 2
        return 8 * arrays * sum(self.sequences)

    @property
    def layout_bytes(self) -> int:
        """What the tiled layout takes: blocks are no larger than the rows, or they would be rows."""
        return self.flat_bytes + 12 * sum(self.sequences)

    @property
    def compile_bytes(self) -> int:
        """The most memory at one time while the sequence form is made: nothing in it grows with the histories.

        The table of sets and their numbering; then twice the gains that are held (a key, a depth, a value a row).
        """
        return self.table_bytes + 2 * self.entries * (10 + 8 * self.rows)

    @property
    def table_bytes(self) -> int:
        """What the table of information sets takes while they are numbered."""
        return 200 * sum(self.sets) + 60 * sum(self.sequences)

    @staticmethod
    def of_survey(survey: Survey, players: int) -> Sizes:
        """Return the sizes of a game that was walked."""
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
            gainful=int(survey.counts[2].sum()),
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
            gainful=0,
            lowest=(),
            highest=(),
            total=form.total,
            slots=0,
        )


def _alike(observations: Longs, sizes: Longs) -> int:
    """Count the sets of a player at which the same is observed, and as much can be done, as at another one."""
    if len(observations) == 0:
        return 0
    order = np.lexsort((sizes, observations))
    observed, many = observations[order], sizes[order]
    same = (observed[1:] == observed[:-1]) & (many[1:] == many[:-1])
    return int(np.count_nonzero(np.append(same, False) | np.append(False, same)))
