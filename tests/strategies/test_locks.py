"""A game with locked sets is the game in which those sets are chance."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.strategies.files import read_locks
from hannan.strategies.locks import LockedGame, Locks
from tests.delegating import Delegating

TOLERANCE = 1e-9
"""Values by linear programming: HiGHS' tolerances."""


class Fixed(Delegating):
    """Any rules with some decisions of players handed to chance: the locked game, written independently."""

    def __init__(self, rules: hn.Rules, fixed: Mapping[tuple[int, Hashable], Sequence[float]]) -> None:
        super().__init__(rules)
        self.fixed = fixed

    def _locked(self, state: Any) -> tuple[int, Sequence[float]] | None:
        turn = self.rules.turn(state)
        if not isinstance(turn, int) or turn < 0:
            return None
        weights = self.fixed.get((turn, self.rules.observe(state, turn)))
        return None if weights is None else (turn, weights)

    def turn(self, state: Any) -> int | tuple[int, ...]:
        return hn.CHANCE if self._locked(state) else self.rules.turn(state)

    def chance(self, state: Any) -> Sequence[tuple[Hashable, float]]:
        locked = self._locked(state)
        if locked is None:
            return self.rules.chance(state)
        return list(zip(self.rules.actions(state, locked[0]), locked[1], strict=True))


def test_kuhn_without_bluffs() -> None:
    """Player 0 never bets the jack and never bets the king: it still guarantees -1/18 (Kuhn 1950: α = 0)."""
    locked = hn.lock("kuhn_poker", {0: {"J": {"p": 1.0}, "K": {"p": 1.0}}})
    assert hn.solve(locked, "lp").values[0] == pytest.approx(-1 / 18, abs=TOLERANCE)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_as_if_the_nodes_were_chance(seed: int) -> None:
    """Kuhn poker: observations name sets, so locking by observation and making nodes chance is the same."""
    game = load_expanded("kuhn_poker")
    draw = np.random.default_rng(seed)
    locks: dict[int, dict[int, list[float]]] = {0: {}, 1: {}}
    fixed: dict[tuple[int, Hashable], list[float]] = {}
    for player in (0, 1):
        for number in draw.choice(6, 2, replace=False).tolist():
            weights = draw.dirichlet([1, 1]).tolist()
            locks[player][number] = weights
            fixed[player, int(game.form.treeplexes[player].observation[number])] = weights
    ours = hn.solve(hn.lock(game, locks), "lp")  # type: ignore[arg-type]
    theirs = hn.solve(Fixed(game.rules, fixed), "lp")
    assert ours.values == pytest.approx(theirs.values, abs=TOLERANCE)
    assert ours.nash_conv == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "pcfr+", "einr", "cfr-hedge"])
def test_every_method_keeps_the_locks(method: str) -> None:
    game = load_expanded("leduc_poker(ranks=2)")
    locks: Locks = {
        0: {0: [0.25, 0.75]},
        1: {3: [1.0, 0.0, 0.0] if game.form.treeplexes[1].sizes[3] == 3 else [1.0, 0.0]},
    }
    result = hn.solve(game, method, iterations=50, locks=locks)
    assert list(result.profile.at(0, 0).values()) == [0.25, 0.75]
    assert next(iter(result.profile.at(1, 3).values())) == 1.0
    assert result.profile.game is game
    assert "2 locked sets" in result.game


def test_lifted_play_earns_the_same() -> None:
    locked = hn.lock("leduc_poker", {0: {0: [0.5, 0.5], 20: [0.2, 0.8]}, 1: {5: [0.1, 0.2, 0.7]}})
    profile = hn.random_profile(locked, seed=4)
    small, whole = hn.evaluate(locked, profile), hn.evaluate(locked.base, locked.lift(profile))
    assert small.values == pytest.approx(whole.values, abs=1e-12)
    assert all(bound <= free + 1e-12 for bound, free in zip(small.best_values, whole.best_values, strict=True))


def test_a_start_for_the_whole_game_is_projected() -> None:
    locks: Locks = {0: {0: [0.5, 0.5]}}
    locked = hn.lock("kuhn_poker", locks)
    profile = hn.random_profile(locked, seed=5)
    back = locked.project(locked.lift(profile))
    assert all(np.array_equal(one, two) for one, two in zip(profile.strategies, back.strategies, strict=True))
    good = hn.solve("kuhn_poker", "cfr+", iterations=500, locks=locks)
    warm = hn.solve("kuhn_poker", "cfr+", iterations=1, locks=locks, start=good.profile)
    assert warm.gap < 1.5 * good.gap


def test_a_start_for_the_free_sets_is_taken_as_it_is() -> None:
    """A solve goes on from where one of the same locked game ended: one iteration more changes little."""
    locked = hn.lock("kuhn_poker", {0: {"K": {"p": 0.5, "b": 0.5}}})
    first = hn.solve(locked, "cfr+", iterations=200)
    for start in (first, first.strategy):
        assert hn.solve(locked, "cfr+", start=start, iterations=1).nash_conv < 2 * first.nash_conv


