"""Lemke's algorithm on the sequence form, against the normal form, known equilibria and exact substitution."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.bench.equilibria import STENGEL
from hannan.forms.loader import load_expanded
from hannan.solvers.exact.normalform import UNREACHED
from hannan.solvers.general.cells import exact_cells, gains_of
from hannan.solvers.general.lemke import Problem, lemke
from hannan.solvers.general.point import finished
from hannan.solvers.general.sequences import exact_sequences
from tests.solvers.general.enumeration import STRIP, draw

ENTRY = """EFG 2 R "entry" { "entrant" "incumbent" }
p "" 1 1 "" { "out" "in" } 0
t "" 1 "" { 0 2 }
p "" 2 1 "" { "fight" "yield" } 0
t "" 2 "" { -1 -1 }
t "" 3 "" { 1 1 }
"""
"""R. Selten (1978), one stage of the chain store: (in, yield), and (out, fight at least half of the time)."""

SIGNALS = """EFG 2 R "beer and quiche" { "sender" "receiver" }
c "" 1 "" { "weak" 1/10 "strong" 9/10 } 0
p "" 1 1 "" { "beer" "quiche" } 0
p "" 2 1 "" { "duel" "not" } 0
t "" 1 "" { 0 1 }
t "" 2 "" { 2 0 }
p "" 2 2 "" { "duel" "not" } 0
t "" 3 "" { 1 1 }
t "" 4 "" { 3 0 }
p "" 1 2 "" { "beer" "quiche" } 0
p "" 2 1 "" { "duel" "not" } 0
t "" 5 "" { 1 0 }
t "" 6 "" { 3 1 }
p "" 2 2 "" { "duel" "not" } 0
t "" 7 "" { 0 0 }
t "" 8 "" { 2 1 }
"""
"""I.-K. Cho, D. M. Kreps (1987): every equilibrium pools, on beer or on quiche."""

FORGETFUL = """EFG 2 R "forgetful" { "one" "two" }
p "" 1 1 "" { "a" "b" } 0
p "" 1 2 "" { "c" "d" } 0
t "" 1 "" { 1 0 }
t "" 2 "" { 0 1 }
p "" 1 2 "" { "c" "d" } 0
t "" 3 "" { 0 1 }
t "" 4 "" { 1 0 }
"""

TREES = [
    *(f"random_game(depth=2,branching=2,payoffs=general_sum,utilities=ternary,seed={seed})" for seed in range(3)),
    *(f"random_game(depth=1,branching=3,chance=2,payoffs=general_sum,seed={seed})" for seed in range(3)),
    "random_game(depth=2,branching=2,chance=2,payoffs=general_sum,utilities=ternary,seed=4)",
    "kuhn_poker",
]


def gains_in_plans(form: Any, plans: tuple[tuple[Fraction, ...], ...]) -> tuple[Fraction, ...]:
    """Return what players gain by deviating in the normal form; a plan is drawn with the product of its choices."""
    mixed = []
    for plex, choices, plan in zip(form.game.form.treeplexes, form.plans, plans, strict=True):
        weights = []
        for row in choices.tolist():
            used = [(int(plex.begin[j]) + k, int(plex.parent[j])) for j, k in enumerate(row) if k != UNREACHED]
            weights.append(
                prod((plan[s] / plan[above] if plan[above] else Fraction(0) for s, above in used), start=Fraction(1))
            )
        mixed.append(tuple(weights))
    assert all(sum(weights) == 1 for weights in mixed)
    return gains_of(exact_cells(form), tuple(mixed))


@pytest.mark.parametrize("address", TREES)
def test_it_is_an_equilibrium_of_the_normal_form(address: str) -> None:
    (point,), ending = finished(lemke(address))
    assert point.space == "sequences"
    assert point.fractions is not None
    exact = exact_sequences(load_expanded(address))
    assert exact.consistent(point.fractions)
    assert not any(exact.gains(point.fractions))
    if prod(hn.solutions.plan_counts(address)) <= 10_000:
        assert not any(gains_in_plans(hn.normal_form(address), point.fractions))
    assert not ending.complete


def test_kuhn_poker_has_its_value() -> None:
    """−1/18 for the first player in every equilibrium (Kuhn 1950)."""
    (point,) = lemke("kuhn_poker")
    assert point.fractions is not None
    exact = exact_sequences(load_expanded("kuhn_poker"))
    pays = exact.pays(0, point.fractions)
    value = sum(pay * weight for pay, weight in zip(pays, point.fractions[0], strict=True)) / exact.over[0]
    assert float(value) == pytest.approx(-1 / 18, abs=1e-15)  # chance's 1/6 is a float


@pytest.mark.parametrize("game", [STRIP, STENGEL, draw(1, 3, 3, 0, 1), draw(2, 2, 4, 0, 2), ([[5]], [[5]])])
def test_a_matrix_is_a_small_tree(game: Any) -> None:
    (point,) = lemke(hn.matrix_game(list(game)))
    assert point.fractions is not None
    x, y = (plan[1:] for plan in point.fractions)
    rows, columns = game
    pays = [sum(a * b for a, b in zip(row, y, strict=True)) for row in rows]
    theirs = [sum(a * b for a, b in zip(column, x, strict=True)) for column in zip(*columns, strict=True)]
    assert sum(a * b for a, b in zip(x, pays, strict=True)) == max(pays)
    assert sum(a * b for a, b in zip(y, theirs, strict=True)) == max(theirs)


@pytest.mark.parametrize("text", [ENTRY, SIGNALS])
def test_trees_of_the_literature(text: str, tmp_path: Path) -> None:
    path = tmp_path / "tree.efg"
    path.write_text(text)
    (point,) = lemke(path)
    assert point.fractions is not None
    assert not any(gains_in_plans(hn.normal_form(path), point.fractions))
    sender, receiver = point.fractions
    if text is ENTRY:
        out, entered, fights = sender[1], sender[2], receiver[1]
        assert (entered == 1 and fights == 0) or (out == 1 and fights >= Fraction(1, 2))
    else:
        assert list(sender[1:]) in ([1, 0, 1, 0], [0, 1, 0, 1])


def test_floats_and_whole_numbers_find_equilibria() -> None:
    for seed in range(3):
        game = load_expanded(f"random_game(depth=1,branching=3,payoffs=general_sum,utilities=ternary,seed={seed})")
        problem = Problem(exact_sequences(game))
        for plans in (problem.by_floats(), problem.by_whole_numbers()):
            assert plans is not None
            assert not any(gains_in_plans(hn.normal_form(game), plans))


def test_whole_numbers_take_over_where_floats_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hannan.solvers.general.pivots.LONGEST", 0)
    (point,) = lemke("chicken")
    assert point.fractions is not None
    assert not any(exact_sequences(load_expanded("chicken")).gains(point.fractions))
    monkeypatch.setattr("hannan.solvers.general.lemke.MOST_EXACT", 0)
    found, ending = finished(lemke("chicken"))
    assert (found, ending.complete) == ([], False)


def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "forgetful.efg"
    path.write_text(FORGETFUL)
    with pytest.raises(hn.errors.UnsuitableError, match="player 0 forgets"):
        next(lemke(path))
    with pytest.raises(hn.errors.UnsuitableError, match="lemke is for two players, and kuhn_poker"):
        next(lemke("kuhn_poker(players=3)"))
    monkeypatch.setattr("hannan.solvers.general.lemke.MOST_ROWS", 10)
    with pytest.raises(hn.errors.SizeError, match="54 rows"):
        next(lemke("kuhn_poker"))
