"""All extreme equilibria, against brute force in fractions, known sets and lrsnash."""

from __future__ import annotations

import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.bench.equilibria import STENGEL
from hannan.interrupts import Halted, patience
from hannan.solvers.general.point import finished
from hannan.solvers.general.vertices import vertices
from tests.solvers.general.enumeration import STRIP, draw, exact, extreme_equilibria, normal, written

SHAPES = [
    (1, 1, 0, 1),
    (1, 4, 0, 2),
    (3, 1, 0, 1),
    (2, 2, 0, 1),
    (3, 3, 0, 2),
    (2, 5, -1, 1),
    (4, 3, 0, 1),
    (4, 4, -9, 9),
]


@pytest.mark.parametrize(("m", "n", "low", "high"), SHAPES)
def test_they_are_those_of_brute_force(m: int, n: int, low: int, high: int) -> None:
    """Small payoffs tie often, so most of these games are degenerate."""
    for seed in range(6):
        game = draw(seed, m, n, low, high)
        found, ending = finished(vertices(normal(*game)))
        assert {point.fractions for point in found} == extreme_equilibria(*game)
        assert len({point.fractions for point in found}) == len(found)
        assert ending.complete


@pytest.mark.slow
def test_larger_degenerate_games_are_those_of_brute_force() -> None:
    for seed in range(3):
        game = draw(seed, 5, 5, 0, 2)
        assert {point.fractions for point in vertices(normal(*game))} == extreme_equilibria(*game)


def test_the_game_with_75_equilibria() -> None:
    found = list(vertices(normal(*STENGEL)))
    assert len(found) == 75
    assert all(point.isolated for point in found)
    assert sum(point.index or 0 for point in found) == 1
    assert {point.index for point in found} == {1, -1}


def test_ends_of_a_component_are_not_isolated() -> None:
    found = {point.fractions: (point.isolated, point.index) for point in vertices(normal(*STRIP))}
    third = Fraction(1, 3)
    assert found == {
        exact((1, 0, 0), (1, 0)): (False, None),
        exact((1, 0, 0), (2 * third, third)): (False, None),
        exact((0, third, 2 * third), (third, 2 * third)): (True, 1),
    }


def test_an_equilibrium_may_be_isolated_though_the_game_is_degenerate() -> None:
    """If both get 1 in one cell and 0 elsewhere, the opposite corner is an equilibrium alone, of index 0: by hand."""
    found = {
        point.fractions: (point.isolated, point.index) for point in vertices(normal([[0, 0], [0, 1]], [[0, 0], [0, 1]]))
    }
    assert found == {exact((1, 0), (1, 0)): (True, 0), exact((0, 1), (0, 1)): (True, 1)}


def test_equal_rows_and_columns() -> None:
    """Matching pennies with the first row and the first column twice: each of the 2 by 2 ways to share is extreme."""
    rows = [[1, 1, -1], [1, 1, -1], [-1, -1, 1]]
    found = list(vertices(normal(rows, [[-number for number in row] for row in rows])))
    half = Fraction(1, 2)
    sides = [(half, 0, half), (0, half, half)]
    assert {point.fractions for point in found} == {(x, y) for x in sides for y in sides}
    assert not any(point.isolated for point in found)


def test_equal_payoffs_make_every_pair_of_pure_strategies_extreme() -> None:
    found = list(vertices(normal([[7] * 9] * 8, [[-2] * 9] * 8)))
    assert len(found) == 72
    assert all(max(strategy) == 1 for point in found for strategy in point.strategies)


def test_dominated_strategies_are_in_no_equilibrium() -> None:
    """The prisoners' dilemma, and a game in which a mixture of two rows dominates the third."""
    (point,) = vertices(normal([[3, 0], [5, 1]], [[3, 5], [0, 1]]))
    assert point.fractions == exact((0, 1), (0, 1))
    (point,) = vertices(normal([[4, 0], [0, 4], [1, 1]], [[0, 1], [1, 0], [5, 0]]))
    half = Fraction(1, 2)
    assert point.fractions == exact((half, half, 0), (half, half))


