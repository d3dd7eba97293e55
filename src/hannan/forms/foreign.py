"""Games from elsewhere, by their address: Gambit's files."""

from __future__ import annotations

import re
from typing import Any

from hannan.addresses import parse
from hannan.errors import ParameterError, UnknownNameError, nearest
from hannan.forms.expanding import LARGEST_TREE
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import ExpandedGame, Game, PlayedGame
from hannan.rules.plain import Rules

_FILE = re.compile(r"(?P<path>.+\.(?:efg|nfg))\s*(?:\((?P<parameters>.*)\)\s*)?", re.DOTALL | re.IGNORECASE)

CHOICES = {"recall": ("stated", "split"), "chance": ("exact", "scaled")}
"""The parameters of a Gambit file, with their default first: whether to solve the refinement where somebody forgets,
and whether to divide probabilities by their sum."""


def foreign(address: str) -> Game | None:
    """Return the game of another library's that an address names; None where it names one of ours."""
    if (file := _FILE.fullmatch(address)) is not None:
        return _gambit(file["path"], file["parameters"] or "")
    return None


def _gambit(path: str, written: str) -> Game:
    table = path.lower().endswith(".nfg")
    given = _chosen(path, written, {} if table else CHOICES)
    if table:
        from hannan.interop.gambit.nfg import read_nfg
        from hannan.interop.gambit.rules import NfgRules

        rules = NfgRules(read_nfg(path), path)
        return _sized(rules, path, {}, rules.histories)
    from hannan.interop.gambit.efg import read_efg
    from hannan.interop.gambit.rules import EfgRules

    record = read_efg(path, scaled=given.get("chance") == "scaled")
    tree = EfgRules(record, path, split=given.get("recall") == "split")
    if not tree.split and tree.forgetting() is not None:
        return ForgetfulGame(tree, path, given)
    return _sized(tree, path, given, tree.histories)


def _sized(rules: Rules, name: str, parameters: dict[str, Any], histories: int) -> PlayedGame:
    kind = ExpandedGame if histories <= LARGEST_TREE else PlayedGame
    return kind(rules, name, parameters)


def _chosen(path: str, written: str, choices: dict[str, tuple[str, str]]) -> dict[str, str]:
    """Return the parameters of a file that differ from their default."""
    _, given = parse(f"file({written})")
    for name, value in given.items():
        if name not in choices:
            raise UnknownNameError(f"{path} has no parameter {name!r}{nearest(name, choices)}")
        if value not in choices[name]:
            raise ParameterError(f"{path}: {name}={value!r} should be {' or '.join(choices[name])}")
    return {name: value for name, value in given.items() if value != choices[name][0]}
