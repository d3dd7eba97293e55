"""Read `.efg` files, Gambit's trees: R. McKelvey, A. McLennan, T. Turocy, *Gambit*, "Game representation formats".

A statement is one node: `c`, `p` or `t`, then texts, numbers and lists. A regular expression matches a whole statement
at once. If it does not match, the statement is read again word by word, to say what is wrong and where.
"""

from __future__ import annotations

import re
import sys
from fractions import Fraction
from os import PathLike
from typing import Final, NoReturn

from hannan.interop.gambit.record import CHANCE, TERMINAL, EfgGame, StatedSet, fractions
from hannan.interop.gambit.text import TEXT, Scanner, exact, plain, source

_LIST: Final = r'\{([^{}"]*+(?:"(?:[^"\\]|\\.)*+"[^{}"]*+)*+)\}'
_NUMBERS: Final = r'\{([^{}"]*+)\}'
_OUTCOME: Final = rf"\s*+(\d++)\s*+(?:{TEXT}\s*+)?(?:{_NUMBERS}\s*+)?(?=[cpt]\s*+\"|\Z)"
_SET: Final = rf"\s*+(\d++)\s*+(?:{TEXT}\s*+)?(?:{_LIST})?"
_STATEMENTS: Final = {
    "t": re.compile(rf"t\s*+{TEXT}{_OUTCOME}", re.DOTALL),
    "p": re.compile(rf"p\s*+{TEXT}\s*+(\d++)\s{_SET}{_OUTCOME}", re.DOTALL),
    "c": re.compile(rf"c\s*+{TEXT}{_SET}{_OUTCOME}", re.DOTALL),
}
"""The groups: label; player (only `p`); set, its name, its actions (not `t`); outcome, its name, its payoffs."""

_SIMPLE: Final = r"-?\d{1,15}(?:\.\d{1,15})?"
"""A payoff that is valid without further checks."""

KEPT: Final = 1 << 16
"""The most lists of payoffs, or of actions, that are remembered by their text; then the table is cleared."""

_Menu = tuple[tuple[str, ...], tuple[Fraction, ...] | None]
"""The actions of a set and, for chance, their probabilities."""


def read_efg(path: str | PathLike[str], *, scaled: bool = False) -> EfgGame:
    """Read a file. `scaled`: divide the probabilities of each chance move by their sum if it is not 1."""
    return parse_efg(source(path), str(path), scaled=scaled)


def parse_efg(text: str, path: str = "the text", *, scaled: bool = False) -> EfgGame:
    """Read a tree; an error names the line and column."""
    return _Reading(text, path, scaled).game


