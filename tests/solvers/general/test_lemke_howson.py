"""Ends of the paths of Lemke and Howson, against brute force and by hand."""

from __future__ import annotations

import pytest

import hannan as hn
from hannan.solvers.general import lemke_howson as method
from hannan.solvers.general.bimatrix import bimatrix
from hannan.solvers.general.faces import Faces
from hannan.solvers.general.point import finished
from tests.solvers.general.enumeration import STRIP, draw, extreme_equilibria, normal


@pytest.mark.parametrize(("m", "n", "low", "high"), [(1, 3, 0, 1), (3, 3, 0, 1), (2, 4, 0, 2), (4, 4, -99, 99)])
def test_every_label_leads_to_an_equilibrium(m: int, n: int, low: int, high: int) -> None:
    for seed in range(5):
        game = draw(seed, m, n, low, high)
        found, ending = finished(method.lemke_howson(normal(*game)))
        assert found
        assert {point.fractions for point in found} <= extreme_equilibria(*game)
        assert not ending.complete


@pytest.mark.parametrize("label", range(4))
def test_paths_of_coordination(label: int) -> None:
    """From the label of a strategy the path leads to the corner of that strategy, by hand."""
    (point,) = method.lemke_howson(normal([[2, 0], [0, 1]], [[1, 0], [0, 2]]), label=label)
    assert point.strategies[0].argmax() == point.strategies[1].argmax() == label % 2


def test_whole_numbers_lead_where_floats_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """In games without ties both follow the same path."""
    for seed in range(3):
        game = bimatrix(normal(*draw(seed, 6, 6, -99, 99)), "lemke-howson")
        ends = [method.end_of_path(game, Faces(game), label) for label in range(12)]
        with monkeypatch.context() as patched:
            patched.setattr(method, "_in_floats", method._in_whole_numbers)
            assert [method.end_of_path(game, Faces(game), label) for label in range(12)] == ends


def test_whole_numbers_take_over_where_floats_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hannan.solvers.general.pivots.LONGEST", 0)  # floats come nowhere
    found = {point.fractions for point in method.lemke_howson(normal(*STRIP))}
    assert found
    assert found <= extreme_equilibria(*STRIP)


def test_equilibria_at_the_ends_have_index_one() -> None:
    """Shapley (1974): paths from the artificial equilibrium, of index −1, end at one of index 1."""
    for seed in range(5):
        found = list(method.lemke_howson(normal(*draw(seed, 5, 5, -999, 999))))
        assert {point.index for point in found} == {1}


def test_what_is_refused() -> None:
    with pytest.raises(hn.errors.ParameterError, match="label"):
        next(method.lemke_howson(normal(*STRIP), label=5))
    with pytest.raises(hn.errors.UnsuitableError, match="lemke-howson is for two players"):
        next(
            method.lemke_howson(hn.normal_form("random_game(depth=1,branching=2,players=3,payoffs=general_sum,seed=1)"))
        )
