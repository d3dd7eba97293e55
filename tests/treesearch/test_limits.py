"""Depth limits, evaluation functions, memory, interruptions and checkpoints of exact search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import MismatchError, ParameterError
from hannan.forms.loader import load_expanded
from hannan.rules.positions import moves_of, state_after
from tests.treesearch.positions import From, Plainly
from tests.treesearch.test_backward import METHODS, by_lp, made, solved

GAME = "goofspiel(cards=4,information=open,order=descending)"
UNEQUAL = "(1,3)"


def known(path: str) -> float:
    rules = load_expanded(GAME).rules
    return by_lp(From(rules, state_after(rules, moves_of(rules, path))))


@pytest.mark.parametrize("method", METHODS)
def test_a_depth_limit_gives_bounds(method: str) -> None:
    expected, widths = known(UNEQUAL), []
    for depth in (1, 2, 3):
        proof = solved(method, GAME, at=UNEQUAL, depth=depth).proof()
        assert proof.lower - 1e-9 <= expected <= proof.upper + 1e-9
        assert proof.complete == (depth == 3)
        assert (proof.value is not None) == (depth == 3)
        widths.append(proof.upper - proof.lower)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] <= 1e-9


def test_bounds_do_not_depend_on_the_method() -> None:
    def judge(state: Any) -> tuple[float, float]:
        """Anything between one more and one less than the points so far say."""
        lead = (state[4] - state[7]) / 2
        return lead - 1.0, lead + 1.0

    for rules in (load_expanded(GAME).rules, Plainly(load_expanded(GAME).rules)):
        for evaluation in (None, judge):
            for table in (True, False):
                ends = [
                    (proof.lower, proof.upper)
                    for method in METHODS
                    for proof in [
                        solved(
                            method, rules, at="(1,3)", depth=1, evaluation=evaluation, table=table, bounds=(-30, 30)
                        ).proof()
                    ]
                ]
                assert np.ptp(np.array(ends), axis=0) == pytest.approx([0, 0], abs=1e-9)
                assert ends[0][0] < ends[0][1]


@pytest.mark.parametrize("method", METHODS)
def test_deepening_ends_with_the_value(method: str) -> None:
    solver = solved(method, GAME, at=UNEQUAL, deepening=True)
    assert solver.proof().complete
    assert solver.proof().value == pytest.approx(known(UNEQUAL), abs=1e-9)
    shallow = solved(method, GAME, at=UNEQUAL, deepening=True, depth=2)
    assert not shallow.proof().complete
    assert shallow.searched_depth == 2


@pytest.mark.parametrize(
    ("says", "sentence"),
    [
        (lambda state: "good", "returned 'good' at r:"),
        (lambda state: float("nan"), "returned nan at r:"),
        (lambda state: (1.0, -1.0), r"returned \(1.0, -1.0\) at r:"),
        (lambda state: None, "returned None at r:"),
        (lambda state: 1e6, "where player 0 can still gain"),
        (lambda state: state["points"], "the evaluation function raised TypeError"),
    ],
)
def test_an_evaluation_that_is_nonsense_gets_a_sentence(says: Any, sentence: str) -> None:
    for rules in (load_expanded(GAME).rules, Plainly(load_expanded(GAME).rules)):
        with pytest.raises(ParameterError, match=sentence):
            solved("do-ab", rules, depth=2, evaluation=says)


def test_an_evaluation_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "judging.py"
    file.write_text("def even(state):\n    return (state[4] - state[7]) / 2\n\nnumber = 3\n")
    solver = solved("bi", GAME, depth=2, evaluation=f"{file}:even")
    assert solver.proof().lower == pytest.approx(solver.proof().upper, abs=1e-12)
    assert not solver.proof().complete
    with pytest.raises(ParameterError, match="is of type int, not a function"):
        solved("bi", GAME, depth=2, evaluation=f"{file}:number")
    with pytest.raises(hn.errors.UnknownNameError, match="defines no 'odd'"):
        solved("bi", GAME, depth=2, evaluation=f"{file}:odd")
    with pytest.raises(ParameterError, match="give depth"):
        solved("bi", GAME, evaluation=f"{file}:even")


@pytest.mark.parametrize("method", METHODS)
def test_memory_stays_under_the_limit(method: str) -> None:
    address, limit = "goofspiel(cards=5,information=open,order=descending)", 250_000
    solver = made(method, address, at="(1,2)", memory_limit=limit)
    most = 0
    solver.pause_after = 0.0
    while solver.iterations == 0:
        solver._slice = 500
        solver.run(1)
        most = max(most, solver._engine.stack.held)
    assert most <= limit
    assert solver.proof().value == pytest.approx(solved(method, address, at="(1,2)").proof().value, abs=1e-10)
    with pytest.raises(ParameterError, match="below the least that works"):
        solved(method, address, memory_limit=1000)


@pytest.mark.slow
def test_positions_of_plain_rules_stay_under_the_limit() -> None:
    rules = Plainly(load_expanded("goofspiel(cards=4,information=open)").rules)
    small: Any = solved("bi", rules, memory_limit=400_000)
    assert len(small._engine.numbers.positions) * 250 < 200_000 < small._engine.numbers.given * 250
    assert small.proof().value == pytest.approx(0, abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("plain", [False, True])
def test_interrupted_searches_have_valid_bounds_and_go_on(method: str, plain: bool, tmp_path: Path) -> None:
    """Stopped after every few positions, saved, and taken up again: the same bits, and bounds that hold on the way."""
    rules = load_expanded(GAME).rules
    game: Any = Plainly(rules) if plain else rules
    whole, expected = solved(method, game, at=UNEQUAL, table=not plain), known(UNEQUAL)
    solver = made(method, game, at=UNEQUAL, table=not plain)
    bounds, times = [], 0
    while solver.iterations == 0:
        solver.pause_after, solver._slice = 0.0, 12
        solver.run(1)
        proof = solver.proof()
        assert proof.lower - 1e-9 <= expected <= proof.upper + 1e-9
        bounds.append(proof.upper - proof.lower)
        times += 1
        if times % 3 == 0:
            solver.save(tmp_path / "search")
            solver = hn.resume(tmp_path / "search", game)
    assert times > 2
    assert bounds == sorted(bounds, reverse=True)
    assert (solver.proof().lower, solver.proof().upper) == (whole.proof().lower, whole.proof().upper)
    if plain or method in ("bi", "do"):
        assert solver.proof() == whole.proof()


@pytest.mark.parametrize("method", METHODS)
def test_a_resumed_search_of_plain_rules_keeps_its_positions_apart(method: str) -> None:
    """Numbers of positions mean nothing in another search: the value is the linear program's all the same."""
    rules = Plainly(load_expanded(GAME).rules)
    solver = made(method, rules, at=UNEQUAL)
    while solver.iterations == 0:
        solver.pause_after, solver._slice = 0.0, 12
        solver.run(1)
        taken, solver = solver, made(method, rules, at=UNEQUAL)
        solver.restore(taken.iterations, taken.state())
    assert solver.proof().value == pytest.approx(known(UNEQUAL), abs=1e-9)


def test_a_spoilt_checkpoint_is_refused(tmp_path: Path) -> None:
    solver = made("do-ab", GAME)
    state = solver.state()
    for name, place in (("place", 1), ("now", 0)):
        spoilt = {key: array.copy() for key, array in state.items()}
        spoilt[name].flat[place] = 10**6
        with pytest.raises(MismatchError):
            made("do-ab", GAME).restore(0, spoilt)
    with pytest.raises(MismatchError):
        made("do-ab", GAME).restore(0, {"found": state["found"]})
