"""Samplers on rules that are not expanded: tables that grow, memory limits, what is remembered and restored."""

from __future__ import annotations

import tracemalloc
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan import arrays
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded
from hannan.kernels.sampling.records import WALKS
from hannan.kernels.sets import S_COUNT, S_FIRST, S_PARENT
from hannan.solvers.sampling import room, rules_stream
from hannan.solvers.sampling import tables as samplingtables
from tests.averages import average_of
from tests.delegating import Delegating
from tests.solvers.sampling.samplers import GAMES, VARIANTS, built, same, walks_of


def test_a_state_that_points_nowhere_is_refused() -> None:
    for parameters in ({}, {"baseline": "predictive"}):
        solver = hn.methods.VRMCCFR("leduc_poker", over="rules", **parameters)  # type: ignore[arg-type]
        solver.run(50)
        for name, place, value in (
            ("set_row0", (0, S_FIRST), 10**9),
            ("set_row0", (0, S_FIRST), 2**63 - 1),
            ("set_row0", (0, S_COUNT), 2**62),
            ("set_row0", (5, S_COUNT), -1),
            ("set_row0", (3, S_PARENT), -5),
            ("counts0", 0, 10**6),
        ):
            state = solver.state()
            state[name][place] = value
            with pytest.raises(hn.errors.MismatchError, match="points to what is not there"):
                hn.methods.VRMCCFR("leduc_poker", over="rules", **parameters).restore(50, state)  # type: ignore[arg-type]
        state = solver.state()
        state["child0"][0] = 10**8
        with pytest.raises(hn.errors.MismatchError, match="points to what is not there"):
            hn.methods.VRMCCFR("leduc_poker", over="rules", **parameters).restore(50, state)  # type: ignore[arg-type]
        state = solver.state()
        state["kind0"][state["child0"] > 0] += 64  # two more moves everywhere
        with pytest.raises(hn.errors.MismatchError, match="points to what is not there"):
            hn.methods.VRMCCFR("leduc_poker", over="rules", **parameters).restore(50, state)  # type: ignore[arg-type]
        state = solver.state()
        passed = np.flatnonzero(state["child0"] > 0)
        state["child0"][passed] = np.random.default_rng(1).permutation(state["child0"][passed])
        with pytest.raises(hn.errors.MismatchError, match="points to what is not there"):
            hn.methods.VRMCCFR("leduc_poker", over="rules", **parameters).restore(50, state)  # type: ignore[arg-type]


