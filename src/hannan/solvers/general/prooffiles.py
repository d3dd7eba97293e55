"""The file of equilibria: the exact payoffs of a game and, for each equilibrium, its proof. JSON text.

Numbers that a claim rests on are fractions, written as text. `hannan.verifier` reads such a file with code of its own;
docs/howto/equilibria.md describes the format.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor, log10, prod
from os import PathLike
from typing import Any

import numpy as np

from hannan.errors import MismatchError
from hannan.files import write_text
from hannan.forms.exactpayoffs import exact_payoffs
from hannan.forms.game import ExpandedGame
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.cells import ExactCells, exact_cells, gains_of
from hannan.solvers.general.krawczyk import Root, find_root
from hannan.solvers.general.point import Ending, Fractions, Point
from hannan.solvers.general.regrets import (
    BITS,
    behaviour_of,
    plan_regret,
    realized,
    rounded,
    sequence_regret,
)

FORMAT, VERSION = "hannan.equilibria", 1
DIGITS = 17
"""The number of digits of bounds that need not be exact."""


def write_equilibria(path: str | PathLike[str], record: dict[str, Any]) -> None:
    """Write a record of equilibria, one entry per line."""
    lines = []
    for name, fact in record.items():
        if name == "equilibria" and fact:
            rows = ",\n  ".join(json.dumps(one) for one in fact)
            lines.append(f'"{name}": [\n  {rows}\n ]')
        else:
            lines.append(f'"{name}": {json.dumps(fact)}')
    write_text(path, "{\n " + ",\n ".join(lines) + "\n}\n")


def equilibria_record(
    game: NormalForm | ExpandedGame, points: Sequence[Point], ending: Ending | None = None
) -> dict[str, Any]:
    """Return the contents of a file of equilibria.

    Parameters
    ----------
    game
        The normal form, if the points are probabilities of plans. The tree, if they are probabilities of sequences.
    points
        The equilibria. Each is proven anew here; facts that cannot be proven are left out of its claims.
    ending
        Whether these are all, and why.
    """
    space = "sequences" if isinstance(game, ExpandedGame) else "plans"
    if any(point.space != space for point in points):
        raise MismatchError(f"the points should be probabilities of {space}, as the game is given")
    if isinstance(game, ExpandedGame):
        proven = [_tree_claim(game, point) for point in points]
    else:
        cells = exact_cells(game)
        proven = [_claim(cells, point) for point in points]
    expanded = game if isinstance(game, ExpandedGame) else game.game
    record: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "game": str(expanded.address),
        "complete": bool(ending is not None and ending.complete),
        "why": "" if ending is None else ending.why,
        "equilibria": proven,
        "names": _names(game),
        "payoffs": payoffs_record(game),
    }
    record["digest"] = hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
    return record


def payoffs_record(game: NormalForm | ExpandedGame) -> dict[str, Any]:
    """Return the exact payoffs of a game as a file of equilibria states them."""
    if isinstance(game, ExpandedGame):
        payoffs, plexes = exact_payoffs(game), game.form.treeplexes
        return {
            "kind": "sequences",
            "parents": [plex.parent.tolist() for plex in plexes],
            "actions": [np.diff(plex.begin).tolist() for plex in plexes],
            "entries": [list(map(int, row)) for row in payoffs.sequences],
            "gains": [_texts(row, over) for row, over in zip(payoffs.gained, payoffs.over, strict=True)],
        }
    cells = exact_cells(game)
    gains = [_texts(numbers.ravel(), over) for numbers, over in zip(cells.numbers, cells.over, strict=True)]
    return {"kind": "cells", "shape": list(cells.shape), "gains": gains}


def _texts(numbers: Any, over: int) -> list[str]:
    return [str(Fraction(int(number), over)) for number in numbers]


def _names(game: NormalForm | ExpandedGame) -> list[list[str]]:
    """Return the names of plans, or of sequences: the last set and action of each."""
    if not isinstance(game, ExpandedGame):
        return [[game.plan_text(player, k) for k in range(len(plans))] for player, plans in enumerate(game.plans)]
    return [
        [
            "",
            *(
                f"{game.set_text(player, j)}: {game.action_text(player, sequence)}"
                for j in range(plex.sets)
                for sequence in range(int(plex.begin[j]), int(plex.begin[j + 1]))
            ),
        ]
        for player, plex in enumerate(game.form.treeplexes)
    ]


def _claim(cells: ExactCells, point: Point) -> dict[str, Any]:
    """Return the strongest claim about a point of a normal form that can be proven."""
    exact = point.fractions
    support = tuple(tuple(np.flatnonzero(one).tolist()) for one in point.strategies)
    if exact is not None:
        support = tuple(tuple(k for k, weight in enumerate(one) if weight) for one in exact)
    root = None
    if point.radius is not None if exact is None else point.index is not None:
        root = find_root(cells, support, point.strategies)
        root = root if root is not None and root.standing == "equilibrium" else None
    if exact is not None and not any(gains_of(cells, exact)):
        index = root.index if root is not None else None
        return _exact_claim(exact, _earned(cells, exact), index)
    if root is not None:
        return _box_claim(cells, root)
    whole = [rounded(one) for one in point.strategies]
    given = tuple(tuple(Fraction(int(number), 2**BITS) for number in one) for one in whole)
    return _epsilon_claim(given, _earned(cells, given), plan_regret(cells, whole))


def _exact_claim(strategies: Fractions, payoffs: Sequence[Fraction], index: int | None) -> dict[str, Any]:
    rows = [list(map(str, one)) for one in strategies]
    claim = {"proof": "fractions", "decimals": _decimals(strategies), "strategies": rows}
    return {**claim, "payoffs": list(map(str, payoffs)), "index": index}


def _epsilon_claim(strategies: Fractions, payoffs: Sequence[Fraction], regret: Fraction) -> dict[str, Any]:
    rows = [list(map(str, one)) for one in strategies]
    return {
        "proof": "epsilon",
        "decimals": _decimals(strategies),
        "strategies": rows,
        "payoffs": list(map(str, payoffs)),
        "regret": str(_short(regret, up=True)),
    }


def _decimals(strategies: Fractions) -> list[list[float]]:
    """Return probabilities for people to read."""
    return [[float(number) for number in one] for one in strategies]


def _box_claim(cells: ExactCells, root: Root) -> dict[str, Any]:
    """Return the claim about a box around an equilibrium."""
    radius = _short(root.radius, up=True)
    full = []
    for player, (plans, centre) in enumerate(zip(root.support, root.centre, strict=True)):
        weights = dict(zip(plans, centre, strict=True))
        full.append(tuple(weights.get(plan, Fraction(0)) for plan in range(cells.shape[player])))
    wide = prod((1 + 2 * radius * (len(plans) - 1) for plans in root.support), start=Fraction(1)) - 1
    bounds = []
    for player, earned in enumerate(_earned(cells, tuple(full), at=root)):
        used = cells.numbers[player][np.ix_(*root.support)]
        most = Fraction(int(abs(used).max()), cells.over[player])
        bounds.append([str(_short(earned - wide * most)), str(_short(earned + wide * most, up=True))])
    return {
        "proof": "krawczyk",
        "decimals": _decimals(tuple(full)),
        "support": [list(plans) for plans in root.support],
        "base": [plans[place] for plans, place in zip(root.support, root.base, strict=True)],
        "centre": [list(map(str, centre)) for centre in root.centre],
        "radius": str(radius),
        "payoffs": bounds,
        "index": root.index,
    }


def _earned(cells: ExactCells, strategies: Fractions, at: Root | None = None) -> list[Fraction]:
    """Return the exact payoff of each player; with a root, the payoff of its base plan."""
    used = [[k for k, weight in enumerate(one) if weight] for one in strategies]
    earned = []
    for player, numbers in enumerate(cells.numbers):
        weights = [np.array([one[k] for k in own], object) for one, own in zip(strategies, used, strict=True)]
        chosen = [list(own) for own in used]
        if at is not None:
            chosen[player], weights[player] = [at.support[player][at.base[player]]], np.array([Fraction(1)], object)
        paid: Any = numbers[np.ix_(*chosen)]
        for own in reversed(weights):
            paid = paid @ own
        earned.append(Fraction(paid) / cells.over[player])
    return earned


def _tree_claim(game: ExpandedGame, point: Point) -> dict[str, Any]:
    """Return the strongest claim about a point of a tree that can be proven."""
    payoffs, plexes = exact_payoffs(game), game.form.treeplexes
    exact, regret = point.fractions, Fraction(0)
    if exact is None:
        behaviour = behaviour_of(game, point.strategies)
        regret = sequence_regret(game, behaviour)
        reaches = [realized(plex, own) for plex, own in zip(plexes, behaviour, strict=True)]
        exact = tuple(tuple(Fraction(int(number), 1 << bits) for number in own) for own, bits in reaches)
    earned = payoffs.earned(exact)
    if point.fractions is not None:
        return _exact_claim(exact, earned, None)
    return _epsilon_claim(exact, earned, regret)


def _short(number: Fraction, up: bool = False) -> Fraction:
    """Return a number with few digits near another number: not below it if `up`, else not above it."""
    if not number:
        return number
    above, below = abs(number.numerator), number.denominator
    size = floor(log10(above) - log10(below))
    unit = Fraction(10) ** (size - DIGITS)
    return unit * (ceil(number / unit) if up else floor(number / unit))
