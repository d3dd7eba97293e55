"""Solves by our own first-order method: as near to the linear program's as promised, warm-started, and reproducible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.certificates.algorithm61 import Resolving
from hannan.certificates.first_order import FullWidth
from hannan.certificates.pseudogame import Pair, Pseudogame
from hannan.certificates.solution import LinearProgramming
from hannan.certificates.trunk import Trunk
from hannan.errors import HannanError, MismatchError
from hannan.forms.boxes import boxed
from tests.certificates.test_resuming import same


class Forgetful(FullWidth):
    """Begins every solve anew."""

    def strategies(self, trunk: Trunk, game: Pseudogame, side: int) -> Pair:
        self._regret, self._strategy = {}, {}
        return super().strategies(trunk, game, side)


def grown(method: FullWidth) -> Resolving:
    """Goofspiel with 3 cards after 1,500 playthroughs, solved every 100."""
    work = Resolving(boxed("goofspiel(cards=3)", groups="rules").box, method=method, every=100, seed=1)
    work.advance(1_500)
    return work


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [0.01, 0.001])
def test_a_solve_is_as_near_to_the_linear_program_as_its_tolerance_says(tolerance: float) -> None:
    """Two games, each within the tolerance of what they are apart: a gap of at most 1 + 2·tolerance times HiGHS'."""
    method = FullWidth(tolerance)
    work = grown(method)
    game = work.pseudogame()
    low, high = game.guarantees(LinearProgramming().solve(work.trunk, game).pessimistic)
    lower, upper = game.guarantees(method.solve(work.trunk, game).pessimistic)
    assert high - low - 1e-9 <= upper - lower <= (1 + 2 * tolerance) * (high - low)


@pytest.mark.slow
def test_a_solve_that_goes_on_from_the_last_one_takes_fewer_iterations() -> None:
    warm, cold = FullWidth(0.001), Forgetful(0.001)
    for method in (warm, cold):
        grown(method)
    assert warm.iterations < cold.iterations


def test_a_smaller_tolerance_may_take_more_iterations() -> None:
    assert FullWidth().most == FullWidth(0.5).most == 2_000
    assert FullWidth(0.001).most == 20_000
    assert FullWidth(1e-12).most == 200_000
    assert FullWidth(0.001, most=50).most == 50


def test_a_tolerance_is_kept_and_reproduced(tmp_path: Path) -> None:
    told: dict[str, Any] = {"playthroughs": 300, "tolerance": 0.0005, "method": "cfr", "seed": 3}
    path, checkpoint = tmp_path / "some.certificate", tmp_path / "some.checkpoint"
    whole = hn.certify("kuhn_poker", **told)
    whole.save(path)
    verdict = hn.verify(path, reproduce=True)
    assert (verdict.valid, verdict.level) == (True, "reproduced"), verdict.reason
    assert whole.gap != hn.certify("kuhn_poker", **(told | {"tolerance": 0.5})).gap
    hn.certify("kuhn_poker", **(told | {"playthroughs": 150}), checkpoint=checkpoint)
    same(whole, hn.certify("kuhn_poker", playthroughs=300, resume=checkpoint))
    with pytest.raises(MismatchError, match="tolerance"):
        hn.certify("kuhn_poker", playthroughs=300, resume=checkpoint, tolerance=0.1)


REFUSED: dict[str, dict[str, Any]] = {
    "a linear program": {"method": "lp"},
    "induction": {"method": "induction"},
    "Algorithm 7.2": {"method": "mccfr"},
    "correlated play": {"equilibrium": "cce"},
    "a method of one's own": {"method": FullWidth()},
    "no share": {"method": "cfr", "tolerance": 0.0},
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_solve_to_a_tolerance_refuses_one(case: str) -> None:
    with pytest.raises(HannanError, match="tolerance"):
        hn.certify("kuhn_poker", playthroughs=10, **({"tolerance": 0.01} | REFUSED[case]))
