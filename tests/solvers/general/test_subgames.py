"""Subgames found and solved from below: perfect information by plain backward induction, and known games."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.exacttree import END, exact_tree
from hannan.forms.game import ExpandedGame
from hannan.solvers.general.behaviour import Behaviour
from hannan.solvers.general.cells import exact_cells
from hannan.solvers.general.point import Ending, Point, Points, finished
from hannan.solvers.general.refinements import refinements
from hannan.solvers.general.subgames import subgame_gains, subgame_perfect, subgames
from tests.solvers.general.smalltrees import beer_quiche, entry_game, game, selten_horse


def below(tree: Any, root: int) -> set[int]:
    return {root}.union(*(below(tree, child) for child in tree.nodes[root].children))


@pytest.mark.parametrize(
    "make", [entry_game, selten_horse, beer_quiche, lambda: hn.load("goofspiel(cards=3)").expanded()]
)
def test_roots_by_definition(make: Any) -> None:
    """A node begins a subgame if no set has nodes both below it and elsewhere: checked set by set."""
    tree = exact_tree(make())
    expected = set()
    for root, node in enumerate(tree.nodes):
        inside = below(tree, root)
        if node.mover != END and all(
            inside.issuperset(members) or inside.isdisjoint(members) for sets in tree.members for members in sets
        ):
            expected.add(root)
    found = subgames(tree)
    assert {part.root for part in found} == expected
    assert all(set(range(part.root, part.end)) == below(tree, part.root) for part in found)
    assert found[-1].root == 0


def two_by_two(of: ExpandedGame) -> Points:
    """All equilibria of a game with few plans of two players, by supports of equal size, in fractions."""
    form = hn.normal_form(of)
    cells = exact_cells(form)
    rows, columns = cells.shape
    count = 0
    for size in range(1, min(rows, columns) + 1):
        for mine, theirs in product(combinations(range(rows), size), combinations(range(columns), size)):
            mixed = []
            for own, other, player, many in ((theirs, mine, 0, columns), (mine, theirs, 1, rows)):
                # weights on `own` that make the other's plans in use equally good
                payoff = [[Fraction(_cell(cells, player, k, j)) for j in own] for k in other]
                weights = _equalising(payoff)
                if weights is None:
                    break
                full = [Fraction(0)] * many
                for place, weight in zip(own, weights, strict=True):
                    full[place] = weight
                mixed.append(tuple(full))
            if len(mixed) < 2:
                continue
            y, x = mixed
            if _best(cells, 0, x, y) and _best(cells, 1, y, x):
                count += 1
                yield Point(
                    (np.array([float(a) for a in x]), np.array([float(a) for a in y])), fractions=(x, y), isolated=True
                )
    return Ending(True, f"{count} equilibria on all supports of equal size")


def _cell(cells: Any, player: int, own: int, other: int) -> int:
    return int(cells.numbers[player][(own, other) if player == 0 else (other, own)])


def _best(cells: Any, player: int, mine: Any, theirs: Any) -> bool:
    pays = [sum(_cell(cells, player, k, j) * w for j, w in enumerate(theirs)) for k in range(len(mine))]
    return all(pay == max(pays) for pay, weight in zip(pays, mine, strict=True) if weight)


def _equalising(payoff: list[list[Fraction]]) -> list[Fraction] | None:
    """Return positive weights of columns that make all rows equal, for one or two rows and columns; None if none."""
    if len(payoff) == 1:
        return [Fraction(1)]
    (a, b), (c, d) = payoff
    under = a - b - c + d
    if under == 0:
        return None
    share = (d - b) / under
    return [share, 1 - share] if 0 < share < 1 else None


def backward(tree: Any, number: int) -> tuple[Fraction, ...]:
    """Return the values of plain backward induction where every set is one node and no ties occur."""
    node = tree.nodes[number]
    values = [backward(tree, child) for child in node.children]
    if node.mover == END:
        return node.gains
    return max(values, key=lambda value: value[node.mover])


@pytest.mark.parametrize("seed", range(5))
def test_perfect_information(seed: int) -> None:
    """Random payoffs without ties: one equilibrium, complete, with the values of backward induction."""
    draw = np.random.default_rng(seed)
    numbers = iter(draw.permutation(200).tolist())

    def grow(depth: int, path: str) -> Any:
        if depth == 0:
            return (next(numbers), next(numbers))
        return ("node", depth % 2, path, {k: grow(depth - 1, path + k) for k in ("abc" if depth == 2 else "ab")})

    of = game(grow(4, "r"))
    found, ending = finished(subgame_perfect(of))
    assert len(found) == 1
    assert ending.complete
    tree = exact_tree(of)
    assert found[0].behaviour is not None
    behaviour = Behaviour(tree, found[0].behaviour)
    assert behaviour.values[0] == backward(tree, 0)
    assert not any(any(subgame_gains(behaviour, part)) for part in subgames(tree))


def test_entry_then_price_war() -> None:
    """As in Gibbons (1992), chapter 2: a simultaneous stage after a choice; the stage has three equilibria.

    Battle of the sexes (3, 1), (1, 3), 0 elsewhere pays player 0: 3, 1 and 3/4. Staying out pays 2, so it enters only
    before the first. By hand: three subgame-perfect equilibria.
    """

    def second(mine: str) -> Any:
        pays = {"a": {"a": (3, 1), "b": (0, 0)}, "b": {"a": (0, 0), "b": (1, 3)}}[mine]
        return ("node", 1, "stage", pays)

    stage = ("node", 0, "stage", {"a": second("a"), "b": second("b")})
    of = game(("node", 0, "start", {"out": (2, 2), "in": stage}))
    found, ending = finished(subgame_perfect(of, two_by_two))
    assert ending.complete, ending.why
    tree = exact_tree(of)
    values = sorted(Behaviour(tree, one.behaviour).values[0] for one in found if one.behaviour is not None)
    assert values == [(2, 2), (2, 2), (3, 1)]
    for one in found:
        assert one.behaviour is not None
        assert refinements(Behaviour(tree, one.behaviour).profile).subgame_perfect
        assert all(not any(subgame_gains(Behaviour(tree, one.behaviour), part)) for part in subgames(tree))


def test_zero_sum_stages() -> None:
    """Simultaneous zero-sum stages after one another: exact, and the value that the linear program finds."""
    of = hn.load("random_game(depth=2,branching=2)").expanded()
    point = next(subgame_perfect(of))
    tree = exact_tree(of)
    assert point.behaviour is not None
    value = Behaviour(tree, point.behaviour).values[0][0]
    assert float(value) == pytest.approx(hn.solve(of, "lp", progress=False).values[0], abs=1e-9)
    assert all(not any(subgame_gains(Behaviour(tree, point.behaviour), part)) for part in subgames(tree))


def test_no_pure_equilibrium() -> None:
    """Without a solver that mixes, a general-sum stage without a pure equilibrium is refused by name."""
    with pytest.raises(hn.errors.UnsuitableError, match="give `subgame_perfect` a solver"):
        next(subgame_perfect(hn.matrix_game([[[2, 0], [0, 1]], [[0, 1], [1, 0]]])))


@pytest.mark.slow
def test_a_thousand_subgames(tmp_path: Path) -> None:
    """A centipede of 1,100 moves, one subgame each: taking at once pays 2 and 0, by backward induction."""
    lines = ['EFG 2 R "centipede" { "A" "B" } ""']
    for k in range(1100):
        taken = (k + 2, k) if k % 2 == 0 else (k, k + 2)
        lines.append(f'p "" {1 + k % 2} {1 + k // 2} "" {{ "take" "pass" }} 0')
        lines.append(f't "" {k + 1} "" {{ {taken[0]} {taken[1]} }}')
    lines.append('t "" 1101 "" { 1102 1100 }')
    path = tmp_path / "centipede.efg"
    path.write_text("\n".join(lines))
    assert hn.equilibria(str(path), "subgame-perfect")[0].payoffs == (2.0, 0.0)


def test_irrational_play_off_the_path_is_kept(tmp_path: Path) -> None:
    """Player 0 stays out of a game in which all three players mix √7 - 2 (`test_polynomial.cyclic`)."""
    lines = ['EFG 2 R "cycle" { "A" "B" "C" } ""', 'p "" 1 1 "" { "in" "out" } 0', 'p "" 1 2 "" { "x" "y" } 0']
    for cell in product((1, 0), repeat=3):
        if cell[2]:
            lines += ['p "" 2 1 "" { "x" "y" } 0'] * cell[1] + ['p "" 3 1 "" { "x" "y" } 0']
        pays = [cell[p] * (3 - 4 * cell[(p + 1) % 3] - cell[(p + 1) % 3] * cell[(p + 2) % 3]) for p in range(3)]
        lines.append(f't "" {len(lines)} "" {{ {pays[0]} {pays[1]} {pays[2]} }}')
    path = tmp_path / "cycle.efg"
    path.write_text("\n".join([*lines, 't "" 99 "" { 20 1 1 }']))
    found = hn.equilibria(str(path), "subgame-perfect", refinements=True)[0]
    for player, where in ((0, "2"), (1, "1"), (2, "1")):
        assert found.profile.at(player, where)["x"] == pytest.approx(7**0.5 - 2, abs=1e-12)
    assert found.refinements is not None
    assert found.refinements["subgame_perfect"] is not False  # floats near it are not judged as if they were exact
