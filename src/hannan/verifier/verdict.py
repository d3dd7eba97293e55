"""The verdict on a file: what was shown, what is still believed, and why the file was rejected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Level = Literal["arithmetic", "counts", "reproduced", "game"]


class RejectedError(Exception):
    """A certificate that does not show what it claims. The message is the reason."""


def need(fact: bool, sentence: str) -> None:
    """Reject the certificate with this sentence unless `fact` holds."""
    if not fact:
        raise RejectedError(sentence)


@dataclass(frozen=True)
class Verdict:
    """Whether a certificate shows what it claims, at which level, and what the reader still has to believe."""

    file: str
    game: str
    """The game that the file names. Nothing checks this name."""
    replayed_game: str | None
    """The game or box that was played again; None: nothing was played."""
    valid: bool
    level: Level | None
    """The highest level that was shown. `arithmetic`: the claimed gap follows from the file's own numbers. `counts`:
    the box, played again with the recorded seed and actions, gives exactly the trunk, counts and names of the file.
    `reproduced`: the certification, run again from its options, gives the same file. None: the file was rejected."""
    gap: float | None
    """The bound that was recomputed, rounded up."""
    claimed_gap: float | None
    confidence: float | None
    radius: str | None
    playthroughs: int | None
    replayed: int | None
    """Playthroughs that were played again."""
    failures: int | None
    """Playthroughs in which the simulator gave no answer; each counts as the worst outcome for either player."""
    believed: tuple[str, ...]
    """What a valid verdict rests on although the verifier did not check it, one sentence each."""
    reason: str
    """Why the file was rejected or not replayed; empty if it is valid."""
    correlated: bool = False
    """Whether the file is about correlated play: the gap is then the largest of the players' gaps."""

    def record(self) -> dict[str, Any]:
        """Return the verdict as `--json` prints it."""
        facts = {name: fact for name, fact in vars(self).items() if name != "correlated"}
        return {**facts, "believed": list(self.believed)}

    def __str__(self) -> str:
        if not self.valid:
            shown = "" if self.level is None else f" The level that holds: {self.level}."
            return f"{self.file}: rejected: {self.reason}{shown}"
        what = "The largest gain of any player from correlated play" if self.correlated else "The Nash gap"
        game = self.game if self.replayed_game is None else self.replayed_game
        lines = [
            f"{self.file}: valid. {what} in {game} is at most {self.gap:.9g} (claimed: {self.claimed_gap:.9g}), with "
            f"probability at least {self.confidence:.9g}. Level: {self.level}."
        ]
        if self.replayed_game is not None and self.replayed_game != self.game:
            lines.append(f"The file names another game: {self.game}.")
        if self.failures:
            lines.append(
                f"In {self.failures:,} of {self.playthroughs:,} playthroughs the simulator gave no answer; each counts "
                "as the worst outcome."
            )
        return "\n".join([*lines, "Believed:", *(f"- {sentence}" for sentence in self.believed)])


@dataclass(frozen=True)
class EquilibriaVerdict(Verdict):
    """Whether a file of equilibria shows what it claims; fields that only certificates need are None.

    `replayed_game` is the game whose payoffs were compared with those of the file. The level `arithmetic` says that
    every equilibrium is proven for the payoffs that the file states. The level `game` says that these are also exactly
    the payoffs of that game.
    """

    equilibria: tuple[dict[str, Any], ...] = ()
    """For each equilibrium what was shown: `proof` (fractions, krawczyk or epsilon), `radius`, `regret`, `index`."""
    complete: bool | None = None
    """Whether the file claims to hold all equilibria, which the verifier does not check."""

    def record(self) -> dict[str, Any]:
        """Return the verdict as `--json` prints it."""
        return {**super().record(), "equilibria": [dict(one) for one in self.equilibria]}

    def __str__(self) -> str:
        if not self.valid:
            return f"{self.file}: rejected: {self.reason}"
        game = self.game if self.replayed_game is None else self.replayed_game
        many = len(self.equilibria)
        lines = [
            f"{self.file}: valid. {many} {'equilibrium' if many == 1 else 'equilibria'} of {game}. Level: {self.level}."
        ]
        for number, one in enumerate(self.equilibria):
            index = "" if one["index"] is None else f", index {one['index']:+d}"
            if one["proof"] == "fractions":
                lines.append(f"- {number}: exact fractions{index}")
            elif one["proof"] == "krawczyk":
                lines.append(f"- {number}: exactly one true equilibrium lies within {one['radius']:.3g}{index}")
            else:
                lines.append(f"- {number}: no player can gain more than {one['regret']:.3g}")
        if self.replayed_game is not None and self.replayed_game != self.game:
            lines.append(f"The file names another game: {self.game}.")
        if not self.believed:
            return "\n".join([*lines, "Nothing is believed."])
        return "\n".join([*lines, "Believed:", *(f"- {sentence}" for sentence in self.believed)])
