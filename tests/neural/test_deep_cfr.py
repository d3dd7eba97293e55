"""Deep CFR: equal to a tabular reference where a table stands for the networks, convergent with networks, resumable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats
from hannan.errors import MismatchError, ParameterError, UnsuitableError
from hannan.neural.deep_cfr import SDCFR, DeepCFR
from hannan.solvers import method_class
from tests.games.plain import Kuhn
from tests.neural.reference import Reference

GAMES = ("kuhn_poker", "goofspiel(cards=3)", "kuhn_poker(players=3)")
"""Turns, joint moves with chance, three players."""

SMALL: dict[str, Any] = {"traversals": 20, "steps": 8, "units": 8, "layers": 1, "memory_size": 300, "batch": 64}


def place_of(game: hn.views.ExpandedGame, player: int, number: int) -> tuple[Any, ...]:
    """Name a set as the reference does: its player, what it saw and did, and what it sees."""
    plex, past = game.tree.treeplexes[player], tuple[Any, ...]()
    seen = int(plex.observation[number])
    while (before := int(plex.parent[number])) != 0:
        number = int(plex.set_of[before])
        past = (int(plex.observation[number]), before - int(plex.begin[number]), *past)
    return player, past, seen


def average_of(reference: Reference, game: hn.views.ExpandedGame) -> list[Floats]:
    strategies = []
    for player, plex in enumerate(game.tree.treeplexes):
        strategy = np.ones(plex.sequences)
        for j in range(plex.sets):
            sums = np.array(reference.policy.get(place_of(game, player, j), [0.0] * int(plex.sizes[j])))
            even = np.full(len(sums), 1.0 / len(sums))
            strategy[plex.begin[j] : plex.begin[j + 1]] = sums / sums.sum() if sums.sum() else even
        strategies.append(strategy)
    return strategies


@pytest.mark.parametrize("actions", [None, 1])
@pytest.mark.parametrize("address", GAMES)
def test_with_a_table_it_is_tabular_sampling(address: str, actions: int | None) -> None:
    """To 1e-9: the same samples, and sums that are added in another order."""
    game = hn.load(address).expanded()
    solver = DeepCFR(game, approximation="table", traversals=30, seed=3, memory_size=200_000, actions=actions)
    solver.run(4)
    reference = Reference(game.rules, 30, 3, actions)
    reference.run(4)
    assert solver.histories == reference.touched
    average, current = solver.average(), solver.current()
    assert isinstance(average, hn.Profile)
    assert isinstance(current, hn.Profile)
    for player, strategy in enumerate(average_of(reference, game)):
        np.testing.assert_allclose(average.strategies[player], strategy, rtol=0, atol=1e-9)
        for j in range(game.form.treeplexes[player].sets):
            begin, end = game.form.treeplexes[player].begin[j : j + 2]
            expected = reference.strategy(place_of(game, player, j), end - begin)
            np.testing.assert_allclose(current.strategies[player][begin:end], expected, rtol=0, atol=1e-9)


def test_played_from_stored_networks_the_average_is_exact() -> None:
    """The mixture of all iterations, each weighted by t and by its player's own reach; here by plain recursion."""
    solver = SDCFR("kuhn_poker", approximation="table", traversals=25, seed=5)
    profiles = []
    for _ in range(4):
        profiles.append(solver.current())
        solver.run(1)
    average = solver.average()
    for player, plex in enumerate(solver.game.expanded().form.treeplexes):
        for j in range(plex.sets):
            sums = np.zeros(plex.sizes[j])
            for t, profile in enumerate(profiles, 1):
                strategy = profile.strategies[player]  # type: ignore[union-attr]
                reach, before = 1.0, int(plex.parent[j])
                while before:
                    reach *= strategy[before]
                    before = int(plex.parent[plex.set_of[before]])
                sums += t * reach * strategy[plex.begin[j] : plex.begin[j + 1]]
            if sums.sum() > 0:
                mine = average.strategies[player][plex.begin[j] : plex.begin[j + 1]]  # type: ignore[union-attr]
                np.testing.assert_allclose(mine, sums / sums.sum(), rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["deep-cfr", "sd-cfr"])
