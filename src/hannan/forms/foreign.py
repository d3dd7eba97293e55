"""Games of other libraries by their address: Gambit files, OpenSpiel games, environments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hannan.addresses import parse
from hannan.arguments import shown
from hannan.errors import ParameterError, UnknownNameError, nearest
from hannan.forms.expansion import LARGEST_TREE, is_small
from hannan.forms.forgetful import ForgetfulGame, StatedGame, forgetting_in
from hannan.forms.game import BoxedGame, ExpandedGame, Game, PlayedGame
from hannan.rules.plain import Rules

if TYPE_CHECKING:
    from hannan.interop.zoo.games import Wanted

_FILE = re.compile(r"(?P<path>.+\.(?:efg|nfg))\s*(?:\((?P<parameters>[^()]*)\)\s*)?", re.DOTALL | re.IGNORECASE)

OPENSPIEL, PETTINGZOO, GYMNASIUM = "openspiel:", "pettingzoo:", "gymnasium:"
"""The beginnings of other libraries' addresses."""

MARGIN = 20
"""The true number of histories may be this many times the estimate: random plays see too little of deep games."""

CHOICES = {"recall": ("stated", "split"), "chance": ("exact", "scaled")}
"""The parameters of a Gambit file, with their default first: whether to solve the refinement if a player forgets, and
whether to divide probabilities by their sum."""


def is_gambit(address: str) -> bool:
    """Return whether an address is a path to a Gambit file, perhaps with parameters."""
    return _FILE.fullmatch(address) is not None


def is_foreign(address: str) -> bool:
    """Return whether an address names a game of another library."""
    return is_gambit(address) or address.startswith((OPENSPIEL, PETTINGZOO, GYMNASIUM))


def foreign(address: str) -> Game | None:
    """Return the game of another library that an address names; None if it names a game of hannan."""
    if (file := _FILE.fullmatch(address)) is not None:
        return _gambit(file["path"], file["parameters"] or "")
    if address.startswith(OPENSPIEL):
        return openspiel_game(address)
    if address.startswith((PETTINGZOO, GYMNASIUM)):
        from hannan.interop.zoo.games import wanted

        return environment_game(wanted(address))
    return None


def environment_game(asked: Wanted) -> Game:
    """Return the game of an environment: rules if its states are copied, else a black box."""
    from hannan.interop.zoo.box import ZooBox
    from hannan.interop.zoo.rules import ZooRules

    if not asked.copies:
        return BoxedGame(ZooBox(asked))
    rules = ZooRules(asked)
    return ExpandedGame(rules) if is_small(rules) else PlayedGame(rules)


def openspiel_game(address: str, theirs: Any = None) -> Game:
    """Return the OpenSpiel game that an address names. `theirs`: the game, if it is loaded already."""
    from hannan.interop.openspiel.box import SpielBox
    from hannan.interop.openspiel.games import is_sampled, unsuitable, wanted
    from hannan.interop.openspiel.rules import SpielRules

    asked = wanted(address)
    rules = SpielRules(asked, theirs)
    if (refusal := unsuitable(rules.theirs)) is not None:
        raise refusal
    if is_sampled(rules.theirs):
        return BoxedGame(SpielBox(asked, theirs))
    if rules.histories() * MARGIN > LARGEST_TREE:
        forgets = None if asked.split else rules.forgets_in_plays()
        return StatedGame(rules) if forgets is None else ForgetfulGame(rules, forgets)
    game = ExpandedGame(rules)
    forgets = None if asked.split else forgetting_in(game.tree)
    return game if forgets is None else ForgetfulGame(rules, forgets)


def _gambit(path: str, written: str) -> Game:
    from hannan.interop.gambit.text import source

    table = path.lower().endswith(".nfg")
    return gambit_game(path, source(path), table, _chosen(path, written, {} if table else CHOICES))


def gambit_game(name: str, text: str, table: bool, given: Mapping[str, str] = MappingProxyType({})) -> Game:
    """Return the game that a text in Gambit's format describes: a table or a tree. `given`: see `CHOICES`."""
    from hannan.interop.gambit.efg import parse_efg
    from hannan.interop.gambit.nfg import parse_nfg
    from hannan.interop.gambit.rules import EfgRules, NfgRules

    if table:
        rules = NfgRules(parse_nfg(text, name), name)
        return _sized(rules, rules.histories)
    tree = EfgRules(parse_efg(text, name, scaled=given.get("chance") == "scaled"), name, dict(given))
    if not tree.split and (forgets := tree.forgetting()) is not None:
        return ForgetfulGame(tree, forgets)
    return _sized(tree, tree.histories)


def _sized(rules: Rules, histories: int) -> PlayedGame:
    return ExpandedGame(rules) if histories <= LARGEST_TREE else PlayedGame(rules)


def _chosen(path: str, written: str, choices: dict[str, tuple[str, str]]) -> dict[str, str]:
    """Return the parameters of a file that differ from their default."""
    _, given = parse(f"file({written})")
    for name, value in given.items():
        if name not in choices:
            raise UnknownNameError(f"{path} has no parameter {shown(name)}{nearest(name, choices)}")
        if value not in choices[name]:
            raise ParameterError(f"{path}: {name}={shown(value)} should be {' or '.join(choices[name])}")
    return {name: value for name, value in given.items() if value != choices[name][0]}