def test_plays_of_a_locked_game_are_compared_with_its_uniform_play() -> None:
    locked = hn.lock("kuhn_poker", {0: {"K": {"p": 0.5, "b": 0.5}}})
    found = hn.evaluate(hn.random_profile(locked, 1), exact=False, walks=100, plays=500)
    assert found.uniform_lower_bounds == pytest.approx(hn.evaluate(hn.uniform(locked)).gains, abs=1e-12)


def test_everything_locked_and_nothing_locked() -> None:
    game = load_expanded("kuhn_poker")
    everything: Locks = {p: {j: [0.5, 0.5] for j in range(6)} for p in (0, 1)}
    locked = LockedGame(game, everything)
    assert hn.evaluate(locked, hn.uniform(locked)).values == pytest.approx(
        hn.evaluate(game, hn.uniform(game)).values, abs=1e-12
    )
    assert LockedGame(game, {}).form.hash == game.form.hash


@pytest.mark.parametrize(
    ("locks", "sentence"),
    [
        ({0: {"X": [1, 0]}}, "in the locks, player 0 has no information set 'X'"),
        ({0: {9: [1, 0]}}, "in the locks, player 0 has no information set 9"),
        ({2: {0: [1, 0]}}, "a lock is for player 2"),
        ({0: {"J": {"raise": 1}}}, "has no action 'raise'"),
        ({0: {"J": [0.5, 0.6]}}, "should be 2 probabilities that sum to 1"),
        ({0: {"J": [1.0]}}, "should be 2 probabilities that sum to 1"),
        ({0: {"J": [1.5, -0.5]}}, "should be 2 probabilities that sum to 1"),
        ({0: {"J": "pp"}}, "should be 2 probabilities that sum to 1, not 'pp'"),
        ({0: {"J": 5}}, "should be 2 probabilities that sum to 1, not 5"),
        ({0: {"J": None}}, "should be 2 probabilities that sum to 1, not None"),
        ({0: {"J": {"p": "x"}}}, "should be 2 probabilities that sum to 1"),
        ({0: {"J": ["0.5", "0.5"]}}, "should be 2 probabilities that sum to 1"),
        ({0: {"J": [[1], [1, 2]]}}, "should be 2 probabilities that sum to 1"),
        ({0: {"J": [float("nan"), 1.0]}}, "should be 2 probabilities that sum to 1"),
        ({0: {None: [1, 0]}}, "None is neither the name nor the number of an information set"),
        ({0: {1.5: [1, 0]}}, "1.5 is neither the name nor the number"),
        ({0: 5}, "the locks of player 0 are 5; locks should be a dictionary"),
        ({0: "J"}, "the locks of player 0 are 'J'"),
        ({"0": {"J": [1, 0]}}, "a lock is for player '0'"),
        (5, "locks=5 should be a dictionary"),
        (None, "locks=None should be a dictionary"),
    ],
)
def test_bad_locks(locks: Any, sentence: str) -> None:
    with pytest.raises(hn.HannanError, match=sentence):
        hn.lock("kuhn_poker", locks)


@pytest.mark.parametrize("method", ["mccfr-os", "mccfr-es", "mccfr-cs", "mccfr-rs", "vr-mccfr", "einr-os", "einr-es"])
@pytest.mark.parametrize("over", ["auto", "tree", "rules"])
def test_methods_that_walk_the_game_refuse_locks_by_name(method: str, over: str) -> None:
    with pytest.raises(hn.errors.UnsuitableError, match=r"kuhn_poker with 1 locked set .*do not take locks"):
        hn.solve(hn.lock("kuhn_poker", {1: {"Kb": {"b": 1}}}), method, iterations=10, over=over)


def test_the_profile_of_a_locked_game_is_lifted_once() -> None:
    """The king always calls a bet: what the others do best is the whole game's equilibrium play."""
    locked = hn.lock("kuhn_poker", {1: {"Kb": {"b": 1}}})
    result = hn.solve(locked, gap=1e-9)
    assert result.profile.game is locked
    assert hn.evaluate(locked, result.profile).nash_conv == pytest.approx(result.nash_conv, abs=1e-15)
    whole = locked.lift(result.profile)
    assert hn.evaluate("kuhn_poker", whole).nash_conv < 1e-8  # calling is the king's only best answer
    with pytest.raises(hn.errors.MismatchError, match="is for kuhn_poker, not for kuhn_poker with 1 locked set"):
        locked.lift(whole)


def test_a_locked_game_is_not_locked_again() -> None:
    locked = hn.lock("kuhn_poker", {0: {0: [0.5, 0.5]}})
    with pytest.raises(hn.errors.ParameterError, match="is locked already"):
        hn.lock(locked, {0: {1: [0.5, 0.5]}})
    assert hn.lock("kuhn_poker", locked.locks).form.hash == locked.form.hash


@pytest.mark.parametrize(
    "text", ['{"0": {"J": {"p": 1}}, "0": {"Q": {"p": 1}}}', '{"0": {}, "00": {}}', '{"0": {"J": {"p": 1}, "J": {}}}']
)
def test_a_file_that_locks_something_twice_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "locks.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(hn.errors.FileError, match="appears twice"):
        read_locks(path)