def test_it_converges_on_kuhn(method: str) -> None:
    """NashConv 11/12 at the start; the presets reach 0.05 on several seeds (`hannan bench neural`), 0.12 by then."""
    pytest.importorskip("torch")
    make: Any = method_class(method)
    solver = make("kuhn_poker", seed=1, steps=100)
    solver.run(14)
    assert hn.evaluate("kuhn_poker", solver.average()).nash_conv <= 0.12


@pytest.mark.parametrize("method", ["deep-cfr", "sd-cfr"])
def test_resumed_it_goes_on_to_the_same_bits(method: str, tmp_path: Path) -> None:
    """The memory is full by then, and drops samples."""
    pytest.importorskip("torch")
    make: Any = method_class(method)
    small = {**SMALL, "policy_steps": 9} if method == "deep-cfr" else SMALL
    whole, half = make("kuhn_poker", seed=2, **small), make("kuhn_poker", seed=2, **small)
    whole.run(4)
    half.run(2)
    half.average()  # training a network of the average changes nothing
    half.save(tmp_path / "half")
    again = hn.resume(tmp_path / "half")
    again.run(2)
    assert again.state().keys() == whole.state().keys()
    for name, array in whole.state().items():
        np.testing.assert_array_equal(array, again.state()[name], err_msg=name)
    for one, other in zip(whole.average().strategies, again.average().strategies, strict=True):  # type: ignore[attr-defined]
        np.testing.assert_array_equal(one, other)


def test_through_the_run_it_stops_logs_and_resumes(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    first = hn.solve("kuhn_poker", "sd-cfr", iterations=2, seed=4, checkpoint=tmp_path / "x", **SMALL)
    assert first.stop == "iterations"
    assert first.findings["histories"] > 0
    whole = hn.solve("kuhn_poker", "sd-cfr", iterations=3, seed=4, **SMALL)
    again = hn.solve(resume=tmp_path / "x", iterations=3)
    assert again.nash_conv == whole.nash_conv
    assert hn.solve("kuhn_poker", "sd-cfr", seconds=0.01, **SMALL).stop == "seconds"
    with pytest.raises(MismatchError, match="was made with units=8, not with units=9"):
        hn.solve(resume=tmp_path / "x", units=9)


def test_plain_rules_give_the_bits_of_compiled_ones() -> None:
    """Kuhn poker in plain Python: other observations, so other rows; with a table only which rows differ matters."""
    compiled = SDCFR("kuhn_poker", approximation="table", traversals=20, seed=1, reads="history")
    plain = SDCFR(Kuhn(), approximation="table", traversals=20, seed=1)
    for solver in (compiled, plain):
        solver.run(3)
    one, other = compiled.average(), plain.average()
    assert hn.evaluate(compiled.game, one).values == pytest.approx(hn.evaluate(plain.game, other).values, abs=1e-12)
    assert compiled.histories == plain.histories


def test_what_is_refused() -> None:
    with pytest.raises(UnsuitableError, match="write no features: write features"):
        DeepCFR(Kuhn(), reads="features")
    with pytest.raises(ParameterError, match="device='tpu' is not known"):
        DeepCFR("kuhn_poker", device="tpu")
    with pytest.raises(UnsuitableError, match="know nothing of locks"):
        DeepCFR(hn.lock("kuhn_poker", {0: {"J": {"p": 1}}}))
    for method in ("deep-cfr", "double-neural"):
        with pytest.raises(UnsuitableError, match="there is one player: use sd-cfr"):
            method_class(method)("single_player")
    with pytest.raises(hn.errors.SizeError, match=r"memory_size=2,000,000,000, takes about .* of memory"):
        DeepCFR("kuhn_poker", memory_size=2_000_000_000)
