"""Hold'em in the catalogue: a spot from parameters, from a file, or from both."""

from __future__ import annotations

from dataclasses import fields
from inspect import Parameter, Signature
from typing import Any

from hannan.arguments import text
from hannan.games.catalogue import Entry
from hannan.games.holdem.betting import PLAYERS
from hannan.games.holdem.rules import HoldemRules
from hannan.games.holdem.spot import SIZE_NAMES, Spot, make_spot
from hannan.games.holdem.spot_files import read_spot

DEFAULT = {"board": "Td9d6hQc2s", "oop": "66+,AJo+", "ip": "QQ-22", "pot": 200}
"""Default parameters of a spot that is not read from a file."""
SIZES = {"stack": 900, "bets": "60%,a", "raises": "2.5x"}
"""Its default stack and sizes. The sizes are used only if no size is given; none of the three is used with `limit`."""

SIZED = ("bets", "raises", "donks", *SIZE_NAMES, "add_allin")

PARAMETERS = {
    "file": "a TOML file with these parameters; parameters given in addition override the file",
    "board": "three, four or five cards; default: Td9d6hQc2s",
    "oop": "the range of the player who acts first; default: 66+,AJo+",
    "ip": "the range of the player who acts last; default: QQ-22",
    "pot": "chips in the pot; default: 200",
    "stack": "chips that each player has left; default: 900; with limit, unlimited",
    "bets": "sizes of bets: 60% of the pot, 120c chips, e geometric, a all-in; default: 60%,a if no sizes are given",
    "raises": "sizes of raises: also 2.5x the bet; default: 2.5x if no sizes are given",
    "donks": "sizes of oop's first bet of a street after calling on the previous street; default: as bets",
    "rake": "the share of the pot that the house takes; default: 0",
    "rake_cap": "the most chips that the house takes; default: no limit",
    "add_allin": "offer all-in too if it is at most this share of the pot; default: 0",
    "force_allin": "make a bet all-in if at most this share of the pot would be left after a call; default: 0",
    "merging": "drop a size that is close to a larger one (other solvers use 0.1); default: 0",
    "limit": "fixed limit: the bet of each street, such as '10,20', instead of sizes",
    "most_raises": "fixed limit: the most raises of a street; default: 3",
    "ranks": "the highest ranks of the deck; default: 13",
    "suits": "the first suits of the deck, of c, d, h and s; default: 4",
}
"""A short description of each parameter."""


def _meaning(name: str) -> str:
    """Describe sizes of a street, a player or both: 'bets of oop on the flop'."""
    *where, what = name.split("_")
    return " ".join((what, *(f"of {part}" if part in PLAYERS else f"on the {part}" for part in reversed(where))))


def holdem(**parameters: Any) -> HoldemRules:
    """Build the rules of a spot; None stands for a parameter that is not given."""
    given = {name: value for name, value in parameters.items() if value is not None}
    if "file" in given:
        return HoldemRules(read_spot(text("file", given.pop("file")), **given))
    spot: dict[str, Any] = {**DEFAULT}
    if "limit" not in given:
        sized = any(name in given for name in SIZED)
        spot |= {"stack": SIZES["stack"]} if sized else SIZES
    return HoldemRules(make_spot(**spot | given))


_NAMES = ("file", *(field.name for field in fields(Spot) if field.name != "sizes"), *SIZE_NAMES)
holdem.__signature__ = Signature(  # type: ignore[attr-defined]
    [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in _NAMES]
)

ENTRY = Entry(
    name="holdem",
    make=holdem,
    summary="heads-up hold'em from a flop, turn or river on, with ranges and bet sizes",
    source="no-limit and limit Texas hold'em",
    parameters={name: PARAMETERS.get(name) or _meaning(name) for name in _NAMES},
)
