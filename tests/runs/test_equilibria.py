"""The front of equilibria: what comes of the points that a method yields, and of limits, Ctrl-C and wrong input."""

from __future__ import annotations

import signal
from fractions import Fraction

import numpy as np
import pytest

import hannan as hn
from hannan.errors import ParameterError, UnknownNameError, UnsuitableError
from hannan.interrupts import go_on
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

    with pytest.raises(UnsuitableError, match="no equilibrium"):
        hn.equilibria(hn.matrix_game(SEXES), wrong)

    def unlike(form: NormalForm) -> Points:
        yield point(((ONE, ONE), (NONE, ONE)))
        return Ending(True, "it says so")

    with pytest.raises(UnsuitableError, match="no distributions"):
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
