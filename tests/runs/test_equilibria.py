"""The front of equilibria: what comes of the points that a method yields, and of limits, Ctrl-C and wrong input."""

from __future__ import annotations

import signal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import ParameterError, UnknownNameError, UnsuitableError
from hannan.interrupts import go_on
from hannan.measures.equilibrium import with_refinements
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.point import Ending, Fractions, Point, Points

SEXES = [[[2, 0], [0, 1]], [[1, 0], [0, 2]]]
"""Battle of the sexes: two strict equilibria, and (2/3, 1/3) against (1/3, 2/3), by hand."""
ONE, NONE, THIRD = Fraction(1), Fraction(0), Fraction(1, 3)
KNOWN: tuple[Fractions, ...] = (
    ((ONE, NONE), (ONE, NONE)),
    ((NONE, ONE), (NONE, ONE)),
    ((2 * THIRD, THIRD), (THIRD, 2 * THIRD)),
)
KEYS = {
    "payoffs", "strategies", "exact", "fractions", "regret", "radius", "support", "strict", "quasi_strict", "isolated",
    "component", "index", "refinements", "proof",
}  # fmt: skip
"""What design.md promises of each equilibrium."""


def point(fractions: Fractions) -> Point:
    return Point(tuple(np.array(own, np.float64) for own in fractions), fractions=fractions)


def by_hand(form: NormalForm) -> Points:
    yield from map(point, KNOWN)
    return Ending(True, "they are known")


def test_points_are_described() -> None:
    found = hn.equilibria(hn.matrix_game(SEXES), by_hand, all=True)
    assert found.complete
    assert found.stop == "exact"
    assert [one.payoffs for one in found.equilibria] == [(2.0, 1.0), (1.0, 2.0), (2 / 3, 2 / 3)]
    assert [one.strict for one in found.equilibria] == [True, True, False]
    assert [one.quasi_strict for one in found.equilibria] == [True, True, True]
    assert [one.support for one in found.equilibria] == [((0,), (0,)), ((1,), (1,)), ((0, 1), (0, 1))]
    assert found.record().keys() >= {"game", "method", "complete", "seconds", "stop", "components", "equilibria"}
    for one in found.record()["equilibria"]:
        assert set(one) == KEYS
    assert hn.evaluate(found[2].profile).nash_conv == pytest.approx(0.0, abs=1e-15)


def test_a_tie_outside_the_support_is_not_quasi_strict() -> None:
    """Both rows pay player 0 the same, so the second row is a best response that is not played."""

    def first(form: NormalForm) -> Points:
        yield point(KNOWN[0])
        return Ending(False, "only one was looked for")

    found = hn.equilibria(hn.matrix_game([[[1, 0], [1, 0]], [[1, 0], [1, 0]]]), first)
    assert found[0].strict is False
    assert found[0].quasi_strict is False


def test_limits_keep_what_is_known() -> None:
    found = hn.equilibria(hn.matrix_game(SEXES), by_hand)
    assert (len(found), found.stop, found.complete) == (1, "decided", False)
    found = hn.equilibria(hn.matrix_game(SEXES), by_hand, all=True, max=2)
    assert (len(found), found.stop, found.complete) == (2, "decided", False)

    def endless(form: NormalForm) -> Points:
        yield point(KNOWN[0])
        while True:
            go_on()

    found = hn.equilibria(hn.matrix_game(SEXES), endless, all=True, seconds=1e-6)
    assert (len(found), found.stop, found.complete) == (1, "seconds", False)


def test_an_interrupt_keeps_what_is_known() -> None:
    def interrupted(form: NormalForm) -> Points:
        yield point(KNOWN[0])
        signal.raise_signal(signal.SIGINT)
        while True:
            go_on()

    found = hn.equilibria(hn.matrix_game(SEXES), interrupted, all=True)
    assert (len(found), found.stop, found.complete) == (1, "interrupted", False)


def test_what_is_no_equilibrium_is_refused() -> None:
    def wrong(form: NormalForm) -> Points:
        yield point(((ONE, NONE), (NONE, ONE)))
        return Ending(True, "it says so")

    with pytest.raises(UnsuitableError, match="not an equilibrium"):
        hn.equilibria(hn.matrix_game(SEXES), wrong)

    def unlike(form: NormalForm) -> Points:
        yield point(((ONE, ONE), (NONE, ONE)))
        return Ending(True, "it says so")

    with pytest.raises(UnsuitableError, match="not distributions"):
        hn.equilibria(hn.matrix_game(SEXES), unlike)