@pytest.mark.parametrize("large", [10**25, 2**64 + 1])
def test_numbers_beyond_64_bits(large: int, tmp_path: Path) -> None:
    """Payoffs that floats cannot tell apart: the same ties as without the large number."""
    for seed in range(4):
        game = draw(seed, 3, 3, 0, 2)
        more = [[[large + number for number in row] for row in side] for side in game]
        assert {point.fractions for point in vertices(written(tmp_path, *more))} == extreme_equilibria(*game)


def test_differences_that_floats_do_not_see(tmp_path: Path) -> None:
    """Payoffs of two magnitudes, 10^20 and 1: near-ties that are none."""
    for seed in range(6):
        coarse, fine = draw(seed, 3, 3, 0, 1), draw(100 + seed, 3, 3, 0, 2)
        game = [
            [[10**20 * a + b for a, b in zip(*rows, strict=True)] for rows in zip(*sides, strict=True)]
            for sides in zip(coarse, fine, strict=True)
        ]
        assert {point.fractions for point in vertices(written(tmp_path, *game))} == extreme_equilibria(*game)


def test_fractions_of_a_file(tmp_path: Path) -> None:
    """Battle of the sexes with payoffs of 1/3 and 1/7: the mixed equilibrium by hand."""
    third, seventh = Fraction(1, 3), Fraction(1, 7)
    form = written(tmp_path, [[third, 0], [0, seventh]], [[seventh, 0], [0, third]])
    found = {point.fractions for point in vertices(form)}
    share = Fraction(7, 10)
    assert found == {((1, 0), (1, 0)), ((0, 1), (0, 1)), ((share, 1 - share), (1 - share, share))}


def test_three_players_are_refused_by_name() -> None:
    form = hn.normal_form("random_game(depth=1,branching=2,players=3,payoffs=general_sum,seed=1)")
    with pytest.raises(hn.errors.UnsuitableError, match="vertices is for two players, and random_game"):
        next(vertices(form))


def test_too_large_a_game_is_refused_before_work_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hannan.solvers.general.leaves.MOST_BYTES", 100)
    with pytest.raises(hn.errors.SizeError, match="lemke-howson"):
        next(vertices(normal([[1, 2]], [[1, 2]])))


def test_it_can_be_halted() -> None:
    with patience(lambda: True), pytest.raises(Halted):
        list(vertices(normal(*draw(1, 6, 6, -100, 100))))


@pytest.mark.slow
@pytest.mark.parametrize(("size", "low", "high"), [(8, 0, 3), (10, 0, 3), (12, -100, 100)])
def test_lrsnash_finds_the_same(size: int, low: int, high: int, tmp_path: Path) -> None:
    lrsnash = shutil.which("lrsnash")
    if lrsnash is None:
        pytest.skip("lrsnash is not installed")
    for seed in range(2):
        game = draw(seed, size, size, low, high)
        text = "\n\n".join("\n".join(" ".join(map(str, row)) for row in side) for side in game)
        path = tmp_path / "game"
        path.write_text(f"{size} {size}\n\n{text}\n")
        lines = subprocess.run([lrsnash, str(path)], capture_output=True, text=True, check=True).stdout.splitlines()
        assert {point.fractions for point in vertices(normal(*game))} == _listed(lines, size)


def _listed(lines: list[str], size: int) -> set[Any]:
    """Read lrsnash's list: strategies of the second player, then the one of the first that all of them go with."""
    found, seconds = set(), list[Any]()
    for words in map(str.split, lines):
        strategy = tuple(map(Fraction, words[1:-1])) if len(words) == size + 2 else ()
        if words[:1] == ["2"] and strategy:
            seconds.append(strategy)
        elif words[:1] == ["1"] and strategy:
            found |= {(strategy, second) for second in seconds}
        elif not words:
            seconds = []
    return found
