"""Tiles: every set has its place, and sets at which nothing is at stake rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.vectors import LANES
from hannan.layouts import threaded, tiles
from hannan.layouts.backend import Setup, Step, Tiles
from hannan.layouts.layout import tiled_of
from tests.averages import average_of
from tests.methods import solver_for

GAMES = ("leduc_poker", "battleship", "goofspiel(cards=3)", "kuhn_poker(players=3)")


@pytest.mark.parametrize("chunk", [16, 4096])
@pytest.mark.parametrize("address", GAMES)
def test_every_sequence_has_a_place_and_chunks_share_no_parent(
    address: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiles, "CHUNK", chunk)
    monkeypatch.setattr(tiles, "FEW", 2)
    form = load_expanded(address).form
    layout = tiled_of(form)
    arrays, place, at = layout.arrays, layout.place, 0
    assert place is not None
    assert len(np.unique(place)) == len(place)
    parents: list[set[int]] = []
    for begin, idle, end in arrays.chunk.tolist():
        assert begin <= idle <= end
        parents.append(set())
        for _, groups, _, parent_at, _ in arrays.tile[begin:end].tolist():
            parents[-1] |= set(arrays.parent[parent_at : parent_at + groups * LANES].tolist())
    roots = set(arrays.sequence_begin.tolist())  # those of filled-up places
    for one, two in ((a, b) for k, a in enumerate(parents) for b in parents[:k]):
        assert one & two <= roots
    for plex in form.treeplexes:
        for j in range(plex.sets):
            mine = place[at + plex.begin[j] : at + plex.begin[j + 1]]
            assert np.all(np.diff(mine) == LANES)
            found = [(t, mine[0] - t[0]) for t in arrays.tile.tolist() if t[0] <= mine[0] < t[0] + t[1] * t[2] * LANES]
            assert len(found) == 1
            (_, _, actions, parent_at, _), inside = found[0]
            assert actions == len(mine)
            lane = inside // (actions * LANES) * LANES + inside % LANES
            assert arrays.parent[parent_at + lane] == place[at + plex.parent[j]]
        at += plex.sequences


def test_what_sequences_are_used_for() -> None:
    """Against the definition, set by set: payoffs at a sequence or later, and sets after it."""
    form = load_expanded("battleship").form
    layout, at = tiled_of(form), 0
    assert layout.place is not None
    for player, plex in enumerate(form.treeplexes):
        pays = set(form.sequence(player).tolist())
        stakes = [False] * plex.sets
        for j in range(plex.sets - 1, -1, -1):
            later = [k for k in range(plex.sets) if plex.begin[j] <= plex.parent[k] < plex.begin[j + 1]]
            stakes[j] = any(s in pays for s in range(plex.begin[j], plex.begin[j + 1])) or any(stakes[k] for k in later)
        idle = {int(first) - at for first, _, _ in layout.idle.tolist()}
        idle = {first for first in idle if 0 <= first < plex.sequences}
        assert idle <= {int(plex.begin[j]) for j in range(plex.sets) if not stakes[j]}
        assert len(idle) > 0.9 * stakes.count(False)  # a few would make too small a tile
        at += plex.sequences


def _close(one: dict[str, Any], two: dict[str, Any]) -> None:
    for name, array in one.items():
        np.testing.assert_allclose(two[name], array, rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("method", ["cfr", "dcfr", "pcfr+", "cfr-hedge", "einr"])
def test_sets_at_which_nothing_is_at_stake_say_what_plain_loops_say(method: str) -> None:
    plain, tiled = (solver_for(method, "battleship", layout=layout) for layout in ("plain", "tiled"))
    for solver in (plain, tiled):
        solver.run(6)
    assert len(tiled_of(load_expanded("battleship").form).idle) > 0
    _close(plain.state(), tiled.state())


def test_sets_that_were_given_a_strategy_do_not_rest() -> None:
    """A warm start plays unevenly where nothing is at stake: its regrets there fade as in plain loops."""
    game = load_expanded("battleship")
    start = hn.random_profile(game, seed=3)
    states = []
    for layout in ("plain", "tiled"):
        solver = hn.DCFR(game, layout=layout)
        solver.warm_start(start, 10)
        solver.run(5)
        states.append(solver.state())
    _close(*states)


def test_what_rests_is_found_out_again_after_every_write() -> None:
    form = load_expanded("battleship").form
    tiled = Tiles(Setup(form))
    even = hn.CFR("battleship", layout="tiled").state()
    for name in tiled.setup.sizes:
        tiled.write(name, even[name])
    assert tiled.until == rec.C_IDLE
    tiled.run(Step().rows(2))
    first, size, _ = tiled_of(form).idle[0].tolist()
    for name in ("regret", "strategy", "total"):
        array = tiled.read(name)
        assert array[first : first + size].any() == (name != "regret")
        kept = array.copy()
        array[first] += 0.25
        tiled.write(name, array)
        assert tiled.until == rec.C_END
        tiled.write(name, kept)
        assert tiled.until == rec.C_IDLE


@pytest.mark.parametrize("layout", ["plain", "tiled"])
@pytest.mark.parametrize(
    ("method", "iterations"), [("cfr", 10), ("cfr+", 10), ("dcfr", 10), ("pcfr+", 10), ("cfr-hedge", 2)]
)
@pytest.mark.parametrize("address", ["leduc_poker", "kuhn_poker(players=3)", "battleship(shots=2)"])
def test_a_state_in_single_precision(address: str, method: str, iterations: int, layout: str) -> None:
    """A float has 24 bits, so that ten iterations agree to about 1e-6; what is measured is measured in doubles.

    Hedge multiplies what was rounded by the payoffs, every iteration.
    """
    exact, rounded = (
        solver_for(method, address, layout=layout, precision=precision) for precision in ("float64", "float32")
    )
    for solver in (exact, rounded):
        solver.run(iterations)
    for one, two in zip(average_of(exact).strategies, average_of(rounded).strategies, strict=True):
        np.testing.assert_allclose(two, one, rtol=0, atol=2e-4)
    assert average_of(rounded).strategies[0].dtype == np.float64
    found = hn.solve(address, method, layout=layout, precision="float32", iterations=iterations)
    assert found.nash_conv == hn.evaluate(found.profile).nash_conv
    one, two = (hn.evaluate(solver.average()).nash_conv for solver in (exact, rounded))
    assert abs(one - two) < 1e-4 * max(1.0, one)


@pytest.mark.parametrize("layout", ["plain", "tiled"])
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("address", ["leduc_poker", "battleship"])
def test_any_precision_resumes_to_the_same_bits_on_any_threads(
    address: str, precision: Any, layout: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threaded, "WORTHWHILE", 0)
    monkeypatch.setattr(tiles, "CHUNK", 64)
    solver = hn.methods.PDCFRPlus(address, precision=precision, layout=layout)
    solver.run(7)
    solver.save(tmp_path / "half")
    solver.run(5)
    again = hn.resume(tmp_path / "half", threads=3)
    again.run(5)
    for name, array in solver.state().items():
        assert array.tobytes() == again.state()[name].tobytes(), name


def test_precision_is_refused_by_name() -> None:
    with pytest.raises(hn.errors.ParameterError, match="precision=int16 is for public trees; kuhn_poker has none"):
        hn.CFR("kuhn_poker", precision="int16")
    with pytest.raises(hn.errors.ParameterError, match="device=cuda has no precision=float32 for this game"):
        hn.CFR("kuhn_poker", precision="float32", device="cuda")
