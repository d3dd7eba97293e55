"""Betting of two players: an immutable state machine that knows nothing about cards.

Player 0 is out of position (OOP), player 1 in position (IP). No-limit menus come from bet sizes, fixed-limit menus from
one bet per street and a largest number of raises. Chips are whole numbers. After an all-in is called, `turn` is CHANCE
until the last street and then END: cards are dealt without decisions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final, NamedTuple

from hannan.errors import ParameterError, SizeError
from hannan.games.holdem.actions import CALL, CHECK, FOLD, Action, Kind
from hannan.games.holdem.sizes import ALL_IN, CHIPS, Size, amount, rounded
from hannan.turns import CHANCE, END

OOP, IP = 0, 1
PLAYERS: Final = ("oop", "ip")
NOBODY: Final = -1
UNLIMITED: Final = 2**31 - 1
"""The stack of a fixed-limit game in which no player runs out of chips; also the largest stack allowed."""

MOST_LINES: Final = 2_000_000
"""The most nodes of a betting tree, cards not counted."""


class Menu(NamedTuple):
    """The bet sizes of one player on one street. If `donks` is None, `bets` are used."""

    bets: tuple[Size, ...] = ()
    raises: tuple[Size, ...] = ()
    donks: tuple[Size, ...] | None = None


class Line(NamedTuple):
    """A state of the betting. Equal lines have equal futures."""

    street: int
    """Place of the street in `Betting.streets`."""
    chips: tuple[int, int]
    """Chips that each player has put in, including antes and blinds, not including the pot before the betting."""
    base: int
    """Chips that each player had put in before this street."""
    actor: int
    """The player who acts: 0 or 1; CHANCE between streets, END at the end."""
    bets: int
    """Bets and raises of this street; blinds count as one."""
    acted: int
    """Checks and calls since the last bet."""
    donk: bool
    """Whether OOP called the last bet of the previous street, so that its first bet of this street is a donk bet."""
    folded: int
    """The player who has folded; NOBODY (-1) if no player has."""


class Counts(NamedTuple):
    """Nodes of one street of a betting tree, for one set of cards on the table."""

    decisions: tuple[int, int]
    """Nodes at which each player acts."""
    choices: tuple[int, int]
    """The total number of actions at these nodes."""
    folds: int
    """Ends by a fold."""
    showdowns: int
    """Ends by a showdown, including all-ins called on this street (before the last street, cards are still dealt)."""
    deals: int
    """Nodes at which the next card is dealt and betting goes on."""


@dataclass(frozen=True)
class Betting:
    """The rules of the betting.

    Parameters
    ----------
    pot
        Chips in the pot before the betting starts.
    stack
        Chips that each player can put in, antes and blinds included.
    streets
        Names of the streets, first to last, such as ('turn', 'river').
    menus
        No-limit sizes: for each street, the menus of OOP and IP. Empty for fixed limit.
    add_allin
        All-in is offered as well if it is at most this share of the pot (on top of the bet, after calling).
    force_allin
        A bet becomes all-in if at most this share of the pot would be left in the stack after a call.
    merging
        Of two sizes X% > Y% the smaller is dropped if (100+X)/(100+Y) < 1 + merging, largest first.
    limits
        Fixed limit: the bet of each street. Empty for no-limit.
    most_raises
        Fixed limit: the most raises per street after the first bet; blinds count as the first bet.
    ante
        Chips that each player has put in before the first action.
    blinds
        Fixed limit: chips that OOP and IP put in on the first street, on top of the ante.
    first
        The player who acts first on each street. Default: OOP on all streets. Heads-up before the flop, the player
        with the smaller blind (IP) acts first.
    """

    pot: int
    stack: int
    streets: tuple[str, ...]
    menus: tuple[tuple[Menu, Menu], ...] = ()
    add_allin: float = 0.0
    force_allin: float = 0.0
    merging: float = 0.0
    limits: tuple[int, ...] = ()
    most_raises: int = 3
    ante: int = 0
    blinds: tuple[int, int] = (0, 0)
    first: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check(self)

    def opening(self) -> Line:
        """Return the line before the first action."""
        chips = (self.ante + self.blinds[OOP], self.ante + self.blinds[IP])
        return Line(0, chips, self.ante, self._first(0), int(any(self.blinds)), 0, False, NOBODY)

    def _first(self, street: int) -> int:
        return self.first[street] if self.first else OOP

    def turn(self, line: Line) -> int:
        """Return the player who acts, 0 or 1; CHANCE if a card is dealt next, END if the hand is over."""
        return line.actor

    def showdown(self, line: Line) -> bool:
        """Return whether no player has folded and no player can act any more; cards may still have to be dealt."""
        return line.folded == NOBODY and (line.actor == END or (line.actor == CHANCE and self.all_in(line)))

    def all_in(self, line: Line) -> bool:
        """Return whether both players have put in everything."""
        return line.chips == (self.stack, self.stack)

    def to_call(self, line: Line) -> int:
        """Return the chips that the player to act needs to call."""
        return line.chips[1 - line.actor] - line.chips[line.actor]

    def actions(self, line: Line) -> tuple[Action, ...]:
        """Return the actions of the player to act: fold, check or call, then bets from the smallest to all-in."""
        if line.actor < 0:
            return ()
        facing = self.to_call(line) > 0
        start = (FOLD, CALL) if facing else (CHECK,)
        if line.chips[1 - line.actor] >= self.stack:
            return start
        return start + (self._limit(line) if self.limits else self._no_limit(line))

    def _limit(self, line: Line) -> tuple[Action, ...]:
        if line.bets > self.most_raises:
            return ()
        bet = line.chips[1 - line.actor] - line.base
        return (self._wager(line, bet + self.limits[line.street]),)

    def _wager(self, line: Line, to: int) -> Action:
        """Return the bet or raise to an amount; all-in if it takes the whole stack."""
        most = self.stack - line.base
        if to >= most:
            return Action(Kind.ALL_IN, most)
        return Action(Kind.RAISE if line.bets else Kind.BET, to)

    def _no_limit(self, line: Line) -> tuple[Action, ...]:
        menu = self.menus[line.street][line.actor]
        bet = line.chips[1 - line.actor] - line.base
        pot = self.pot + 2 * line.chips[1 - line.actor]
        most = self.stack - line.base
        least = min(max(bet + self.to_call(line), 1), most)
        sizes = menu.raises if line.bets else menu.bets
        if line.donk and menu.donks is not None and line.actor == OOP and not line.bets and not line.acted:
            sizes = menu.donks
        wagers = set()
        if most <= bet + rounded(pot * self.add_allin):
            wagers.add(most)
        for size in sizes:
            if size.kind == CHIPS and size.times and line.bets > size.times:
                continue
            if size.kind == ALL_IN:
                wagers.add(most)
                continue
            streets = len(self.streets) - line.street
            to = amount(size, pot, bet, most - bet, streets, line.bets)
            to = min(max(to, least), most)
            after = pot + 2 * (to - bet)
            wagers.add(most if most - to <= rounded(after * self.force_allin) else to)
        return tuple(self._wager(line, to) for to in self._merged(sorted(wagers), pot, bet))

    def _merged(self, wagers: list[int], pot: int, bet: int) -> list[int]:
        """Drop each wager that is close to the next larger one that is kept."""
        kept: list[int] = []
        for to in reversed(wagers):
            if not kept or (1 + (to - bet) / pot) * (1 + self.merging) <= (1 + (kept[-1] - bet) / pot) * (1 + 1e-12):
                kept.append(to)
        return kept[::-1]

    def after(self, line: Line, action: Action) -> Line:
        """Return the line after an action of the player to act.

        Raises
        ------
        ParameterError
            If the action is not among `actions(line)`.
        """
        if action not in self.actions(line):
            names = ", ".join(offered.text for offered in self.actions(line))
            raise ParameterError(
                f"action {action.text!r} is not possible here; expected {names or 'a card or nothing'}"
            )
        return self._after(line, action)

    def _after(self, line: Line, action: Action) -> Line:
        me, other = line.actor, 1 - line.actor
        if action.kind == Kind.FOLD:
            return line._replace(actor=END, folded=me)
        if action.kind in (Kind.CHECK, Kind.CALL):
            high = max(line.chips)
            called = line._replace(chips=(high, high), acted=line.acted + 1)
            blind_call = any(self.blinds) and line.street == 0 and line.bets == 1 and line.acted == 0
            closed = (action.kind == Kind.CALL and not blind_call) or line.acted == 1
            if not closed:
                return called._replace(actor=other)
            last = line.street == len(self.streets) - 1
            return called._replace(actor=END if last else CHANCE, donk=action.kind == Kind.CALL and me == OOP)
        put = line.base + action.amount
        chips = (put, line.chips[IP]) if me == OOP else (line.chips[OOP], put)
        return line._replace(chips=chips, actor=other, bets=line.bets + 1, acted=0)

    def deal(self, line: Line) -> Line:
        """Return the line after the card (or cards) between two streets."""
        if line.actor != CHANCE:
            raise ParameterError("no card is dealt here: the street is not over, or it is the last one")
        street = line.street + 1
        chips = line.chips[OOP]
        new = Line(street, line.chips, chips, self._first(street), 0, 0, line.donk, NOBODY)
        if not self.all_in(line):
            return new
        return new._replace(actor=END if street == len(self.streets) - 1 else CHANCE, donk=False)

    def counts(self) -> tuple[Counts, ...]:
        """Return the nodes of each street; refuse a tree of more than `MOST_LINES` before anything is built.

        Raises
        ------
        SizeError
            If the tree has more than `MOST_LINES` nodes.
        """
        zero = ([0, 0], [0, 0], [0, 0, 0])
        tallies = [tuple(list(part) for part in zero) for _ in self.streets]
        lines = Counter({self.opening(): 1})
        total = 1
        while lines:
            following: Counter[Line] = Counter()
            for line, number in lines.items():
                decisions, choices, ends = tallies[line.street]
                if self.showdown(line) or line.actor == END:
                    ends[0 if line.folded != NOBODY else 1] += number
                elif line.actor == CHANCE:
                    ends[2] += number
                    following[self.deal(line)] += number
                else:
                    menu = self.actions(line)
                    decisions[line.actor] += number
                    choices[line.actor] += number * len(menu)
                    total += number * len(menu)
                    if total > MOST_LINES:
                        raise SizeError(
                            f"the betting tree has more than {MOST_LINES:,} nodes, cards not counted; use fewer sizes, "
                            "a larger force_allin or merging, or a smaller stack"
                        )
                    for action in menu:
                        following[self._after(line, action)] += number
            lines = following
        return tuple(Counts((d[0], d[1]), (c[0], c[1]), *e) for d, c, e in tallies)


def check(betting: Betting) -> None:
    """Raise an error if the rules of the betting contradict each other or are out of range."""
    streets = len(betting.streets)
    if not streets:
        raise ParameterError("streets is empty; betting needs at least one")
    if not betting.limits and not betting.menus:
        raise ParameterError("the betting has neither sizes nor limits")
    for name, values in (("menus", betting.menus), ("limits", betting.limits), ("first", betting.first)):
        if values and len(values) != streets:
            raise ParameterError(f"{name} has {len(values)} places for {streets} streets")
    if betting.limits and betting.menus:
        raise ParameterError("a betting has either sizes (no-limit) or limits, not both")
    if any(betting.blinds) and not betting.limits:
        raise ParameterError("blinds are for fixed limit; a no-limit spot starts after them")
    if betting.pot < 0 or betting.ante < 0 or min(betting.blinds) < 0 or betting.most_raises < 0:
        raise ParameterError("pot, ante, blinds and most_raises should be 0 or more")
    if not betting.limits and betting.pot + 2 * betting.ante <= 0:
        raise ParameterError(f"pot={betting.pot} should be 1 or more: sizes are shares of the pot")
    if any(limit < 1 for limit in betting.limits):
        raise ParameterError(f"limits={betting.limits!r} should be 1 or more on every street")
    if betting.stack <= betting.ante + max(betting.blinds):
        raise ParameterError(f"stack={betting.stack} leaves nothing to bet; it should be more than antes and blinds")
    if betting.stack > UNLIMITED:
        raise ParameterError(f"stack={betting.stack} is too large; it may be up to {UNLIMITED}")
