"""Maximal Nash subsets and connected components of the equilibria of a two-player game.

D. Avis, G. Rosenberg, R. Savani, B. von Stengel (2010), Enumeration of Nash equilibria for two-player games, section 2.
Extreme equilibria (x, y) are edges between the vertices x and y. A maximal set U × V of which all pairs are edges is a
maximal Nash subset: its convex hull is a set of equilibria in which any two can be interchanged. Subsets that share a
vertex pair touch, and the connected parts of the graph are the connected components of all equilibria.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hannan.interrupts import go_on
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.bimatrix import Bimatrix, as_ray, bimatrix
from hannan.solvers.general.index import index_at
from hannan.solvers.general.point import Fractions

Strategy = tuple[int, ...]


@dataclass(frozen=True)
class Component:
    """A connected component of the equilibria, by the places of its extreme equilibria in the given list."""

    extreme: tuple[int, ...]
    """All extreme equilibria of the component."""
    subsets: tuple[tuple[int, ...], ...]
    """The maximal Nash subsets: all convex combinations of the equilibria of one, player by player, are equilibria."""
    index: int | None
    """The index of the component. None: it was too degenerate to compute."""

    @property
    def isolated(self) -> bool:
        """Whether the component is one point."""
        return len(self.extreme) == 1


def components(form: NormalForm, equilibria: Iterable[Fractions]) -> tuple[Component, ...]:
    """Sort all extreme equilibria of a two-player game (the complete list of `vertices`) into components."""
    game = bimatrix(form, "components")
    pairs = [(as_ray(x), as_ray(y)) for x, y in equilibria]
    number = {pair: at for at, pair in enumerate(pairs)}
    answers: dict[Strategy, set[Strategy]] = {}
    for x, y in pairs:
        answers.setdefault(x, set()).add(y)
    found = []
    for group in _groups(answers):
        edges = sorted(number[x, y] for x in group for y in answers[x])
        subsets = sorted(
            tuple(sorted(number[x, y] for x in users for y in shared))
            for users, shared in _bicliques({x: frozenset(answers[x]) for x in group})
        )
        found.append(Component(tuple(edges), tuple(subsets), _index(game, [pairs[at] for at in edges])))
    return tuple(sorted(found, key=lambda one: one.extreme))


def _index(game: Bimatrix, pairs: list[tuple[Strategy, Strategy]]) -> int | None:
    """Return the index of a component: the sum over its extreme equilibria."""
    total = 0
    for x, y in pairs:
        part = index_at(game, x, y)
        if part is None:
            return None
        total += part
    return total


def _groups(answers: dict[Strategy, set[Strategy]]) -> list[list[Strategy]]:
    """Return the first players' strategies of each connected part."""
    users: dict[Strategy, list[Strategy]] = {}
    for x, ys in answers.items():
        for y in ys:
            users.setdefault(y, []).append(x)
    groups, seen = [], set[Strategy]()
    for start in answers:
        if start in seen:
            continue
        group, todo = [], [start]
        seen.add(start)
        while todo:
            x = todo.pop()
            group.append(x)
            for other in (other for y in answers[x] for other in users[y]):
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        groups.append(group)
    return groups


def _bicliques(answers: dict[Strategy, frozenset[Strategy]]) -> list[tuple[list[Strategy], frozenset[Strategy]]]:
    """Return all maximal U × V of a bipartite graph: V is an intersection of neighbourhoods, U all that share it."""
    shared: set[frozenset[Strategy]] = set()
    for ys in answers.values():
        go_on()
        shared |= {ys, *(one & ys for one in shared if one & ys)}
    return [([x for x, ys in answers.items() if one <= ys], one) for one in shared]
