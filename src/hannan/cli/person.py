"""A person at a terminal, who sees what the seat sees and is asked for each choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hannan.runs.sitting import Situation

HELP = "type an action, its number or how it begins; hint: what the strategy would do; quit: stop playing"
WORDS = ("help", "?", "hint", "quit")

FEW = 4
"""Up to this many actions with the same meaning are all named."""

Ask = Callable[[str], str]
"""Prints a question, and returns the line that answers it."""
Say = Callable[[str], None]


class Quit(Exception):  # noqa: N818  # not an error: the person wants to stop
    """The person wants to stop."""


@dataclass
class Terminal:
    """Asks a person for choices."""

    ask: Ask
    say: Say
    hints: bool = False
    """Whether hints are shown before every choice."""
    explained: set[tuple[int, str]] = field(default_factory=set)
    """Seats and actions that were explained already."""

    def decide(self, situation: Situation) -> int:
        """Show what the seat sees, and return the place of the action that is typed."""
        self.say(f"you see: {situation.seen}")
        if situation.board:
            self.say(situation.board)
        if any((situation.seat, name) not in self.explained for name in situation.actions):
            self._explain(situation)
        if self.hints:
            self._hint(situation)
        return self._asked(situation)

    def _asked(self, situation: Situation) -> int:
        names = situation.actions
        numbered = not any(name.isdecimal() for name in names)
        menu = "  ".join(f"{number} {name}" if numbered else name for number, name in enumerate(names, 1))
        while True:
            word = self.ask(f"{menu} > ").strip()
            place = understood(word, names)
            if isinstance(place, int):
                return place
            if place == "quit":
                raise Quit
            if place == "hint":
                self._hint(situation)
            elif place is not None:
                self.say(HELP)
                self._explain(situation)
            elif word:
                self.say(f"{word!r} is not one of your actions, or begins several of them; {HELP}")

    def _explain(self, situation: Situation) -> None:
        """Print what the actions mean; actions with the same meaning share a line."""
        self.explained |= {(situation.seat, name) for name in situation.actions}
        meant: dict[str, list[str]] = {}
        for name, words in zip(situation.actions, situation.helps, strict=True):
            meant.setdefault(words, []).append(name)
        for words, names in meant.items():
            if words:
                self.say(f"  {_short(names)}: {words}")

    def _hint(self, situation: Situation) -> None:
        plays = zip(situation.actions, situation.advice, strict=True)
        shares = (f"{name} {weight:.3f}" for name, weight in plays if weight > 0)
        self.say(f"the strategy: {'  '.join(shares)}")


def _short(names: Sequence[str]) -> str:
    """List names; of many, the first and the last ones."""
    return ", ".join(names if len(names) <= FEW else [*names[:2], "…", names[-1]])


def understood(word: str, names: Sequence[str]) -> int | str | None:
    """Return the place of an action, one of WORDS, or None. An action's own name comes first, then its number.

    If the name of an action is a number, actions have no numbers. If one of WORDS is also an action, the word needs a
    colon, as in :quit.
    """
    if names.count(word) == 1:
        return names.index(word)
    numbered = not any(name.isdecimal() for name in names)
    if numbered and word.isdecimal() and 1 <= int(word) <= len(names):
        return int(word) - 1
    if word.lstrip(":").lower() in WORDS:
        return word.lstrip(":").lower()
    begun = [k for k, name in enumerate(names) if word and name.startswith(word)]
    return begun[0] if len(begun) == 1 else None
