"""Full-width methods on public trees, against the same methods on the sequence form of the same rules."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import HannanError, MismatchError, ParameterError, UnsuitableError
from hannan.forms.game import ExpandedGame, PublicGame
from hannan.measures.evaluation import Gaps, gaps
from hannan.rules.public import Fold, Showdown
from tests.methods import FULL_WIDTH, UPDATES, solver_for
from tests.public_games import CASES, Kuhn

ITERATIONS = 30
GAP, PLAYED = 1e-9, 1e-7
"""Tolerances of gaps and values, and of strategies. Both sides round differently, and a step of regret matching divides
by sums of regrets that may be close to 0: 1e-15 grows to 1e-10 within 40 iterations in the worst of these games."""


@cache
def games(name: str) -> tuple[ExpandedGame, PublicGame, PublicGame]:
    rules = CASES[name]()
    return ExpandedGame(rules), PublicGame(rules), PublicGame(rules, mirrored=False)


def run(game: Any, method: str, updates: str, iterations: int = ITERATIONS, **parameters: Any) -> tuple[Any, Gaps]:
    solver = solver_for(method, game, iterations=iterations, updates=updates, **parameters)
    solver.run(iterations)
    return solver, gaps(solver)


def assert_close(found: Gaps, known: Gaps, tolerance: float) -> None:
    assert found.name == known.name
    np.testing.assert_allclose(found.evaluation.values, known.evaluation.values, rtol=0, atol=tolerance)
    np.testing.assert_allclose(found.evaluation.best_values, known.evaluation.best_values, rtol=0, atol=tolerance)
    assert found.gap == pytest.approx(known.gap, abs=tolerance)
    assert found.cce_gap == pytest.approx(known.cce_gap, abs=tolerance)


@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("method", FULL_WIDTH)
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in ("leduc", "three cards") else n for n in CASES]
)
def test_methods_do_the_same_as_on_the_sequence_form(name: str, method: str, updates: str) -> None:
    """Values, best values, both gaps and every probability; with mirrored deals shared and told apart."""
    expanded, shared, apart = games(name)
    plain, known = run(expanded, method, updates)
    for game in (shared, apart):
        solver, found = run(game, method, updates, precision="float64")
        assert_close(found, known, GAP)
        for mine, theirs in zip(
            solver.average().profile().strategies, plain.average().profile().strategies, strict=True
        ):
            np.testing.assert_allclose(mine, theirs, rtol=0, atol=PLAYED)
        if "raked" not in name:
            assert abs(sum(found.evaluation.values)) < 1e-12


@pytest.mark.parametrize("method", ["cfr+", "dcfr", "pcfr+", "cfr-hedge"])
@pytest.mark.parametrize("name", ["leduc", "river raked", "turn", "flop"])
def test_the_current_strategies_are_the_same(name: str, method: str) -> None:
    expanded, shared, _ = games(name)
    plain, _ = run(expanded, method, "alternating", 10)
    solver, _ = run(shared, method, "alternating", 10, precision="float64")
    for mine, theirs in zip(solver.current().profile().strategies, plain.current().profile().strategies, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=PLAYED)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "river", "flop"])
def test_the_last_iterate_is_the_same(name: str) -> None:
    """Without an average, what is measured is the current strategies."""
    expanded, shared, _ = games(name)
    _, known = run(expanded, "cfr+", "alternating", 20, averaging="last")
    solver, found = run(shared, "cfr+", "alternating", 20, averaging="last", precision="float64")
    assert found.gap == pytest.approx(known.gap, abs=1e-8)
    assert solver.state()["total"].size == 0
    assert found.cce_gap is known.cce_gap is None


@pytest.mark.parametrize("method", FULL_WIDTH)
@pytest.mark.parametrize("name", ["river", "turn raked", "flop"])
def test_single_precision_has_nearly_the_same_gap(name: str, method: str) -> None:
    """Regrets in 32 bits have relative errors of 6e-8 per iteration; of payoffs up to 45, gaps differ by 1e-2 at most.

    The dynamics amplify these errors, so it is a loose bound; it is far below the gaps that iterations would change.
    """
    _, shared, _ = games(name)
    first, single = run(shared, method, "alternating")
    _, double = run(shared, method, "alternating", precision="float64")
    assert first.state()["regret"].dtype == np.float32
    assert single.gap == pytest.approx(double.gap, abs=1e-2 * max(1.0, double.gap))


@pytest.mark.parametrize("method", [name for name in FULL_WIDTH if name != "hs-dcfr"])  # it refuses warm starts
@pytest.mark.parametrize("name", ["kuhn", "river", "turn raked", "flop"])
def test_a_warm_start_begins_with_the_strategy(name: str, method: str) -> None:
    """The average is the strategy that was given, and the state stands for so many iterations of it."""
    _, game, _ = games(name)
    begun = run(game, "cfr+", "alternating", 50, precision="float64")[0].average()
    solver: Any = solver_for(method, game, iterations=400, precision="float64")
    solver.warm_start(begun, weight=100)
    np.testing.assert_allclose(solver.average().probability, begun.probability, atol=1e-9)
    known, found = hn.evaluate(begun), gaps(solver)
    assert found.evaluation.nash_conv == pytest.approx(known.nash_conv, abs=1e-9)
    solver.run(20)
    assert gaps(solver).evaluation.nash_conv <= 2 * found.evaluation.nash_conv + 0.05
    with pytest.raises(ParameterError, match="has begun"):
        solver.warm_start(begun)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "river raked", "turn", "flop"])
def test_averages_go_on_from_a_warm_start_as_on_the_sequence_form(name: str) -> None:
    """One iteration of lcfr after 10 of a strategy: the averages agree, each weighed by its player's own reach.

    The next strategies are the same too: regrets are in proportion to the strategy on both sides.
    """
    expanded, game, _ = games(name)
    begun = run(game, "cfr+", "alternating", 7, precision="float64")[0].average()
    plain: Any = solver_for("lcfr", expanded)
    solver: Any = solver_for("lcfr", game, precision="float64")
    plain.warm_start(begun.profile(), weight=10)
    solver.warm_start(begun, weight=10)
    plain.run(1)
    solver.run(1)
    for mine, theirs in zip(solver.average().profile().strategies, plain.average().profile().strategies, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=PLAYED)


def test_warm_starts_of_other_games_are_refused() -> None:
    _, game, apart = games("flop")
    other = run(games("turn")[1], "cfr", "alternating", 1)[0].average()
    for strategy in (other, hn.uniform("kuhn_poker")):
        solver: Any = solver_for("cfr", game)
        with pytest.raises((MismatchError, UnsuitableError)):
            solver.warm_start(strategy)
    assert apart.form.hash != game.form.hash


def test_parameters_of_other_layouts_are_refused() -> None:
    _, game, _ = games("kuhn")
    some: tuple[dict[str, Any], ...] = ({"layout": "plain"}, {"payoffs": "float32"})
    for parameters in some:
        with pytest.raises(HannanError, match="not for public trees"):
            solver_for("cfr", game, **parameters)
    with pytest.raises(HannanError, match="precision=int16 is for public trees"):
        solver_for("cfr", "kuhn_poker", precision="int16")


@pytest.mark.parametrize("method", FULL_WIDTH)
def test_the_scale_of_weights_and_payoffs_changes_nothing(method: str) -> None:
    """Weights times 2^60, gains times 2^20: the same strategies up to 32 bits; Hedge's rate counts in utilities."""

    class Scaled(Kuhn):
        def __init__(self, weight: float, gain: float) -> None:
            self.weight, self.gain = weight, gain

        def weights(self, player: int) -> list[float]:
            return [self.weight, 3 * self.weight, 2 * self.weight]

        def ending(self, line: str) -> Any:
            end, k = super().ending(line), self.gain
            if isinstance(end, Fold):
                return Fold((k * end.gains[0], k * end.gains[1]))
            assert isinstance(end, Showdown)
            return Showdown(*((k * pay[0], k * pay[1]) for pay in (end.win, end.lose, end.tie)))

    gain = 1.0 if method == "cfr-hedge" else 2.0**20
    one, _ = run(PublicGame(Scaled(1.0, 1.0)), method, "alternating")
    for weight in (2.0**60, 2.0**-60):
        two, _ = run(PublicGame(Scaled(weight, gain)), method, "alternating")
        np.testing.assert_allclose(two.average().probability, one.average().probability, rtol=0, atol=1e-6)