class _Reading:
    def __init__(self, text: str, path: str, scaled: bool) -> None:
        self.scanner = Scanner(text, path)
        self.scaled = scaled
        title, players = self.scanner.header("EFG", 2)
        comment = self.scanner.quoted("the comment") if self.scanner.next == '"' else ""
        self.game = EfgGame(title, players, comment)
        self.sets: dict[tuple[int, int], int] = {}
        self.written: list[str | None] = []  # the last text of the list of actions of each set
        self.outcomes: dict[int, int] = {}  # by number: the place of each outcome after the first `in_order`
        self.in_order = 0  # numbers 1 to `in_order` are those of the outcomes 0, 1, …
        self.simple = re.compile(", *".join([_SIMPLE] * len(players)).join((" *", " *"))).fullmatch
        self.texts: dict[str, str] = {}  # lists of payoffs that are valid
        self.menus: dict[tuple[bool, str], _Menu] = {}  # lists of actions that are valid
        self.scanner.skip()
        self._statements()

    def _statements(self) -> None:
        scanner, game = self.scanner, self.game
        text, at, end = scanner.text, scanner.at, len(scanner.text)
        player, set_of, outcome_of = game.player, game.set_of, game.outcome_of
        child_begin, child = game.child_begin, game.child
        terminal = _STATEMENTS["t"]
        open_places = [-1]  # in `child`, the last one comes next
        while at < end:
            node = len(player)
            if not open_places:
                scanner.fail("the tree is complete, but the file goes on", at)
            if (place := open_places.pop()) >= 0:
                child[place] = node
            kind = text[at]
            if (pattern := _STATEMENTS.get(kind)) is None:
                scanner.fail("a node should begin with c, p or t", at)
            match = pattern.match(text, at)
            if match is None:
                self._diagnose(at)
            if match[1]:
                game.labels[node] = plain(match[1])
            child_begin.append(len(child))
            if pattern is terminal:
                player.append(TERMINAL)
                set_of.append(-1)
                outcome_of.append(self._outcome(match, 2))
            else:
                number = self._set(match, kind)
                player.append(game.sets[number].player)
                set_of.append(number)
                outcome_of.append(self._outcome(match, 6 if kind == "p" else 5))
                first, many = len(child), len(game.sets[number].actions)
                child.extend([0] * many)
                open_places.extend(range(first + many - 1, first - 1, -1))
            at = match.end()
        if open_places:
            missing = f"{len(open_places):,} nodes are" if len(open_places) > 1 else "one node is"
            scanner.fail(f"the file ends, but {missing} missing", end)

    def _outcome(self, match: re.Match[str], group: int) -> int:
        """Return the place of an outcome, which is added if it is new; -1 for number 0."""
        number, name, payoffs = match.group(group, group + 1, group + 2)
        if number == "0" and not name and payoffs is None:
            return -1
        given = self._number(match, group)
        place = given - 1 if given <= self.in_order else self.outcomes.get(given, -1)
        if payoffs is None:
            if name and not (place >= 0 and self.game.outcome_names.get(place) == plain(name)):
                self.scanner.fail(f"outcome {given} has a name but no payoffs", match.start(group + 1))
            if place < 0:
                self.scanner.fail(f"outcome {given} has no payoffs here, and none before", match.start(group))
            return place
        if given == 0:
            self.scanner.fail("outcome 0 means that no player gains: it cannot have payoffs", match.start(group + 2))
        known = payoffs.strip() if self.simple(payoffs) else self._payoffs(match.start(group + 2), payoffs)
        game = self.game
        if place < 0:
            place = len(game.payoffs)
            game.payoffs.append(known)
            if given == place + 1 and self.in_order == place:
                self.in_order = given
            else:
                self.outcomes[given] = place
                game.outcome_numbers[place] = given
            if name:
                game.outcome_names[place] = plain(name)
        elif game.payoffs[place] != known and fractions(game.payoffs[place]) != fractions(known):
            self.scanner.fail(
                f"outcome {given} has other payoffs here than before ({game.payoffs[place]})", match.start(group + 2)
            )
        return place

    def _payoffs(self, at: int, written: str) -> str:
        """Check a list of payoffs, and return it in the form in which it is stored."""
        if (known := self.texts.get(written)) is not None:
            return known
        scanner = self.scanner
        scanner.at = at
        numbers = scanner.numbers("the payoffs")
        if len(numbers) != len(self.game.players):
            scanner.fail(
                f"there should be a payoff for each player, {len(self.game.players)} in all, not {len(numbers)}", at
            )
        if len(self.texts) >= KEPT:
            self.texts.clear()
        self.texts[written] = known = ", ".join(map(_usual, numbers))
        return known

    def _number(self, match: re.Match[str], group: int) -> int:
        if len(match[group]) > 9:
            self.scanner.fail("the number is far too large", match.start(group))
        return int(match[group])

    def _set(self, match: re.Match[str], kind: str) -> int:
        """Return the place of the information set of a node, which is added if it is new."""
        group, player = (3, self._number(match, 2)) if kind == "p" else (2, CHANCE)
        if kind == "p" and not 1 <= player <= len(self.game.players):
            self.scanner.fail(f"player {player} is out of range; it is 1 to {len(self.game.players)}", match.start(2))
        number, name, actions = self._number(match, group), match[group + 1], match[group + 2]
        what = f"information set {number} of player {player}" if player else f"move {number} of chance"
        place = self.sets.get((player, number))
        if place is None:
            if actions is None:
                self.scanner.fail(f"{what} has no actions here, and none before", match.start(group))
            listed, odds = self._menu(match, group + 2, player, what)
            place = self.sets[player, number] = len(self.game.sets)
            self.game.sets.append(StatedSet(player, number, plain(name or ""), listed, odds))
            self.written.append(sys.intern(actions))
            return place
        known = self.game.sets[place]
        if actions is not None and actions != self.written[place]:
            listed, odds = self._menu(match, group + 2, player, what)
            if (listed, odds) != (known.actions, known.odds):
                self.scanner.fail(f"{what} has other actions here than before", match.start(group + 2))
            self.written[place] = actions
        if name:
            if not known.name:
                known.name = plain(name)
            elif plain(name) != known.name:
                self.scanner.fail(f"{what} has another name here than before, {known.name!r}", match.start(group + 1))
        return place

    def _menu(self, match: re.Match[str], group: int, player: int, what: str) -> _Menu:
        """Return a list of actions, which is read only if its text is new."""
        key = (player == CHANCE, match[group])
        if (menu := self.menus.get(key)) is None:
            menu = self._actions(match.start(group), player, what)
            if len(self.menus) >= KEPT:
                self.menus.clear()
            self.menus[key] = menu
        return menu

    def _actions(self, at: int, player: int, what: str) -> _Menu:
        """Read a list of actions; for chance, with their probabilities."""
        scanner, names, odds = self.scanner, list[str](), list[Fraction]()
        scanner.at = at
        while scanner.next != "}":
            names.append(scanner.quoted(f"an action of {what}"))
            if player == CHANCE:
                start = scanner.at
                odds.append(exact(scanner.number(f"the probability of {names[-1]!r}")))
                if odds[-1] < 0:
                    scanner.fail(f"the probability of {names[-1]!r} is negative", start)
                scanner.comma()
        if not names:
            scanner.fail(f"{what} has no action", at)
        if player != CHANCE:
            return tuple(names), None
        total = sum(odds)
        if total == 0 or (total != 1 and not self.scaled):
            scanner.fail(
                f"the probabilities sum to {_readable(total)}, not 1; write them as fractions, or add (chance=scaled) "
                "to the file's name to divide them by their sum",
                at,
            )
        return tuple(names), tuple(odd / total for odd in odds)

    def _diagnose(self, at: int) -> NoReturn:
        """Read a statement word by word, and say what is wrong with it."""
        scanner = self.scanner
        scanner.at = at
        kind = scanner.text[at]
        scanner.at += 1
        scanner.quoted("the label of a node")
        if kind == "p":
            scanner.whole("the player")
            if not scanner.text[scanner.at : scanner.at + 1].isspace():
                scanner.fail("a blank should follow the player's number")
        if kind in "pc":
            scanner.whole("the number of the information set")
            if scanner.next == '"':
                scanner.quoted("the name of the information set")
            if scanner.next == "{":
                scanner.at += 1
                self._actions(scanner.at, CHANCE if kind == "c" else 1, "the information set")
                scanner.sign("}", "the list of actions")
        scanner.whole("the number of the outcome")
        if scanner.next == '"':
            scanner.quoted("the name of the outcome")
        if scanner.next == "{":
            scanner.at += 1
            scanner.numbers("the payoffs")
        scanner.fail(f"a node should follow, beginning with c, p or t; found {scanner.shown()}")


def _usual(number: str) -> str:
    """Return a number as Gambit itself reads it: without a plus sign, and without decimals in a fraction."""
    return str(exact(number)) if "/" in number and "." in number else number.removeprefix("+")


def _readable(total: Fraction | int) -> str:
    text = str(total)
    return text if len(text) <= 20 else f"{float(total):.12g}"
