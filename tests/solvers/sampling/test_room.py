"""Tables that leave sets out: what enters, is learnt and is dropped, and that the same seed gives the same bits."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.records import Tables
from hannan.solvers.sampling.sampler import Sampling
from hannan.solvers.sampling.streams import Stream
from hannan.solvers.sampling.tables import cells_of, drop_least_visited, part_cells, tree_tables
from hannan.strategies.profile import Profile
from tests.matching import grown, keys_of, plan_of
from tests.reference import counterfactual
from tests.solvers.sampling.sampled import Scripted, Seeded, expected
from tests.solvers.sampling.samplers import built, plainly, same, walks_of

GAMES = (
    "kuhn_poker",
    "goofspiel(cards=3)",
    "random_game(seed=2,depth=2,chance=2,hidden=true,payoffs=general_sum)",
    "random_game(seed=6,depth=2,utilities=edges,chance=2,hidden=true)",
    "random_game(seed=4,depth=1,players=3,chance=2,branching=3)",
)

VARIANTS: dict[str, tuple[type[Sampling], dict[str, Any]]] = {
    "outcome": (hn.methods.OutcomeSampling, {}),
    "outcome, all explore": (hn.methods.OutcomeSampling, {"explore": True, "epsilon": 0.3, "averaging": "weighted"}),
    "external": (hn.methods.ExternalSampling, {}),
    "robust, discounted": (hn.methods.RobustSampling, {"k": 2, "learner": "discounted", "averaging": "simple"}),
    "reduced": (hn.methods.VRMCCFR, {"key": "set"}),
    "not reduced": (hn.methods.VRMCCFR, {"baseline": "none", "sampler": "external"}),
}

TOLERANCE = 1e-10


def on_tree(game: ExpandedGame, stream: Stream) -> tuple[Tables, dict[int, int]]:
    """Return tables of the tree that hold what a stream has learnt; and each of its sets' first cell by that in these.

    Sets that the stream does not have are played uniformly.
    """
    tables, ours = tree_tables(game.tree, 0, 0, discounted=False), stream.tables
    there = {(int(p), int(o)): int(f) for p, o, f, _ in tables.set_row}
    goes, firsts = dict(enumerate(range(game.players))), dict[int, int]()
    for parent, seen, first, size in ours.set_row[: int(ours.counts[rec.SETS])].tolist():
        place = there[goes[parent], seen]
        firsts[place] = first
        goes |= {first + 2 * size + a: place + 2 * size + a for a in range(size)}
        tables.learnt[place : place + 3 * size] = ours.learnt[first : first + 3 * size]
    return tables, firsts


def eligible(tables: Tables, kept: dict[int, int], players: int) -> set[int]:
    """Return the sets that are kept, and those that may enter: below none but kept ones."""
    sums = {int(first) + 2 * int(n) + a for _, _, first, n in tables.set_row if first in kept for a in range(n)}
    return {int(first) for parent, _, first, _ in tables.set_row if parent < players or int(parent) in sums}


def counterfactuals(game: ExpandedGame, profile: Profile) -> Floats:
    """Return the counterfactual value of each sequence, players end to end, from the plain reference."""
    plan, tree, values = plan_of(profile), grown(game), list[float]()
    for player in range(game.players):
        worth = counterfactual(tree, plan, player)
        values.append(0.0)
        for key in keys_of(game, player):
            values.extend(worth[key].values())
    return np.array(values)


@pytest.mark.parametrize("variant", ["outcome", "outcome, all explore", "external", "robust, discounted"])
@pytest.mark.parametrize("address", GAMES)
def test_the_mean_over_all_walks_is_exact_in_a_partly_filled_table(address: str, variant: str) -> None:
    """Kept sets and those that may enter: all draws enumerated, against exact values of uniform play outside."""
    make, parameters = VARIANTS[variant]
    solver = built(make, address, parameters, table="growing", seed=3)
    game, stream = load_expanded(address), solver._streams[0]
    while 3 * solver.sets < sum(plex.sets for plex in game.tree.treeplexes):
        stream.walk(walks_of(solver) + 1)
    tables, kept = on_tree(game, stream)
    inside, cells = eligible(tables, kept, game.players), cells_of(game.tree)
    assert len(kept) < len(tables.set_row)
    strategies = np.split(
        np.where(cells >= 0, tables.learnt[cells], 1.0), np.cumsum([p.sequences for p in game.tree.treeplexes])[:-1]
    )
    exact = counterfactuals(game, Profile(game, tuple(strategies), {}))
    mean = np.zeros(len(tables.learnt))
    walker = Scripted(game, solver.plan, tables)
    walker.inside = inside
    for player in range(game.players):
        sampled, whole = expected(walker, player)
        assert whole == pytest.approx(1.0, abs=1e-12)
        mean += sampled
    learns = np.zeros(len(mean), bool)
    for _, _, first, size in tables.set_row:
        learns[first : first + size] = int(first) in inside
    mine = cells >= 0
    np.testing.assert_allclose(mean[cells[mine]], np.where(learns[cells[mine]], exact[mine], 0.0), atol=TOLERANCE)


@pytest.mark.parametrize("variant", ["outcome", "external", "not reduced"])
@pytest.mark.parametrize("address", GAMES)
def test_compiled_walks_learn_and_enter_what_the_reference_does(address: str, variant: str) -> None:
    """Walk by walk: the same random numbers change the same regrets by the same amounts, and nothing else."""
    make, parameters = VARIANTS[variant]
    game, solver = load_expanded(address), built(make, address, parameters, table="growing", seed=7)
    stream, entered = solver._streams[0], 0
    stream.walk(0)
    for walk in range(30):
        player = walk % game.players
        tables, kept = on_tree(game, stream)
        reference = Seeded(game, solver.plan, tables)
        reference.inside, reference.random = eligible(tables, kept, game.players), int(stream.tables.random[0])
        reference.walk(player)
        stream.walk(walk + 1)
        after, now = on_tree(game, stream)
        wanted = tables.learnt.copy()
        for touch in reference.touched:
            size = len(touch.values)
            plays = tables.learnt[touch.first : touch.first + size]
            wanted[touch.first + size : touch.first + 2 * size] += touch.weight * (touch.values - plays @ touch.values)
        regrets = part_cells(after.set_base, after.set_size, 1)
        np.testing.assert_allclose(after.learnt[regrets], wanted[regrets], atol=TOLERANCE)
        assert {touch.first for touch in reference.touched} <= set(now)
        assert set(kept) <= set(now)
        assert set(now) - set(kept) <= reference.inside
        if variant == "outcome":
            assert len(now) - len(kept) <= game.players
        entered += len(now) - len(kept)
        assert int(stream.tables.random[0]) == reference.random
    assert entered > 0


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("address", ["kuhn_poker(players=3)", "goofspiel(cards=3)"])
def test_plain_rules_give_the_bits_of_compiled_ones(address: str, variant: str) -> None:
    make, parameters = VARIANTS[variant]
    solvers = [built(make, game, parameters, table="growing", seed=5) for game in (address, plainly(address))]
    for solver in solvers:
        solver.run(60)
    assert same(*solvers)
    assert solvers[0].sets == solvers[1].sets


LIMITED: dict[str, dict[str, Any]] = {
    "growing": {"table": "growing", "memory_limit": 300_000},
    "bounded": {"table": "bounded", "memory_limit": 300_000},
    "auto": {"memory_limit": 300_000},
}


def limited(kind: str, variant: str, **others: Any) -> Any:
    make, parameters = VARIANTS[variant]
    return built(make, "liars_dice(faces=3,dice=2)", {**parameters, **LIMITED[kind]}, over="rules", seed=2, **others)


CASES = [(kind, variant) for kind in LIMITED for variant in VARIANTS]


@pytest.mark.parametrize(
    ("kind", "variant"),
    [pytest.param(*case, marks=pytest.mark.slow) if case[1] != "outcome" else case for case in CASES],
)
def test_runs_in_bounded_memory_go_on_with_the_same_bits(kind: str, variant: str, tmp_path: Path) -> None:
    """However they are cut, saved and resumed; and none ends."""
    whole, cut = limited(kind, variant), limited(kind, variant)
    whole.run(1200)
    for part in (1, 399, 7, 793):
        cut.run(part)
        cut.save(tmp_path / "cut")
        cut = hn.resume(tmp_path / "cut")
    counts = whole._streams[0].tables.counts
    assert not whole.stopped
    assert counts[rec.TABLE] == (rec.SHUT if kind == "growing" else rec.EDGE)
    told = [rec.SETS, rec.CELLS, rec.VISITED, rec.WALKS, rec.TABLE, rec.EVERY]
    assert np.array_equal(counts[told], cut._streams[0].tables.counts[told])
    assert walks_of(whole) == walks_of(cut) == 2400
    assert np.array_equal(whole.policy().probability, cut.policy().probability)
    assert np.array_equal(whole._streams[0].tables.learnt, cut._streams[0].tables.learnt)


@pytest.mark.parametrize("kind", LIMITED)
def test_threads_change_no_bit(kind: str) -> None:
    one, two = (limited(kind, "outcome", streams=2, threads=threads, memory_limit=700_000) for threads in (1, 2))
    for solver in (one, two):
        solver.run(1000)
    assert np.array_equal(one.policy().probability, two.policy().probability)
    assert one.policy().sets > one.sets / 2


@pytest.mark.parametrize("kind", LIMITED)
def test_all_that_is_allocated_stays_within_the_limit(kind: str) -> None:
    limit, game = 4_000_000, hn.load("liars_dice(dice=5)")
    parameters = {**LIMITED[kind], "memory_limit": limit}
    hn.methods.OutcomeSampling("liars_dice", over="rules", **{**parameters, "memory_limit": 200_000}).run(
        3000
    )  # compiles
    tracemalloc.start()
    try:
        solver = hn.methods.OutcomeSampling(game, seed=1, **parameters)
        solver.run(20_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert not solver.stopped
    assert 0.5 * limit < peak < limit + 200_000  # Python's own objects are not counted


@pytest.mark.parametrize("variant", ["outcome", "robust, discounted", "reduced"])
def test_the_least_visited_sets_are_dropped(variant: str) -> None:
    solver = limited("bounded", variant)
    solver.run(300)
    stream = solver._streams[0]
    tables = stream.tables
    cut, before = int(tables.counts[rec.CELLS]), by_path(tables)
    least = drop_least_visited(tables)
    stream._forget_histories()
    after = by_path(tables)
    assert 0 < len(after) < len(before)
    assert after.keys() == {path for path, (visits, _) in before.items() if visits > least}
    for path, (_, values) in after.items():
        for ours, theirs in zip(values, before[path][1], strict=True):
            np.testing.assert_array_equal(ours, theirs)
    dropped = [size for path, (_, (size, *_)) in before.items() if path not in after]
    assert sum(map(len, dropped)) > 0
    assert not tables.learnt[int(tables.counts[rec.CELLS]) : cut].any()
    solver.run(300)  # goes on


def by_path(tables: Tables) -> dict[tuple[Any, ...], tuple[int, tuple[Floats, ...]]]:
    """Return the visits of each set and all that is known of it, by what its player has seen and done."""
    paths, sets = {p: (p,) for p in range(len(tables.empty))}, dict[tuple[Any, ...], tuple[int, tuple[Floats, ...]]]()
    for parent, seen, first, size in tables.set_row[: int(tables.counts[rec.SETS])].tolist():
        path = (*paths[parent], seen)
        paths |= {first + 2 * size + a: (*path, a) for a in range(size)}
        known: list[Any] = [tables.learnt[first - 1 : first + 3 * size].copy()]
        known += [array[first : first + 1].copy() for array in (tables.clock, tables.stamp) if array.size]
        known += [row[first : first + size].copy() for row in tables.baseline if row.size]
        sets[path] = int(tables.learnt[first - 2]), tuple(known)
    return sets


@pytest.mark.parametrize(("parameters", "limit"), [({}, None), ({"table": "full"}, 10**9), ({}, 10**9)])
def test_where_everything_fits_the_bits_are_those_of_the_tree(parameters: dict[str, Any], limit: int | None) -> None:
    solver = hn.methods.OutcomeSampling("leduc_poker", over="rules", seed=4, memory_limit=limit, **parameters)
    full = hn.methods.OutcomeSampling("leduc_poker", over="tree", seed=4)
    for each in (solver, full):
        each.run(2000)
    assert same(solver, full)


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["outcome", "external"])
def test_a_table_that_grows_converges_as_a_full_one_does(variant: str) -> None:
    """NashConv of Kuhn poker after 100,000 iterations; uniform play has 0.917 (by the exact evaluation)."""
    make, parameters = VARIANTS[variant]
    solver = built(make, "kuhn_poker", parameters, table="growing", seed=1)
    solver.run(100_000)
    assert hn.evaluate(solver.average()).nash_conv < 0.03


def test_the_policy_holds_the_sets_of_the_table() -> None:
    game = hn.load("liars_dice(faces=3,dice=2)")
    solver = hn.methods.OutcomeSampling(game, table="growing", seed=1)
    solver.run(20)
    policy = solver.policy()
    assert policy.sets == solver.sets < sum(plex.sets for plex in load_expanded(game.address).tree.treeplexes)


REFUSED: list[tuple[type[Sampling], dict[str, Any], str]] = [
    (hn.methods.ChanceSampling, {"table": "growing"}, "table='growing' does not go with mccfr-cs"),
    (hn.methods.VRMCCFR, {"table": "growing"}, "does not go with the baselines of vr-mccfr"),
    (hn.methods.VRMCCFR, {"table": "bounded", "memory_limit": "1GB"}, "kept for each history"),
    (hn.methods.OutcomeSampling, {"table": "bounded"}, "table='bounded' needs a memory_limit"),
    (hn.methods.OutcomeSampling, {"table": "growing", "over": "tree"}, "is for walks on rules"),
    (hn.methods.OutcomeSampling, {"table": "small"}, "table='small'"),
]


@pytest.mark.parametrize(("make", "parameters", "sentence"), REFUSED)
def test_refusals(make: type[Sampling], parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(hn.errors.ParameterError, match=sentence):
        make("kuhn_poker", **parameters)


def test_a_sampling_policy_is_refused_by_tables_that_leave_sets_out() -> None:
    policy = hn.random_profile(hn.load("kuhn_poker"), seed=1)
    with pytest.raises(hn.errors.ParameterError, match="does not go with sampling_policy"):
        hn.methods.OutcomeSampling("kuhn_poker", sampling_policy=policy, table="growing")
