"""One equilibrium of any game by the methods in order."""

from __future__ import annotations

import pytest

import hannan as hn
from hannan.solvers.general import first as module
from hannan.solvers.general.first import first
from hannan.solvers.general.point import Ending, Points, finished
from hannan.solvers.general.proofs import prove
from tests.loaded import game
from tests.solvers.general.mixed import CASES, gains, random_form


@pytest.mark.parametrize(("shape", "seed", "top"), CASES)
def test_one_equilibrium(shape: tuple[int, ...], seed: int, top: int | None) -> None:
    form = random_form(shape, seed, top)
    (point,), ending = finished(first(form))
    assert max(gains(form, point)) <= 1e-12 * max(1, top or 1)
    assert not ending.complete


def test_a_pure_equilibrium_comes_first() -> None:
    """The prisoner's dilemma: both defect."""
    form = hn.normal_form(hn.matrix_game([[[3, 0], [5, 1]], [[3, 5], [0, 1]]]))
    (point,), ending = finished(first(form))
    assert [part.tolist() for part in point.strategies] == [[0, 1], [0, 1]]
    assert "pure" in ending.why


def test_a_tree_is_not_made_a_normal_form() -> None:
    (point,), _ = finished(first(game("kuhn_poker(players=3)")))
    assert point.space == "sequences"
    assert point.regret is not None
    assert point.regret <= 1e-12


def test_one_player_takes_its_best_plan() -> None:
    """A player alone has nothing to fear: the answer earns the largest utility of the tree, without any rest."""
    tree = game("single_player")
    (point,), _ = finished(first(tree))
    assert set(point.strategies[0].tolist()) == {0.0, 1.0}
    form = hn.normal_form(tree)
    (point,), _ = finished(first(form))
    assert form.payoffs[0] @ point.strategies[0] == form.payoffs[0].max()


def test_if_a_branch_is_lost_other_methods_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object, **__: object) -> Points:
        yield from ()
        return Ending(False, "lost")

    with monkeypatch.context() as patched:
        patched.setattr(module, "agent_logit", lost)
        (point,), _ = finished(first(game("kuhn_poker")))
        assert point.space == "sequences"  # as every answer about a tree
        regret = prove(game("kuhn_poker"), point.strategies).regret
        assert regret is not None
        assert regret <= 1e-13
    form = random_form((3, 3, 3), 1)  # which has no pure equilibrium
    names: dict[str, str] = {}
    for name in ("logit", "polymatrix", "global_newton"):
        monkeypatch.setattr(module, name, lost)
        (point,), ending = finished(first(form))
        assert max(gains(form, point)) <= 1e-13
        names[name] = ending.why
    assert "polymatrix" in names["logit"]
    assert "Newton" in names["polymatrix"]
    assert "simplicial" in names["global_newton"]
