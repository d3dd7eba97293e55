"""Bet sizes in the notation that poker tools share: '60%,e,a'.

- '60%': a share of the pot; for a raise, of the pot after calling, on top of the bet that is raised.
- '2.5x': 2.5 times the previous bet; for raises only.
- '150c': a bet of 150 chips; a raise by 150 chips. '150c3r': the same, for at most 3 raises per street.
- 'e': the geometric size, the same share of the pot on every remaining street, all-in on the river. '2e': the same
  over two streets. 'e200%', '3e200%': the same, at most 200 % of the pot. A raise counts as one of these streets.
- 'a': all-in.

Sizes are separated by commas; a last comma and spaces are skipped. An empty text has no sizes.
"""

from __future__ import annotations

import math
import re
from typing import Final, NamedTuple

from hannan.arguments import text as as_text
from hannan.games.holdem.cards import misread

SHARE, TIMES, CHIPS, GEOMETRIC, ALL_IN = "%", "x", "c", "e", "a"
"""Kinds of sizes: the letter that names each."""

NUMBER: Final = r"(?:\d+(?:\.\d*)?|\.\d+)"
FORM: Final = re.compile(
    rf"(?P<share>{NUMBER})%|(?P<times>{NUMBER})x|(?P<chips>\d+)c(?:(?P<cap>\d+)r)?"
    rf"|(?P<streets>\d+)?e(?:(?P<most>{NUMBER})%)?|(?P<all>a)"
)
MOST_SHARE: Final = 1e6
MOST_CHIPS: Final = 2**31 - 1
MOST_STREETS: Final = 100
"""Limits that only a typing error exceeds: shares of the pot and multiples, chips, streets and raises."""


class Size(NamedTuple):
    """One bet size."""

    kind: str
    amount: float = 0.0
    """Share of the pot, multiple of the bet, chips, or the largest share of the pot of a geometric size."""
    times: int = 0
    """Streets of a geometric size (0: all remaining), or the most raises per street for chips (0: no limit)."""


def parse_sizes(text: str, what: str = "bets", *, raises: bool = False) -> tuple[Size, ...]:
    """Return the sizes that a text names.

    Parameters
    ----------
    text
        Sizes in the notation above.
    what
        What the text is, for the error message.
    raises
        Whether the sizes are for raises: '2.5x' and '150c3r' are for raises only.

    Raises
    ------
    ParameterError
        If a size cannot be read or is not possible. The message gives the position of the character.
    """
    as_text(what, text)
    sizes: list[Size] = []
    place = 0
    while True:
        place += len(text[place:]) - len(text[place:].lstrip())
        if place == len(text):
            return tuple(sizes)
        size, end = _size(text, place, what, raises)
        if size not in sizes:
            sizes.append(size)
        place = end + len(text[end:]) - len(text[end:].lstrip())
        if place < len(text) and text[place] != ",":
            raise misread(what, text, place, f"{text[place]!r} does not continue a size; expected a comma or the end")
        place = min(place + 1, len(text))


def _size(text: str, place: int, what: str, raises: bool) -> tuple[Size, int]:
    """Read one size; return it and where it ends."""
    form = FORM.match(text.lower(), place)
    if form is None:
        number = re.compile(NUMBER).match(text, place)
        if number is not None:
            raise misread(
                what, text, number.end(), "a number needs a unit: % (of the pot), x (times the bet) or c (chips)"
            )
        raise misread(
            what, text, place, f"{text[place]!r} begins no size; expected one such as 60%, 2.5x, 150c, e or a"
        )
    parts = form.groupdict()

    def number_in(name: str, least: float, most: float, words: str) -> float:
        value = float(parts[name])
        if not least < value <= most:
            at = form.start(name)
            raise misread(what, text, at, f"{parts[name]} is out of range; expected {words} and at most {most:g}")
        return value

    if parts["share"]:
        return Size(SHARE, number_in("share", 0, MOST_SHARE, "a share of the pot above 0") / 100), form.end()
    if parts["times"]:
        if not raises:
            raise misread(
                what, text, place, f"{form.group()!r} is a multiple of the previous bet, so it is for raises only"
            )
        return Size(TIMES, number_in("times", 1, MOST_SHARE, "a multiple above 1")), form.end()
    if parts["chips"]:
        chips = number_in("chips", 0, MOST_CHIPS, "a number of chips above 0")
        if parts["cap"] and not raises:
            raise misread(what, text, form.end("chips") + 1, "a number of raises is for raises only")
        cap = int(number_in("cap", 0, MOST_STREETS, "a number of raises above 0")) if parts["cap"] else 0
        return Size(CHIPS, chips, cap), form.end()
    if parts["all"]:
        return Size(ALL_IN), form.end()
    streets = int(number_in("streets", 0, MOST_STREETS, "a number of streets above 0")) if parts["streets"] else 0
    most = number_in("most", 0, MOST_SHARE, "a share of the pot above 0") / 100 if parts["most"] else math.inf
    return Size(GEOMETRIC, most, streets), form.end()


def size_text(size: Size) -> str:
    """Return a size as text that `parse_sizes` reads."""
    if size.kind == SHARE:
        return f"{_number(size.amount * 100)}%"
    if size.kind == TIMES:
        return f"{_number(size.amount)}x"
    if size.kind == CHIPS:
        return f"{int(size.amount)}c" + (f"{size.times}r" if size.times else "")
    if size.kind == GEOMETRIC:
        most = "" if math.isinf(size.amount) else f"{_number(size.amount * 100)}%"
        return f"{size.times or ''}e{most}"
    return "a"


def _number(value: float) -> str:
    return f"{value:.10g}"


def rounded(value: float) -> int:
    """Return the nearest whole number of chips; halves are rounded up."""
    floor = math.floor(value)
    return floor + (value - floor >= 0.5)


def amount(size: Size, pot: int, bet: int, left: int, streets: int, bets: int) -> int:
    """Return the amount to which a size bets or raises on this street, in chips, before any limit is applied.

    Parameters
    ----------
    size
        The size, other than all-in.
    pot
        The pot after calling.
    bet
        The bet of this street that is raised; 0 for a first bet.
    left
        Chips that each player has left after calling.
    streets
        Remaining streets, including this one.
    bets
        Bets and raises of this street so far.
    """
    if size.kind == SHARE:
        return bet + rounded(pot * size.amount)
    if size.kind == TIMES:
        return rounded(bet * size.amount)
    if size.kind == CHIPS:
        return bet + int(size.amount)
    over = max((size.times or streets) - max(bets - 1, 0), 1) if bets else (size.times or streets)
    share = ((2 * left / pot + 1) ** (1 / over) - 1) / 2
    return bet + rounded(pot * min(share, size.amount))
