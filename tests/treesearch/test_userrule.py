"""Selection rules of a user's: the same bits as a built-in rule of the same formula, resumed, and refused if broken."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.methods import SelectionRule
from tests import own

OPEN = "goofspiel(cards=3,information=open,order=descending)"


class Softmax(SelectionRule):
    """As in docs/howto/own.md."""

    def __init__(self, *, rate: float = 8.0) -> None:
        self.rate = rate

    @staticmethod
    def play(learnt: Any, size: Any, visits: Any, constants: Any, weights: Any) -> None:
        eta = math.sqrt(constants[0] * math.log(size) / max(visits, 1.0))
        most = learnt[0]
        for k in range(1, size):
            most = max(most, learnt[k])
        for k in range(size):
            weights[k] = math.exp(eta * (learnt[k] - most))

    @staticmethod
    def learn(
        learnt: Any, size: Any, visits: Any, constants: Any, gains: Any, taken: Any, probability: Any
    ) -> None:  # fmt: skip
        for k in range(size):
            learnt[k] += gains[k]


@pytest.mark.slow
@pytest.mark.parametrize(
    "parameters",
    [{}, {"explore": "star"}, {"unvisited": "zero"}],
    ids=lambda thing: thing if isinstance(thing, str) else type(thing).__name__,
)
def test_the_formula_of_hedge_gives_the_bits_of_hedge(parameters: dict[str, Any]) -> None:
    """`hedge` is exponential weights at the rate √(8 ln K / n): a kernel that shares no code with the class above."""
    built_in, users = (hn.Searcher(OPEN, rule, seed=5, **parameters) for rule in ("hedge", Softmax))
    for searcher in (built_in, users):
        searcher.run(3_000)
    ours, theirs = users.state(), built_in.state()
    assert all(np.array_equal(ours[name], theirs[name], equal_nan=ours[name].dtype.kind == "f") for name in theirs)
    other = hn.Searcher(OPEN, Softmax(rate=1), seed=5, **parameters)
    other.run(3_000)
    assert other.strategy() != users.strategy()


@pytest.mark.slow
def test_a_search_that_was_stopped_goes_on_to_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hannan: Any
) -> None:
    (tmp_path / "my_rule.py").write_text(own.examples()["my_rule.py"])
    rule = "my_rule.py:Softmax(rate=2)"
    whole = hn.search(OPEN, rule, iterations=2_000)
    hn.search(OPEN, rule, iterations=500, checkpoint="s.checkpoint")
    for more in ({"rule": rule}, {"trust": True}):
        assert hn.search(resume="s.checkpoint", iterations=2_000, **more).frequencies == whole.frequencies
    with pytest.raises(
        hn.errors.TrustError, match=r"names the rule 'my_rule\.py:Softmax\(rate=2\)', which imports and runs"
    ):
        hn.search(resume="s.checkpoint")
    with pytest.raises(
        hn.errors.MismatchError, match=r"made with rule='my_rule\.py:Softmax\(rate=2\)', not with rule='rm'"
    ):
        hn.search(resume="s.checkpoint", rule="rm")
    ran = hannan("search", OPEN, "--rule", rule, "--iterations", "2000", "--json")
    assert ran.record["rule"] == rule
    assert ran.record["frequencies"] == [dict(part) for part in whole.frequencies]
    assert hannan("match", OPEN, f"search(rule='{rule}',iterations=50)", "uniform", "--games", "2").code == 0


def changed(**functions: Any) -> type[SelectionRule]:
    return type("Mine", (Softmax,), {name: staticmethod(function) for name, function in functions.items()})


def _negative(learnt: Any, size: Any, visits: Any, constants: Any, weights: Any) -> None:
    for k in range(size):
        weights[k] = -1.0


def _beyond(learnt: Any, size: Any, visits: Any, constants: Any, weights: Any) -> None:
    for k in range(size + 1):
        weights[k] = 1.0


def _uncompiled(learnt: Any, size: Any, visits: Any, constants: Any, weights: Any) -> None:
    weights[:size] = learnt.max() + 1.0


def _late(learnt: Any, size: Any, visits: Any, constants: Any, weights: Any) -> None:
    for k in range(size):
        weights[k] = 1.0 if visits < 50 else -1.0


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (SelectionRule, "SelectionRule lacks play(), a @staticmethod"),
        (changed(play=lambda learnt: None), "Mine: play() takes 1 arguments, and should take 5"),
        (changed(play=_negative), "play() wrote the weights [-1.0, -1.0]; expected weights of 0 or more"),
        (changed(play=_beyond), "play() with 2 actions raised IndexError"),
        (changed(play=_uncompiled), "play() cannot be compiled; its arguments are numbers, and addresses"),
        (Softmax(rate="x"), "rate='x' should be a number"),  # type: ignore[arg-type]
        ("nobody", "rule='nobody' is not known"),
        ("tests.own:examples", "tests.own:examples is not a subclass of hannan.methods.SelectionRule"),
        ("tests.treesearch.test_userrule:Softmax(rat=1)", "has no parameter 'rat'; did you mean 'rate'?"),
        (3, "rule=3 is not known"),
    ],
    ids=lambda thing: thing if isinstance(thing, str) else type(thing).__name__,
)
def test_rules_that_make_no_sense_are_refused(rule: Any, sentence: str) -> None:
    with pytest.raises(hn.HannanError) as raised:
        hn.Searcher(OPEN, rule)
    assert sentence in str(raised.value)


@pytest.mark.slow
def test_weights_that_make_no_sense_later_on_are_noticed() -> None:
    searcher = hn.Searcher(OPEN, changed(play=_late))
    with pytest.raises(
        hn.errors.UnsuitableError, match=r"during the search play\(\) wrote weights that cannot be played"
    ):
        searcher.run(1_000)
