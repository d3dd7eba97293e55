"""One thread at a time works with an object that has a state; a second one is refused, and nothing is spoilt."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.exclusion import alone
from hannan.solvers import METHODS, method_class
from tests.plaingames import Coins

REFUSED = "another thread is working with this"


def beside(work: Callable[[], Any]) -> BaseException | None:
    """Do some work in a second thread, and return the error that it ends in."""
    ended: list[BaseException | None] = [None]

    def done() -> None:
        try:
            work()
        except BaseException as error:
            ended[0] = error

    thread = threading.Thread(target=done)
    thread.start()
    thread.join()
    return ended[0]


class Meddled(Coins):
    """Rules in the middle of which a second thread does something."""

    meddle: Callable[[], Any] | None = None

    def __init__(self) -> None:
        self.errors: list[BaseException | None] = []

    def gains(self, state: Any) -> Sequence[float]:
        if self.meddle is not None:
            meddle, self.meddle = self.meddle, None
            self.errors.append(beside(meddle))
        return super().gains(state)


@pytest.mark.parametrize("asked", ["run", "average", "save", "variance"])
def test_a_sampler_refuses_a_second_thread_and_goes_on_to_the_same_bits(asked: str, tmp_path: Any) -> None:
    rules, plain = Meddled(), hn.methods.ExternalSampling(Coins(), over="rules")
    solver = hn.methods.ExternalSampling(rules, over="rules")
    given = {"run": (5,), "average": (), "save": (tmp_path / "x",), "variance": (10,)}[asked]
    rules.meddle = lambda: getattr(solver, asked)(*given)
    solver.run(20)
    plain.run(20)
    assert [type(error) for error in rules.errors] == [hn.errors.UnsuitableError]
    assert str(rules.errors[0]).startswith(f"{REFUSED} ExternalSampling")
    for name, array in plain.state().items():
        np.testing.assert_array_equal(array, solver.state()[name])
    assert beside(lambda: solver.run(1)) is None  # one after another, threads may share it


@pytest.mark.parametrize("method", METHODS)
def test_every_method_refuses_a_second_thread(method: str) -> None:
    kind = method_class(method)
    solver = kind.__new__(kind)
    for name in ("run", "average", "current", "state", "restore"):
        with alone(solver):
            assert REFUSED in str(beside(getattr(solver, name)))


def test_a_searcher_refuses_a_second_thread() -> None:
    searcher = hn.Searcher("goofspiel(cards=3,information=open)")
    searcher.run(10)
    for work in (lambda: searcher.run(1), searcher.strategy, searcher.state, lambda: searcher.again(1)):
        with alone(searcher):
            assert REFUSED in str(beside(work))
        assert beside(work) is None
    other = searcher.again(2)
    assert beside(lambda: other.run(1)) is None


@pytest.mark.parametrize("method", ["lp", "mccfr"])
def test_a_certification_and_its_box_refuse_a_second_thread(method: str) -> None:
    certificate = hn.certify("kuhn_poker", method=method, playthroughs=10)
    work: Any = certificate.work
    with alone(work):
        assert REFUSED in str(beside(lambda: work.advance(1)))
    assert beside(lambda: work.advance(1)) is None
    box = work.box
    with alone(box):
        assert REFUSED in str(beside(lambda: hn.certify(box, playthroughs=10)))
    assert beside(lambda: hn.certify(box, playthroughs=10)) is None
