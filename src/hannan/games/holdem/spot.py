"""A spot of heads-up hold'em: board, ranges, chips and bet sizes, from keywords or from a TOML file.

Sizes of a street or a player have names such as `turn_bets`, `ip_raises`, `turn_ip_bets` and `river_donks`; in a file
they may also stand in tables (`[turn]`, `[turn.ip]`). The most specific name counts: street and player, then street,
then player, then `bets`, `raises` and `donks` for all.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from hannan.arguments import limit as at_least_0
from hannan.arguments import number, shown, whole
from hannan.arguments import text as as_text
from hannan.arrays import Bools, Floats, Longs, frozen
from hannan.errors import ParameterError, UnknownNameError, nearest
from hannan.games.holdem.betting import PLAYERS, UNLIMITED, Betting, Menu
from hannan.games.holdem.cards import COMBOS, FULL, Deck, cards_text, parse_cards
from hannan.games.holdem.ranges import parse_range
from hannan.games.holdem.sizes import Size, parse_sizes

STREETS: Final = {3: ("flop", "turn", "river"), 4: ("turn", "river"), 5: ("river",)}
"""The remaining streets, by the number of cards on the board."""

WHAT: Final = ("bets", "raises", "donks")
SIZE_NAMES: Final = tuple(
    "_".join(part for part in (street, player, what) if part)
    for street in ("", *STREETS[3])
    for player in ("", *PLAYERS)
    for what in WHAT
    if (street or player) and not (what == "donks" and player)
)
"""Names of sizes for a street, a player or both. Only OOP has donk bets."""


@dataclass(frozen=True)
class Spot:
    """All parameters of a spot, checked.

    Parameters
    ----------
    board
        Three, four or five cards: 'Td9d6h'.
    oop, ip
        Ranges of the player out of position, who acts first, and of the player in position.
    pot
        Chips in the pot, a whole number.
    stack
        Chips that each player has left (the smaller stack). Optional with `limit`.
    bets, raises, donks
        Bet sizes of both players on all streets. If `donks` is None, `bets` are used.
    sizes
        Sizes for a street, a player or both: pairs of a name of `SIZE_NAMES` and a text, sorted.
    rake, rake_cap
        The share of the pot that the house takes, and the most chips it takes (None: no limit).
    add_allin, force_allin, merging
        As in `Betting`.
    limit
        Fixed limit: the bet of each remaining street, such as '10,20' (one number: for all). Empty: no-limit.
    most_raises
        Fixed limit: the most raises per street.
    ranks, suits
        The deck: its highest ranks, its first suits.
    """

    board: str
    oop: str
    ip: str
    pot: int
    stack: int | None = None
    bets: str = ""
    raises: str = ""
    donks: str | None = None
    sizes: tuple[tuple[str, str], ...] = ()
    rake: float = 0.0
    rake_cap: float | None = None
    add_allin: float = 0.0
    force_allin: float = 0.0
    merging: float = 0.0
    limit: str = ""
    most_raises: int = 3
    ranks: int = FULL.ranks
    suits: int = FULL.suits

    def __post_init__(self) -> None:
        for name in ("board", "oop", "ip", "bets", "raises", "limit"):
            as_text(name, getattr(self, name))
        given = {
            "pot": _chips("pot", self.pot),
            "stack": None if self.stack is None else _chips("stack", self.stack),
            "rake": _rake(self.rake),
            "rake_cap": None if self.rake_cap is None else at_least_0("rake_cap", self.rake_cap),
            "most_raises": whole("most_raises", self.most_raises, 0, 100),
        }
        given |= {name: at_least_0(name, getattr(self, name)) for name in ("add_allin", "force_allin", "merging")}
        for name, value in given.items():
            object.__setattr__(self, name, value)
        _check_cards(self)
        self.betting.counts()

    @cached_property
    def deck(self) -> Deck:
        """The deck."""
        return Deck(self.ranks, self.suits)

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """The cards of the board."""
        return parse_cards(self.board, "board", self.deck)

    @property
    def streets(self) -> tuple[str, ...]:
        """The remaining streets, the current one first."""
        return STREETS[len(self.cards)]

    @cached_property
    def free(self) -> Bools:
        """Which of the 1326 hands are in the deck and hold no card of the board."""
        result: Bools = self.deck.hands & ~np.isin(COMBOS, self.cards).any(axis=1)
        frozen(result)
        return result

    @cached_property
    def weights(self) -> tuple[Floats, Floats]:
        """The weight of each of the 1326 hands for OOP and IP; 0 for hands that hold a card of the board."""
        found = tuple(np.where(self.free, parse_range(getattr(self, name), name, self.deck), 0.0) for name in PLAYERS)
        for weights in found:
            frozen(weights)
        return found[0], found[1]

    def hands(self, player: int) -> Longs:
        """Return the places, among the 1326 hands, of the hands that a player may hold."""
        return np.flatnonzero(self.weights[player])

    @cached_property
    def betting(self) -> Betting:
        """The rules of the betting."""
        if self.limit:
            return self._fixed_limit()
        if self.stack is None:
            raise ParameterError("stack is missing; a no-limit spot needs the chips that each player has left")
        menus = tuple((self._menu(street, "oop"), self._menu(street, "ip")) for street in self.streets)
        _check_menus(self, menus)
        return Betting(
            pot=self.pot,
            stack=self.stack,
            streets=self.streets,
            menus=menus,
            add_allin=self.add_allin,
            force_allin=self.force_allin,
            merging=self.merging,
        )

    def _fixed_limit(self) -> Betting:
        given = [name for name in ("bets", "raises", "donks", "sizes") if getattr(self, name)]
        given += [name for name in ("add_allin", "force_allin", "merging") if getattr(self, name)]
        if given:
            raise ParameterError(f"{given[0]} is for no-limit; with limit={self.limit!r} it has no meaning")
        parts = [part.strip() for part in self.limit.split(",")]
        if not all(part.isascii() and part.isdigit() and 0 < int(part) <= UNLIMITED for part in parts):
            raise ParameterError(f"limit={self.limit!r} should be whole numbers of chips, such as '10,20'")
        if len(parts) not in (1, len(self.streets)):
            left = ", ".join(self.streets)
            raise ParameterError(
                f"limit={self.limit!r} has {len(parts)} numbers; expected 1, or one for each of {left}"
            )
        bets = tuple(map(int, parts)) * (len(self.streets) if len(parts) == 1 else 1)
        stack = UNLIMITED if self.stack is None else self.stack
        return Betting(pot=self.pot, stack=stack, streets=self.streets, limits=bets, most_raises=self.most_raises)

    def _menu(self, street: str, player: str) -> Menu:
        bets, raises = (self._sizes(street, player, what) or () for what in ("bets", "raises"))
        first = street == self.streets[0]
        return Menu(bets, raises, self._sizes(street, "", "donks") if player == "oop" and not first else None)

    def _sizes(self, street: str, player: str, what: str) -> tuple[Size, ...] | None:
        """Return the most specific sizes that were given; None if there are none."""
        given = dict(self.sizes)
        for names in ((street, player), (street,), (player,)):
            name = "_".join((*(part for part in names if part), what))
            if name in given:
                return parse_sizes(given[name], name, raises=what == "raises")
        general = getattr(self, what)
        return None if general is None else parse_sizes(general, what, raises=what == "raises")


def make_spot(**given: Any) -> Spot:
    """Return a spot from keywords: the fields of `Spot`, `SIZE_NAMES`, and `deck` in place of ranks and suits.

    Raises
    ------
    UnknownNameError
        If a keyword is not known.
    ParameterError
        If a value is missing or wrong. The message says what is wrong and where.
    """
    known = {field.name for field in fields(Spot)} - {"sizes"}
    sizes = {}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name == "deck":
            if not isinstance(value, Deck):
                raise ParameterError(f"deck={shown(value)} should be a Deck")
            values |= {"ranks": value.ranks, "suits": value.suits}
        elif name in SIZE_NAMES:
            sizes[name] = as_text(name, value)
        elif name in known:
            values[name] = value
        else:
            raise UnknownNameError(f"holdem has no parameter {name!r}{nearest(name, {*known, *SIZE_NAMES})}")
    for name in ("board", "oop", "ip", "pot"):
        if name not in values:
            raise ParameterError(f"{name} is missing; a spot needs board, oop, ip and pot")
    if isinstance(values.get("limit"), int):
        values["limit"] = str(values["limit"])
    return Spot(**values, sizes=tuple(sorted(sizes.items())))


def changed(spot: Spot, **given: Any) -> Spot:
    """Return a spot with some parameters changed; names as in `make_spot`."""
    sizes = dict(spot.sizes) | {name: as_text(name, value) for name, value in given.items() if name in SIZE_NAMES}
    rest = {name: value for name, value in given.items() if name not in SIZE_NAMES}
    for name in rest:
        if name not in {field.name for field in fields(Spot)}:
            raise UnknownNameError(f"holdem has no parameter {name!r}{nearest(name, [f.name for f in fields(Spot)])}")
    return replace(spot, **rest, sizes=tuple(sorted(sizes.items())))


def _chips(name: str, value: Any) -> int:
    """Return a whole number of chips, 1 or more; a float with a whole value is accepted."""
    meant = number(name, value)
    if meant != int(meant):
        raise ParameterError(f"{name}={shown(value)} should be a whole number of chips; count in smaller chips")
    return whole(name, int(meant), 1, UNLIMITED)


def _rake(value: Any) -> float:
    """Return a share of the pot, below 1."""
    share = number("rake", value, 0, 1)
    if share == 1:
        raise ParameterError(f"rake={shown(value)} is out of range; it should be below 1, or there is nothing to win")
    return share


def _check_cards(spot: Spot) -> None:
    """Refuse boards and ranges with which no deal is possible."""
    if len(spot.cards) not in STREETS:
        raise ParameterError(f"board {spot.board!r} has {len(spot.cards)} cards; expected 3, 4 or 5")
    need = 5 + 4
    if len(spot.deck.cards) < need:
        raise ParameterError(
            f"a deck of {spot.ranks} ranks and {spot.suits} suits has {len(spot.deck.cards)} cards; the board and two "
            f"hands need {need}"
        )
    for player, name in enumerate(PLAYERS):
        if not spot.weights[player].any():
            raise ParameterError(f"{name}'s range has no hand left after the board {cards_text(spot.cards)!r}")
    first, second = (COMBOS[spot.hands(player)] for player in (0, 1))
    if all(set(a) & set(b) for a in first.tolist() for b in second.tolist()):
        raise ParameterError("the ranges cannot meet: every hand of oop shares a card with every hand of ip")


def _check_menus(spot: Spot, menus: tuple[tuple[Menu, Menu], ...]) -> None:
    """Refuse sizes with which no player can bet, and raises of bets that cannot occur."""
    betting = [any(menu.bets or menu.donks for menu in pair) for pair in menus]
    for name, text in spot.sizes:
        street, raises = name.split("_")[0], name.endswith("raises")
        sizes = parse_sizes(text, name, raises=raises)
        if raises and sizes and street in spot.streets and not betting[spot.streets.index(street)]:
            raise ParameterError(f"{name}={text!r} raises a bet, but there are no bets on the {street}")
    if not any(betting) and not spot.add_allin:
        if any(menu.raises for pair in menus for menu in pair):
            raise ParameterError(f"raises={spot.raises!r} without bets: there is nothing to raise")
        raise ParameterError("bets, donks and add_allin leave no action but to check; give bets, such as '60%,a'")
