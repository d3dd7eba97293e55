"""All extreme equilibria of tiny two-player games, slowly, in fractions; it shares no code with what it checks.

A strategy x with the best payoff v against it is a vertex of {x ≥ 0, Σx = 1, answers·x ≤ v} if inequalities that hold
with equality, as many as x has entries, determine it. Two vertices are an equilibrium if every strategy is unused or a
best response.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import hannan as hn

Pair = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]


def extreme_equilibria(rows: list[list[Any]], columns: list[list[Any]]) -> set[Pair]:
    """Return the extreme equilibria; `rows` and `columns` are the payoffs of the players, [row][column]."""
    m, n = len(rows), len(rows[0])
    mine = _vertices([[columns[i][j] for i in range(m)] for j in range(n)])
    theirs = _vertices(rows)
    return {
        (x, y)
        for x, (unused_x, best_x) in mine.items()
        for y, (unused_y, best_y) in theirs.items()
        if unused_x | best_y == set(range(m)) and unused_y | best_x == set(range(n))
    }


def _vertices(answers: list[list[Any]]) -> dict[tuple[Fraction, ...], tuple[set[int], set[int]]]:
    """Return all vertices, each with the unused strategies and the best answers."""
    size, found = len(answers[0]), {}
    unit = [[Fraction(int(c == k)) for c in range(size)] + [Fraction(0)] for k in range(size)]
    lines = unit + [[Fraction(number) for number in row] + [Fraction(-1)] for row in answers]
    for tight in combinations(range(len(lines)), size):
        system = [*(lines[k] + [Fraction(0)] for k in tight), [Fraction(1)] * size + [Fraction(0), Fraction(1)]]
        solution = _solve(system)
        if solution is None or min(solution[:size]) < 0:
            continue
        pays = [sum(a * b for a, b in zip(row, solution, strict=False)) for row in answers]
        if max(pays) <= solution[size]:
            x = tuple(solution[:size])
            best = {e for e, pay in enumerate(pays) if pay == solution[size]}
            found[x] = ({c for c in range(size) if x[c] == 0}, best)
    return {x: labels for x, labels in found.items() if labels[1]}


def _solve(system: list[list[Fraction]]) -> list[Fraction] | None:
    """Solve a square system, the right side last; None if it has no single solution."""
    rows = [list(row) for row in system]
    for k in range(len(rows)):
        at = next((r for r in range(k, len(rows)) if rows[r][k] != 0), None)
        if at is None:
            return None
        rows[k], rows[at] = rows[at], rows[k]
        rows[k] = [number / rows[k][k] for number in rows[k]]
        for r in range(len(rows)):
            if r != k:
                rows[r] = [a - rows[r][k] * b for a, b in zip(rows[r], rows[k], strict=True)]
    return [row[-1] for row in rows]


def draw(seed: int, m: int, n: int, low: int, high: int) -> tuple[list[list[int]], list[list[int]]]:
    """Draw a game of whole numbers."""
    random = np.random.default_rng(seed)
    one, other = (random.integers(low, high + 1, (m, n)).tolist() for _ in range(2))
    return one, other


def normal(rows: list[list[Any]], columns: list[list[Any]]) -> Any:
    """Return the normal form of a game of small numbers."""
    return hn.normal_form(hn.matrix_game([rows, columns]))


def written(folder: Path, rows: list[list[Any]], columns: list[list[Any]]) -> Any:
    """Return the normal form of a game whose payoffs are no floats: by a file of Gambit's."""
    m, n = len(rows), len(rows[0])
    cells = [
        f"{rows[i][j]} {columns[i][j]}" for j in range(n) for i in range(m)
    ]  # the first player's number runs first
    path = folder / "game.nfg"
    path.write_text(f'NFG 1 R "game" {{ "one" "two" }} {{ {m} {n} }}\n\n{" ".join(cells)}\n')
    return hn.normal_form(path)


def exact(*strategies: Sequence[Any]) -> Any:
    """Return strategies as fractions."""
    return tuple(tuple(map(Fraction, strategy)) for strategy in strategies)


STRIP = ([[3, 3], [2, 5], [0, 6]], [[3, 3], [2, 6], [3, 1]])
"""B. von Stengel (2007), Equilibrium computation for two-player games, section 3.6: the second player is indifferent
against the first row, which is best up to a probability of 1/3 for the second column. So there is a component with the
ends (1, 0) and (2/3, 1/3), and an isolated equilibrium (0, 1/3, 2/3), (1/3, 2/3)."""
