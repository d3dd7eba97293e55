"""Check a file of equilibria: JSON text with the payoffs of a game, and for each equilibrium its proof.

Every number that a claim rests on is a fraction, written as text ("-7/3"), and every check is made in fractions.
`cells` (payoffs of all combinations of plans) and `sequences` (payoffs of tuples of sequences of a tree) are the two
ways in which a file states a game.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from hannan.errors import FileError
from hannan.verifier.boxproof import check_box, index_at
from hannan.verifier.deviations import Cells, Sequences
from hannan.verifier.verdict import EquilibriaVerdict, Level, RejectedError, need

FORMAT, VERSION = "hannan.equilibria", 1
FRACTION = re.compile(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?", re.ASCII)
FACTS = {"format", "version", "game", "names", "payoffs", "complete", "why", "equilibria", "digest"}
CELLS = {"kind", "shape", "gains"}
SEQUENCES = {"kind", "parents", "actions", "entries", "gains"}
PROOFS = {
    "fractions": {"proof", "decimals", "strategies", "payoffs", "index"},
    "krawczyk": {"proof", "decimals", "support", "base", "centre", "radius", "payoffs", "index"},
    "epsilon": {"proof", "decimals", "strategies", "payoffs", "regret"},
}
"""The entries of each kind of proof."""

PAYOFFS = "that the payoffs in the file are those of the game (give the game, and they are compared)"
COMPLETE = "that these are all equilibria of the game: the file does not hold the proofs that exclude the others"


def is_equilibria(path: str | PathLike[str]) -> bool:
    """Return whether a file is JSON text, as files of equilibria are and certificates are not."""
    try:
        with Path(path).open("rb") as file:
            return Path(path).is_file() and file.read(64).lstrip()[:1] == b"{"
    except (OSError, ValueError, TypeError):
        return False


def read_equilibria(path: str | PathLike[str]) -> dict[str, Any]:
    """Return the contents of a file of equilibria; raise `FileError` for anything else."""
    try:
        facts = json.loads(Path(path).read_bytes().decode(), object_pairs_hook=_unique, parse_constant=_refuse)
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        raise FileError(f"{path} is not a file of equilibria, or is cut short ({error})") from error
    if not isinstance(facts, dict) or facts.get("format") != FORMAT or facts.get("version") != VERSION:
        raise FileError(f"{path} is not a file of equilibria: this verifier reads {FORMAT!r} version {VERSION}")
    return facts


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    known = dict(pairs)
    if len(known) != len(pairs):
        raise ValueError("a key appears twice")
    return known


def _refuse(text: str) -> Any:
    raise ValueError(f"{text} is not a number")


def seal(facts: dict[str, Any]) -> str:
    """Return the fingerprint of a file: SHA-256 over all of it except the fingerprint."""
    rest = {name: fact for name, fact in facts.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def verify_equilibria(
    path: str | PathLike[str], payoffs: dict[str, Any] | None = None, game: str | None = None
) -> EquilibriaVerdict:
    """Check a file of equilibria.

    Parameters
    ----------
    path
        The file.
    payoffs
        The payoffs of the game, as such a file states them. If given, they must be those of the file: the level is
        then `game`.
    game
        How the verdict calls the game that the payoffs come from.
    """
    facts = read_equilibria(path)
    checked: list[dict[str, Any]] = []
    reason, believed = "", []
    try:
        need(set(facts) == FACTS, "the file has other entries than a file of equilibria")
        need(facts["digest"] == seal(facts), "the file was altered: its digest does not match")
        form = _form(facts["payoffs"])
        _check_texts(facts, form)
        for number, claim in enumerate(facts["equilibria"]):
            try:
                checked.append(_checked(form, claim))
            except RejectedError as error:
                raise RejectedError(f"equilibrium {number}: {error}") from None
        if payoffs is None:
            believed.append(PAYOFFS)
        else:
            need(payoffs == facts["payoffs"], f"the payoffs in the file are not those of {game or 'the game'}")
        if facts["complete"]:
            believed.append(COMPLETE)
    except RejectedError as error:
        reason = str(error)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, RecursionError) as error:
        reason = f"the file is incomplete or malformed ({type(error).__name__}: {error})"
    level: Level | None = None if reason else "arithmetic" if payoffs is None else "game"
    return EquilibriaVerdict(
        file=str(path),
        game=str(facts.get("game")),
        replayed_game=game if payoffs is not None else None,
        valid=not reason,
        level=level,
        gap=None,
        claimed_gap=None,
        confidence=None,
        radius=None,
        playthroughs=None,
        replayed=None,
        failures=None,
        believed=() if reason else tuple(believed),
        reason=reason,
        equilibria=() if reason else tuple(checked),
        complete=None if reason else bool(facts["complete"]),
    )


def _form(payoffs: Any) -> Cells | Sequences:
    """Return the game that a file states."""
    need(isinstance(payoffs, dict), "the payoffs are not a record")
    if payoffs.get("kind") == "cells":
        need(set(payoffs) == CELLS, "the payoffs have other entries than payoffs of kind cells")
        shape = [_whole(size, 1) for size in payoffs["shape"]]
        gains = [[_fraction(text) for text in row] for row in payoffs["gains"]]
        need(len(gains) == len(shape) >= 1, "there should be payoffs for each player")
        need(all(len(row) == math.prod(shape) for row in gains), "a combination of plans has no payoff")
        return Cells(tuple(shape), gains)
    need(payoffs.get("kind") == "sequences" and set(payoffs) == SEQUENCES, "the payoffs are of no known kind")
    parents = [[_whole(above, 0) for above in row] for row in payoffs["parents"]]
    actions = [[_whole(many, 1) for many in row] for row in payoffs["actions"]]
    entries = [[_whole(sequence, 0) for sequence in row] for row in payoffs["entries"]]
    gains = [[_fraction(text) for text in row] for row in payoffs["gains"]]
    players = len(parents)
    need(len(actions) == len(entries) == len(gains) == players >= 1, "there should be a tree for each player")
    for above, many, used, row in zip(parents, actions, entries, gains, strict=True):
        need(len(above) == len(many) and len(used) == len(row) == len(gains[0]), "the columns have different lengths")
        begin = 1
        for parent, count in zip(above, many, strict=True):
            need(parent < begin, "a set comes before the sequence that leads to it")
            begin += count
        need(all(sequence < begin for sequence in used), "a payoff names a sequence that does not exist")
    return Sequences(parents, actions, entries, gains)


def _check_texts(facts: dict[str, Any], form: Cells | Sequences) -> None:
    """Check the texts of a file, such as the names of all plans or sequences."""
    names = facts["names"]
    need(isinstance(facts["game"], str) and isinstance(facts["why"], str), "the game and the reason should be texts")
    need(isinstance(facts["complete"], bool) and isinstance(facts["equilibria"], list), "complete is not true or false")
    whole = isinstance(names, list) and [len(row) for row in names] == list(form.sizes)
    need(whole and all(isinstance(name, str) for row in names for name in row), "a plan or a sequence has no name")


def _checked(form: Cells | Sequences, claim: Any) -> dict[str, Any]:
    """Check one equilibrium; return what was shown."""
    need(isinstance(claim, dict) and claim.get("proof") in PROOFS, "the kind of proof is unknown")
    kind = claim["proof"]
    need(set(claim) == PROOFS[kind], f"it has other entries than a proof of kind {kind}")
    if kind == "krawczyk":
        need(isinstance(form, Cells), "a proof by a box needs payoffs of kind cells")
        assert isinstance(form, Cells)
        support = [[_whole(plan, 0) for plan in own] for own in claim["support"]]
        base = [_whole(plan, 0) for plan in claim["base"]]
        centre = [[_fraction(text) for text in own] for own in claim["centre"]]
        radius = _fraction(claim["radius"])
        bounds = [(_fraction(low), _fraction(high)) for low, high in claim["payoffs"]]
        check_box(form, support, base, centre, radius, bounds, claim["index"])
        spread = [dict(zip(plans, own, strict=True)) for plans, own in zip(support, centre, strict=True)]
        _check_decimals(
            claim, [[own.get(k, Fraction(0)) for k in range(n)] for own, n in zip(spread, form.shape, strict=True)]
        )
        reach = radius * max(1, *(len(own) - 1 for own in support))
        return {"proof": kind, "radius": _up(reach), "regret": None, "index": claim["index"]}
    strategies = [[_fraction(text) for text in own] for own in claim["strategies"]]
    form.check_strategies(strategies)
    _check_decimals(claim, strategies)
    earned, gains = form.deviations(strategies)
    need(earned == [_fraction(text) for text in claim["payoffs"]], "the strategies earn other payoffs than claimed")
    if kind == "epsilon":
        bound = _fraction(claim["regret"])
        need(max(gains) <= bound, f"a player can gain {float(max(gains)):.3g}, and the file claims {float(bound):.3g}")
        return {"proof": kind, "radius": None, "regret": _up(bound), "index": None}
    need(max(gains) == 0, f"a player can gain {float(max(gains)):.3g} by deviating")
    if claim["index"] is not None:
        need(isinstance(form, Cells), "an index needs payoffs of kind cells")
        assert isinstance(form, Cells)
        need(type(claim["index"]) is int and index_at(form, strategies) == claim["index"], "the claimed index is wrong")
    return {"proof": kind, "radius": 0.0, "regret": 0.0, "index": claim["index"]}


def _check_decimals(claim: dict[str, Any], strategies: list[list[Fraction]]) -> None:
    """Reject decimals that are not the rounded fractions. Decimals are for people to read."""
    rounded = [[float(number) for number in own] for own in strategies]
    need(claim["decimals"] == rounded, "the decimals are not the probabilities of the proof")


def _fraction(text: Any) -> Fraction:
    """Return a fraction in lowest terms; refuse any other text."""
    need(isinstance(text, str) and FRACTION.fullmatch(text) is not None, f"{text!r:.40} is not a fraction")
    number = Fraction(text)
    need(str(number) == text, f"{text:.40} is not in lowest terms")
    return number


def _whole(number: Any, least: int) -> int:
    """Return a whole number."""
    need(type(number) is int and number >= least, f"{number!r:.40} is not a whole number from {least} on")
    return int(number)


def _up(number: Fraction) -> float:
    """Return a float that is not below a number."""
    near = float(number)
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)