def test_wrong_words_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="for equilibria"):
        hn.equilibria("matching_pennies", "vertexes")
    with pytest.raises(ParameterError, match="max=0"):
        hn.equilibria("matching_pennies", max=0)
    with pytest.raises(ParameterError, match="seconds=-1"):
        hn.equilibria("matching_pennies", seconds=-1)
    with pytest.raises(UnknownNameError, match="no option 'every'"):
        hn.equilibria("matching_pennies", every=True)  # type: ignore[call-arg]


def test_a_continuum_of_three_players_has_one_of_its_equilibria_in_the_list() -> None:
    """All payoffs are equal: every profile is an equilibrium, none is isolated, and no list can be complete."""
    found = hn.equilibria(hn.matrix_game(np.ones((3, 2, 2, 2))), all=True)
    assert not found.complete
    assert len(found) >= 1
    assert all(one.exact and not one.isolated for one in found.equilibria)


def test_a_refinement_keeps_what_is_played_off_the_path(tmp_path: Path) -> None:
    """Player 0 stays out. Below, player 1 gets 3 or 0 against 0 or 1: it is indifferent at 3/4, by hand."""
    path = tmp_path / "out.efg"
    path.write_text(
        """EFG 2 R "out" { "A" "B" } ""
p "" 1 1 "" { "in" "out" } 0
p "" 1 2 "" { "h" "t" } 0
p "" 2 1 "" { "h" "t" } 0
t "" 1 "" { 2 0 }
t "" 2 "" { 0 1 }
p "" 2 1 "" { "h" "t" } 0
t "" 3 "" { 0 3 }
t "" 4 "" { 1 0 }
t "" 5 "" { 5 5 }
"""
    )
    for method in ("subgame-perfect", "quasi-perfect"):
        profile = hn.equilibria(str(path), method)[0].profile
        assert hn.equilibria(str(path), method)[0].exact_payoffs == (Fraction(5), Fraction(5))
        assert profile.at(0, "1") == {"in": 0.0, "out": 1.0}
        assert profile.at(0, "2") == {"h": 0.75, "t": 0.25}
        assert hn.solutions.refinements(profile).subgame_perfect


def test_one_player_takes_what_pays_most(tmp_path: Path) -> None:
    path = tmp_path / "one.efg"
    path.write_text(
        """EFG 2 R "one" { "A" } ""
c "" 1 "" { "l" 1/3 "r" 2/3 } 0
p "" 1 1 "" { "x" "y" } 0
t "" 1 "" { 1/7 }
t "" 2 "" { 2/7 }
p "" 1 2 "" { "x" "y" } 0
t "" 3 "" { 3 }
t "" 4 "" { 2 }
"""
    )
    for method in ("auto", "first", "logit", "newton", "polymatrix", "simplicial"):
        assert hn.equilibria(str(path), method)[0].payoffs == pytest.approx((44 / 21,))
    found = hn.equilibria(str(path), all=True)
    assert (found.complete, len(found), found[0].index) == (True, 1, 1)


def test_payoffs_that_floats_do_not_tell_apart_are_not_zero_sum(tmp_path: Path) -> None:
    """As floats, the sum is the same everywhere. Row 2 pays one more than row 1, and column 1 is best against it."""
    path = tmp_path / "big.nfg"
    much = 2**70
    path.write_text(f'NFG 1 R "big" {{ "A" "B" }} {{ 2 2 }}\n{much} 0 {much + 1} 1 {much - 1} 2 {much} 0\n')
    for method in ("quasi-perfect", "vertices", "lemke"):
        profile = hn.equilibria(str(path), method)[0].profile
        assert [list(profile.at(player, 0).values()) for player in (0, 1)] == [[0.0, 1.0], [1.0, 0.0]]


def test_refinements_stop_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the test goes on by a minute while the first equilibrium is judged."""
    now = [0.0]

    def late(*given: Any) -> Any:
        now[0] += 60.0
        go_on()
        return with_refinements(*given)

    monkeypatch.setattr("hannan.runs.equilibria.time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr("hannan.runs.equilibria.with_refinements", late)
    found = hn.equilibria(hn.matrix_game(SEXES), by_hand, all=True, refinements=True, seconds=10.0)
    assert found.complete
    assert [one.refinements for one in found.equilibria] == [None] * 3


def test_ctrl_c_ends_the_judging_and_keeps_the_equilibria(monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*given: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        go_on()
        return with_refinements(*given)

    monkeypatch.setattr("hannan.runs.equilibria.with_refinements", pressed)
    found = hn.equilibria(hn.matrix_game(SEXES), by_hand, all=True, refinements=True)
    assert found.complete
    assert [one.refinements for one in found.equilibria] == [None] * 3
