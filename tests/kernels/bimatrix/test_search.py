"""The search over pairs of faces: what it leaves out, and that no equilibrium is left out."""

from __future__ import annotations

from fractions import Fraction

from hannan.solvers.general.bimatrix import bimatrix
from hannan.solvers.general.leaves import Leaves
from tests.solvers.general.enumeration import draw, extreme_equilibria, normal


def test_every_extreme_equilibrium_lies_in_a_leaf() -> None:
    for seed in range(10):
        rows, columns = draw(seed, 3, 4, 0, 2)
        leaves = [
            (set(one[0]), set(one[1]), set(other[0]), set(other[1]))
            for one, other in Leaves(bimatrix(normal(rows, columns), "vertices"))
        ]
        assert len(leaves) == len({tuple(map(frozenset, leaf)) for leaf in leaves})
        for x, y in extreme_equilibria(rows, columns):
            used = {i for i, weight in enumerate(x) if weight}, {j for j, weight in enumerate(y) if weight}
            best = _best(list(map(list, zip(*columns, strict=True))), x), _best(rows, y)
            assert any(
                used[0] <= free and tight <= best[0] and used[1] <= free_y and tight_y <= best[1]
                for free, tight, free_y, tight_y in leaves
            )


def _best(answers: list[list[int]], strategy: tuple[Fraction, ...]) -> set[int]:
    pays = [sum(a * b for a, b in zip(row, strategy, strict=True)) for row in answers]
    return {e for e, pay in enumerate(pays) if pay == max(pays)}


def test_equal_payoffs_have_one_leaf() -> None:
    """Without the second rule there would be one for each pair of sets of best responses, 2^16."""
    (leaf,) = Leaves(bimatrix(normal([[0] * 8] * 8, [[0] * 8] * 8), "vertices"))
    assert leaf == ((tuple(range(8)), tuple(range(8))),) * 2


def test_generic_games_have_a_leaf_per_equilibrium() -> None:
    for seed in range(5):
        game = draw(seed, 4, 4, -999, 999)
        leaves = list(Leaves(bimatrix(normal(*game), "vertices")))
        assert len(leaves) == len(extreme_equilibria(*game))