@pytest.mark.parametrize("remembered", [0, 7, 300])
@pytest.mark.parametrize("variant", ["outcome, all explore", "external, simple", "robust", "chance, discounted"])
@pytest.mark.parametrize("address", GAMES)
def test_what_is_remembered_of_histories_changes_nothing(
    address: str, variant: str, remembered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, parameters = VARIANTS[variant]
    monkeypatch.setattr(rules_stream, "REMEMBERED", remembered)
    tree, rules = (built(make, address, parameters, over=over, seed=6) for over in ("tree", "rules"))
    for solver in (tree, rules):
        solver.run(60)
    assert len(rules._streams[0].board.node) == remembered
    assert same(tree, rules)


@pytest.mark.parametrize("variant", ["outcome", "external", "reduced by history"])
def test_streams_on_rules_are_gathered_as_on_the_tree(variant: str) -> None:
    make, parameters = VARIANTS[variant]
    for game in ("leduc_poker", ExpandedGame(Delegating(load_expanded("kuhn_poker(players=3)").rules))):
        tree, rules = (built(make, game, parameters, over=over, streams=3, seed=8) for over in ("tree", "rules"))
        for solver in (tree, rules):
            solver.run(60)
        for ours, theirs in zip(average_of(tree).strategies, average_of(rules).strategies, strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_variance_of_a_run_that_its_memory_limit_has_stopped() -> None:
    limited = hn.methods.OutcomeSampling("liars_dice(dice=5)", memory_limit=1_000_000, table="full", seed=1)
    limited.run(10_000)
    assert limited.stopped
    free = hn.methods.OutcomeSampling("liars_dice(dice=5)", seed=1)
    free._streams[0].walk(walks_of(limited))
    assert limited.variance(50).total == pytest.approx(free.variance(50).total, rel=1e-9)


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_streams_fill_their_tables_however_a_run_is_cut(step: int) -> None:
    solver = hn.methods.OutcomeSampling("goofspiel(cards=13)", memory_limit=6_000_000, table="full", streams=2, seed=1)
    while not solver.stopped:
        solver.run(step)
    walks = [int(stream.tables.counts[WALKS]) for stream in solver._streams]
    whole = hn.methods.OutcomeSampling("goofspiel(cards=13)", memory_limit=6_000_000, table="full", streams=2, seed=1)
    whole.run(5000)
    assert walks == [int(stream.tables.counts[WALKS]) for stream in whole._streams]
    assert np.array_equal(solver.policy().probability, whole.policy().probability)


def test_walks_that_would_not_end_are_refused() -> None:
    with pytest.raises(hn.errors.ParameterError, match=r"one walk of mccfr-es visits about .* histories of goofspiel"):
        hn.methods.ExternalSampling("goofspiel(cards=13)")
    with pytest.raises(hn.errors.ParameterError, match="one walk of mccfr-cs visits about"):
        hn.methods.ChanceSampling("goofspiel(cards=13)")
    hn.methods.RobustSampling("goofspiel(cards=13)", k=1).run(1)


def test_a_huge_game_starts_at_once_and_stops_at_its_memory_limit() -> None:
    solver = hn.methods.OutcomeSampling("liars_dice(faces=6,dice=5)", memory_limit=1_000_000, table="full", seed=1)
    assert solver.over == "rules"
    solver.run(200_000)
    assert "memory limit" in solver.stopped
    reached = solver.iterations
    assert 0 < reached < 200_000
    solver.run(10)
    assert solver.iterations == reached == solver.most_iterations
    policy = solver.policy()
    assert policy.sets == solver.sets > 100
    assert np.allclose(np.add.reduceat(policy.probability, policy.base), 1.0)


@pytest.mark.parametrize("parameters", [{"key": "set"}, {"key": "history"}, {"key": "set", "learner": "discounted"}])
def test_all_that_is_allocated_stays_within_the_memory_limit(parameters: dict[str, Any]) -> None:
    """NumPy tells tracemalloc of every array, so the peak holds tables, scratch, and what growing takes."""
    limit = 4_000_000
    hn.methods.VRMCCFR("kuhn_poker", over="rules", **parameters).run(1)  # compiles
    game = hn.load("liars_dice(faces=6,dice=5)")
    tracemalloc.start()
    try:
        solver = hn.methods.VRMCCFR(game, over="rules", memory_limit=limit, table="full", seed=1, **parameters)
        solver.run(300_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "memory limit of 3.8 MiB" in solver.stopped
    assert 0.7 * limit < peak < limit + 200_000  # Python's own objects are not counted


def test_a_memory_limit_does_not_see_that_a_run_was_resumed(tmp_path: Path) -> None:
    parameters: dict[str, Any] = {"baseline": "predictive", "over": "rules", "memory_limit": 3_000_000, "seed": 1}
    whole = hn.methods.VRMCCFR("goofspiel(cards=13)", **parameters)
    whole.run(10_000)
    cut: Any = hn.methods.VRMCCFR("goofspiel(cards=13)", **parameters)
    while not cut.stopped:
        cut.run(7)
        cut.save(tmp_path / "cut")
        if not cut.stopped:
            cut = hn.resume(tmp_path / "cut")
    assert walks_of(whole) == walks_of(cut) > 20
    assert whole.sets == cut.sets
    assert np.array_equal(whole.policy().probability, cut.policy().probability)


def test_a_solve_ends_at_the_memory_limit() -> None:
    result = hn.solve("leduc_poker", "mccfr-es", iterations=100_000, over="rules", memory_limit=220_000, table="full")
    assert result.iterations < 100_000
    assert result.stop == "memory"
    assert "memory" in result.note
    assert result.iterations > 10
    limited, free = (
        hn.methods.ExternalSampling("leduc_poker", over="rules", memory_limit=most, table="full")
        for most in (220_000, None)
    )
    limited.run(100_000)
    free._streams[0].walk(walks_of(limited))  # the last iteration may have ended after one of its two walks
    assert same(limited, free)
    assert result.nash_conv == hn.evaluate(free.game, free.average()).nash_conv


def test_measuring_the_variance_leaves_the_room_of_the_run_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk that needs more room while it measures does not change what a saved run says of its own."""
    monkeypatch.setattr(samplingtables, "FIRST_VISITS", 2)
    solver = hn.methods.ExternalSampling("liars_dice(faces=4)", over="rules", seed=1)
    solver.run(1)
    before = solver.state()
    solver.variance(200)
    after = solver.state()
    assert before.keys() == after.keys()
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_without_a_limit_the_machine_sets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of what is free: the rest is there to finish with. Streams share it, and a walk loses nothing."""
    for streams in (1, 3):
        with monkeypatch.context() as patch:
            patch.setattr(room, "available", lambda: 300 * 2**20)
            sampler = hn.methods.OutcomeSampling("goofspiel(cards=13)", seed=1, streams=streams)
            sampler.run(10**9)
        assert "of the memory that is free here" in sampler.stopped
        assert "memory_limit=BYTES sets another limit" in sampler.stopped
        bytes_of = [samplingtables.held(stream.tables, stream.board, stream.scratch) for stream in sampler._streams]
        assert 20 * 2**20 < sum(bytes_of) <= (300 * 2**20 + sum(bytes_of)) / (1 + room.RESERVE)
        assert sampler.policy().sets == sampler.sets if streams == 1 else True


@cache
def large() -> hn.Game:
    return hn.load("goofspiel(cards=6)")


@cache
def left_alone() -> Any:
    sampler = hn.methods.OutcomeSampling(large(), seed=1, over="rules")
    sampler.run(800)
    return sampler


@pytest.mark.slow
@pytest.mark.parametrize("when", [0, 1, 2, 3])
def test_a_failing_allocation_leaves_what_there_was(when: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the first, second, … array that should grow: the sampler says so, and goes on once there is memory."""
    sampler = hn.methods.OutcomeSampling(large(), seed=1, over="rules")
    made, real = [0], arrays.lengthen

    def lengthen(*arguments: Any) -> None:
        made[0] += 1
        if made[0] > when:
            raise MemoryError
        real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(room, "lengthen", lengthen)
        sampler.run(800)
    assert "no memory is left" in sampler.stopped
    assert sampler.policy().sets == sampler.sets
    restored = hn.methods.OutcomeSampling(large(), seed=1, over="rules")
    restored.restore(sampler.iterations, sampler.state())
    restored.run(800 - sampler.iterations)
    alone = left_alone()
    assert restored.sets == alone.sets
    assert np.array_equal(restored.policy().probability, alone.policy().probability)
